{#- The first two keywords of a statement. What a comment or a literal further on says is never looked at. The pattern
    for what is skipped is possessive: Java then loops instead of recursing, however many comments there are. -#}
{% macro ddl_kind(ddl_text) -%}
{%- set skipped -%} (?:\s|/\*M?![0-9]*|\*/|/\*(?!M?!)[\s\S]*?\*/|--[^\n]*|#[^\n]*) {%- endset -%}
{%- set first_words = "r'^" ~ skipped ~ "*+([A-Za-z]+)\\b(?:" ~ skipped ~ "++([A-Za-z]+)\\b)?'" -%}
{%- set first_word = "upper(regexp_extract(" ~ ddl_text ~ ", " ~ first_words ~ ", 1))" -%}
{%- set second_word = "upper(regexp_extract(" ~ ddl_text ~ ", " ~ first_words ~ ", 2))" -%}
case
    -- TABLE may be left out behind TRUNCATE.
    when {{ first_word }} = 'TRUNCATE' then 'TRUNCATE_TABLE'
    when {{ first_word }} <> ''
        then regexp_replace(concat_ws('_', {{ first_word }}, nullif({{ second_word }}, '')), '_TABLES$', '_TABLE')
end
{%- endmacro %}
