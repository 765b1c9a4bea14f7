{{ typed_snapshot('debezium', 'orders', database_name='shop', family='connect', columns=[
    {'name': 'order_id', 'type': 'int32'},
    {'name': 'status', 'type': 'string'},
    {'name': 'amount', 'type': 'bytes org.apache.kafka.connect.data.Decimal(10,2)'},
    {'name': 'placed_at', 'type': 'int64 io.debezium.time.MicroTimestamp'},
]) }}
