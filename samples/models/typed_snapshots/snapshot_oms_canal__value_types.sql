{{ typed_snapshot('oms_canal', 'value_types', database_name='shop', family='canal', columns=[
    {'name': 'id', 'type': 'bigint unsigned'},
    {'name': 'bits', 'type': 'bit'},
    {'name': 'mood', 'type': 'enum'},
    {'name': 'tags', 'type': 'set'},
    {'name': 'ratio', 'type': 'double'},
    {'name': 'since', 'type': 'year'},
    {'name': 'born_on', 'type': 'date'},
    {'name': 'opens_at', 'type': 'time'},
    {'name': 'seen_at', 'type': 'timestamp'},
    {'name': 'photo', 'type': 'varbinary'},
    {'name': 'shape', 'type': 'geometry'},
]) }}
