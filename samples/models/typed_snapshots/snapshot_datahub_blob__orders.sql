{{ typed_snapshot('datahub_blob', 'orders', database_name='shop', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'string'},
    {'name': 'amount', 'type': 'decimal(18,6)'},
    {'name': 'placed_at', 'type': 'timestamp_millis'},
    {'name': 'note', 'type': 'string'},
    {'name': 'receipt', 'type': 'binary_base64'},
]) }}
