{{ typed_snapshot('datahub_tuple', 'customers', columns=[
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'name', 'type': 'string'},
]) }}
