{{ typed_snapshot('datahub_tuple', 'orders', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'string'},
    {'name': 'amount', 'type': 'decimal(18,2)'},
    {'name': 'placed_at', 'type': 'timestamp_micros'},
    {'name': 'note', 'type': 'string'},
]) }}
