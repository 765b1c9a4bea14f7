{{ typed_snapshot('oms_dataworks_v2', 'orders', database_name='shop', family='oms', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'varchar'},
    {'name': 'amount', 'type': 'decimal(18,3)'},
    {'name': 'placed_at', 'type': 'timestamp', 'keep_text': true},
    {'name': 'note', 'type': 'text'},
]) }}
