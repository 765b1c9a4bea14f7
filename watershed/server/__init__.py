"""The Thrift server of `watershed serve`, and how commands find and query it."""
