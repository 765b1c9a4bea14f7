{% macro event_columns(absent=[]) -%}
{%- set types = {
    'change_id': 'string', 'source_name': 'string', 'format': 'string',
    'database_name': 'string', 'schema_name': 'string', 'table_name': 'string',
    'key_columns': 'array<string>', 'message_key': 'string', 'null_in_both': 'array<string>',
    'change_type': 'string', 'is_snapshot': 'boolean', 'row_image': 'string', 'image_scope': 'string',
    'source_operation': 'string',
    'fold_scope': 'string', 'before_hash': 'string', 'missing_columns': 'string', 'may_change_key': 'boolean',
    'sequence_number': 'decimal(38, 0)', 'event_at': 'timestamp', 'emitted_at': 'timestamp',
    'checkpoint_at': 'timestamp', 'transaction_id': 'string', 'event_index': 'int', 'change_order': 'struct',
    'topic': 'string', 'partition': 'int', 'offset': 'bigint', 'landed_at': 'timestamp', 'batch_id': 'string',
    'source_metadata': 'map<string, string>',
    'control_kind': 'string', 'ddl_kind': 'string', 'ddl_text': 'string', 'ddl_meta_text': 'string',
} -%}
{% for name, type in types.items() -%}
{{ 'cast(null as ' ~ type ~ ') as ' ~ name if name in absent else name }},
{% endfor -%}
reason.code as reason_code,
reason.detail as reason_detail,
value
{%- endmacro %}
