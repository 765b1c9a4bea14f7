-- One number higher with every append: a number that is missing is an append that the manifest lost.
with numbered as (
    select
        append_number,
        lag(append_number) over (order by append_number) as previous_number
    from {{ ref('appends') }}
    group by append_number
)

select * from numbered
where append_number <> previous_number + 1
