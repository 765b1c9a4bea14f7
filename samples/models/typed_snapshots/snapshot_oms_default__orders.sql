{{ typed_snapshot('oms_default', 'orders', database_name='shop', family='oms', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'varchar'},
    {'name': 'amount', 'type': 'decimal(18,2)'},
    {'name': 'placed_at', 'type': 'datetime'},
    {'name': 'note', 'type': 'text'},
    {'name': 'receipt', 'type': 'blob'},
]) }}
