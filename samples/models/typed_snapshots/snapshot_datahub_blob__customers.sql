{{ typed_snapshot('datahub_blob', 'customers', database_name='shop', columns=[
    {'name': 'region', 'type': 'string'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'name', 'type': 'string'},
    {'name': 'is_member', 'type': 'boolean'},
]) }}
