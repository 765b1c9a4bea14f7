-- depends_on: {{ ref('appends') }}
{{ unread_messages() }}
