{#-
    A select of the moves of laid (a relation of left_behind), each over the one that its row came by, however many those
    are. Only such moves are brought together by table; the others stay apart.
-#}
{% macro chained_moves(laid) -%}
with named as (
    select
        link.change_id,
        max(link.laid) as laid,
        max(link.is_previous) as is_previous
    from (select struct(*) as laid from {{ laid }})
    lateral view inline(array(
        struct(laid.change.change_id as change_id, laid, false as is_previous),
        struct(laid.previous_id as change_id, null as laid, true as is_previous)
    )) link
    where link.change_id is not null
    group by link.change_id
),

chains as (
    select collect_list(laid) as links
    from named
    where laid is not null
    group by
        laid.source_name, laid.format, laid.database_name, laid.schema_name, laid.table_name,
        if(is_previous or laid.previous_id is not null, null, change_id)
)

select
    zipped.link.* except (previous_id, image_scope, row_image),
    zipped.whole.image_scope,
    zipped.whole.row_image
from chains
lateral view inline(arrays_zip(
    links, overlay_chains(links.change.change_id, links.previous_id, links.row_image, links.image_scope)
)) zipped as link, whole
{%- endmacro %}
