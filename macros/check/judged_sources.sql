{#-
    The sources that data tests of the feed judge. The ref without use is there because in dbt build a failed test holds
    back what depends on all that the test depends on, and nothing depends on quarantine: one bad feed stops no other.
-#}
{% macro judged_sources() -%}
{%- do ref('quarantine') -%}
(select cdc_sources.source_name from {{ ref('cdc_sources') }} as cdc_sources)
{%- endmacro %}
