{#-
    The effect of a change of a column's source type: `widened` if the new type takes every value of the old one,
    `narrowed` for the opposite, else `conflicting`; null for two spellings of one type. docs/formats/values.md defines
    the rule; types that it does not compare are in conflict.
-#}
{% macro type_change(type_before, type_after) -%}
{%- set before = type_range(type_before) -%}
{%- set after = type_range(type_after) -%}
transform(
    array(named_struct('old', {{ before | indent(4) }}, 'new', {{ after | indent(4) }})),
    pair -> case
        when pair.old <=> pair.new then null
        when not pair.old.family <=> pair.new.family then 'conflicting'
        when forall(zip_with(pair.old.sizes, pair.new.sizes, (old, new) -> old <= new), fits -> fits)
            and startswith(pair.new.labels || ',', pair.old.labels || ',')
            then 'widened'
        when forall(zip_with(pair.old.sizes, pair.new.sizes, (old, new) -> old >= new), fits -> fits)
            and startswith(pair.old.labels || ',', pair.new.labels || ',')
            then 'narrowed'
        else 'conflicting'
    end
)[0]
{%- endmacro %}
