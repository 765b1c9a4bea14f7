{#-
    The range of values of a source type, for comparisons: numbers by digits (of negative values, of positive values,
    after the point, binary ones), texts and bytes by length, times by precision, enum and set by labels. Unknown types
    are of the same family only if they are equal. A binary type has as many digits as it needs: 2^31 has 9.33.
-#}
{% macro type_range(type) -%}
{%- set spelled = "lower(trim(" ~ type ~ "))" -%}
{%- set words = "regexp_replace(" ~ spelled ~ ", r'(?s)[(].*[)]', '')" -%}
{%- set name = "trim(replace(replace(" ~ words ~ ", ' unsigned', ''), ' zerofill', ''))" -%}
{%- set least = "if(" ~ words ~ " like '% unsigned%', 0.0d, 1.0d)" -%}
{%- set size = "cast(nullif(regexp_extract(" ~ spelled ~ ", r'[(] *([0-9]{1,10})', 1), '') as double)" -%}
{%- set scale = "cast('0' || regexp_extract(" ~ spelled ~ ", r'[(] *[0-9]+ *, *([0-9]{1,10})', 1) as double)" -%}
{%- set is_decimal = name ~ " in ('decimal', 'numeric', 'number') and " ~ size ~ " is not null" -%}
{%- set bits -%}
case
    when {{ name }} in ('tinyint', 'int8') then 8.0d
    when {{ name }} in ('smallint', 'int16') then 16.0d
    when {{ name }} = 'mediumint' then 24.0d
    when {{ name }} in ('int', 'integer', 'int32') then 32.0d
    when {{ name }} in ('bigint', 'int64', 'long') then 64.0d
end
{%- endset -%}
{%- set length -%}
case
    when {{ name }} in ('char', 'varchar', 'varchar2', 'nvarchar', 'nvarchar2', 'binary', 'varbinary') then {{ size }}
    when {{ name }} in ('tinytext', 'tinyblob') then 255.0d
    when {{ name }} in ('text', 'blob') then 65535.0d
    when {{ name }} in ('mediumtext', 'mediumblob') then 16777215.0d
    when {{ name }} in ('longtext', 'longblob', 'clob', 'nclob', 'string', 'bytes') then 4294967295.0d
end
{%- endset -%}
named_struct(
    'family', case
        when {{ name }} = 'bytes org.apache.kafka.connect.data.decimal' then {{ name }}
        when {{ bits }} is not null or {{ is_decimal }} then 'number'
        when {{ name }} in ('float', 'double', 'float32', 'float64') then 'number'
        when {{ name }} in ('time', 'datetime', 'timestamp', 'bit', 'enum', 'set', 'year') then {{ name }}
        when {{ length }} is null then {{ spelled }}
        when {{ name }} like '%bin%' or {{ name }} like '%blob' or {{ name }} = 'bytes' then 'bytes'
        else 'text'
    end,
    'sizes', case
        when {{ bits }} is not null
            then array(({{ bits }} - 1) * {{ least }} * log10(2), ({{ bits }} - {{ least }}) * log10(2), 0.0d, 0.0d)
        when {{ name }} in ('float', 'float32') then array(24 * log10(2), 24 * log10(2), 0.0d, 24.0d)
        when {{ name }} in ('double', 'float64') then array(53 * log10(2), 53 * log10(2), 0.0d, 53.0d)
        when {{ is_decimal }}
            then array(({{ size }} - {{ scale }}) * {{ least }}, {{ size }} - {{ scale }}, {{ scale }}, 0.0d)
        when {{ name }} = 'bytes org.apache.kafka.connect.data.decimal'
            then array({{ size }} - {{ scale }}, {{ scale }})
        when {{ length }} is not null then array({{ length }})
        when {{ name }} in ('time', 'datetime', 'timestamp', 'bit') then array(coalesce({{ size }}, 0.0d))
        else array()
    end,
    'labels', if({{ name }} in ('enum', 'set'), regexp_extract({{ type }}, r'(?s)[(](.*)[)]', 1), '')
)
{%- endmacro %}
