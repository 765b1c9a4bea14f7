{{ typed_snapshot('oms_shareplex', 'orders', database_name='shop', family='oms', columns=[
    {'name': 'order_id', 'type': 'bigint'},
    {'name': 'customer_id', 'type': 'bigint'},
    {'name': 'status', 'type': 'varchar'},
    {'name': 'amount', 'type': 'decimal(18,6)'},
    {'name': 'placed_at', 'type': 'datetime'},
    {'name': 'note', 'type': 'text'},
    {'name': 'receipt', 'type': 'blob'},
]) }}
