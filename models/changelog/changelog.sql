select
    {{ changelog_columns() | indent(4) }}
from {{ ref('events') }}
where outcome = 'change'
