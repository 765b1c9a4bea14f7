{{ typed_snapshot('maxwell', 'orders', database_name='shop', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'string'},
    {'name': 'amount', 'type': 'decimal(10,2)'},
    {'name': 'note', 'type': 'string'},
]) }}
