"""One module per format: its form of a change. `FAMILIES` contains them by the name of the format."""

from benchmarks.families import (
    databus_binary,
    databus_json,
    datahub_blob,
    lindorm_sql,
    oms_canal,
    oms_dataworks_v2,
    oms_default,
    oms_shareplex,
)
from benchmarks.families.common import Family

FAMILIES: dict[str, Family] = {
    "datahub_blob": datahub_blob.FAMILY,
    "oms_default": oms_default.FAMILY,
    "oms_canal": oms_canal.FAMILY,
    "oms_dataworks_v2": oms_dataworks_v2.FAMILY,
    "oms_shareplex": oms_shareplex.FAMILY,
    "lindorm_sql": lindorm_sql.FAMILY,
    "databus_json": databus_json.FAMILY,
    "databus_binary": databus_binary.FAMILY,
}
