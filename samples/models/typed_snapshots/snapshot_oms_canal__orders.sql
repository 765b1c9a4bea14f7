{{ typed_snapshot('oms_canal', 'orders', database_name='shop', family='canal', columns=[
    {'name': 'order_id', 'type': 'bigint unsigned'},
    {'name': 'customer_id', 'type': 'int'},
    {'name': 'status', 'type': 'enum'},
    {'name': 'amount', 'type': 'decimal(38,2)', 'keep_text': true},
    {'name': 'placed_at', 'type': 'datetime'},
    {'name': 'note', 'type': 'text'},
    {'name': 'receipt', 'type': 'blob'},
]) }}
