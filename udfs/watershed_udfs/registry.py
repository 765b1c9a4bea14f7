"""The registry of Watershed's Spark functions; `watershed serve` registers them and shares them with all clients."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own guide uses

from watershed_udfs import arrow, arrow_databus, arrow_fold
from watershed_udfs.java_functions import PACKAGE


class JavaMethod(NamedTuple):
    """A static method of `java/JsonFunctions.java`: Spark compiles its call into the code of a query."""

    name: str
    is_null_for_null: bool = True
    """Whether a null argument gives null without a call."""


class Udf(NamedTuple):
    """One function as visible in SQL, and the Python function (of Arrow arrays) or the Java method that it calls."""

    name: str
    function: Callable[..., Any] | JavaMethod
    parameters: str
    returns: str
    description: str

    @property
    def language(self) -> str:
        """The language in which the function runs."""
        return "Java" if isinstance(self.function, JavaMethod) else "Python"


UDFS = (
    Udf(
        "open_json",
        JavaMethod("openJson", is_null_for_null=False),
        "value binary, members string",
        "struct<members: array<string>, error_code: string, error_detail: string>",
        "Parses a JSON message (or strict Base64 of one) strictly and returns the requested members as exact text.",
    ),
    Udf(
        "pick_key",
        JavaMethod("pickKey"),
        "row_image string, key_columns array<string>",
        "string",
        "Extracts the key columns of a row image as canonical JSON; equal numbers have equal text.",
    ),
    Udf(
        "read_columns",
        JavaMethod("readColumns"),
        "row_image string",
        "map<string, string>",
        "Reads a row image into column texts; a JSON null is a null text, a missing column has no entry.",
    ),
    Udf(
        "overlay_images",
        JavaMethod("overlayImages"),
        "images array<string>",
        "string",
        "Overlays row images, the last one wins; null ones are skipped.",
    ),
    Udf(
        "overlay_chains",
        arrow.overlay_chains_column,
        "ids array<string>, previous_ids array<string>, row_images array<string>, scopes array<string>",
        "array<struct<row_image: string, image_scope: string>>",
        "Overlays each row image on its previous image, along chains of any length.",
    ),
    Udf(
        "fold_row",
        arrow_fold.fold_row_column,
        "changes array<change>, truncates array<truncate>, spanned_partitions boolean, is_ordered_by_position boolean",
        "struct<newest: int, is_deleted: boolean, row_image: string, tied_changes: int, spans_partitions: boolean, "
        "kept: array<int>>",
        "Folds the changes of a row: returns the current row and the changes that later builds still need.",
    ),
    Udf(
        "row_versions",
        arrow_fold.row_versions_column,
        "changes array<change>, truncates array<truncate>, is_ordered_by_position boolean",
        "array<struct<change: int, change_number: int, role: string, decided_by: string, is_deleted: boolean, "
        "image: string, is_image_whole: boolean, is_soft_deleted: boolean, first_live: int, "
        "valid_from: timestamp, valid_to: timestamp, ending_change: int, ending_truncate: int, "
        "later_truncates: array<int>>>",
        "Returns the row version after each change of a row, with the effect of the change and its reason.",
    ),
    Udf(
        "drop_columns",
        JavaMethod("dropColumns", is_null_for_null=False),
        "row_image string, names array<string>",
        "string",
        "Removes columns from a row image; without names the image is unchanged.",
    ),
    Udf(
        "null_columns",
        JavaMethod("nullColumns"),
        "before_image string, after_image string",
        "array<string>",
        "Returns the names of the columns that are null in both images of an update.",
    ),
    Udf(
        "missing_columns",
        JavaMethod("missingColumns"),
        "known_columns string, row_image string",
        "string",
        "Returns the names of the known columns that a row image lacks, as a JSON array; null if there are none.",
    ),
    Udf(
        "list_items",
        JavaMethod("listItems"),
        "array_text string",
        "array<string>",
        "Returns the items of a JSON array, each as exact JSON text.",
    ),
    Udf(
        "list_texts",
        JavaMethod("listTexts"),
        "array_text string",
        "array<string>",
        "Takes the items of a JSON array as column texts: strings decoded, a JSON null as null.",
    ),
    Udf(
        "text_map",
        JavaMethod("textMap"),
        "names array<string>, texts array<string>",
        "map<string, string>",
        "Makes a map of names and texts; a name whose text is null is left out.",
    ),
    Udf(
        "millis_timestamp",
        JavaMethod("millisTimestamp"),
        "millis string",
        "timestamp",
        "Reads a text of milliseconds since 1970 as a time; null for any other text and past the year 9999.",
    ),
    Udf(
        "read_ddl",
        JavaMethod("readDdl", is_null_for_null=False),
        "ddl_text string, database_name string, schema_name string, table_name string",
        "struct<kind: string, is_understood: boolean, "
        "emptied: array<struct<database_name: string, schema_name: string, table_name: string>>, "
        "renamed: array<struct<old: struct<database_name: string, schema_name: string, table_name: string>, "
        "new: struct<database_name: string, schema_name: string, table_name: string>>>, changes_partitions: boolean>",
        "Reads the text of DDL: which tables it empties or renames; null without a text. "
        "An empty name counts as missing.",
    ),
    Udf(
        "decode_base64",
        arrow.decode_base64_column,
        "text string",
        "struct<result: binary, error: string>",
        "Decodes strict Base64, white space allowed.",
    ),
    Udf(
        "read_databus",
        arrow_databus.read_databus_column,
        "value binary",
        "array<struct<event_index: int, occurrence: int, version: int, byte_order: string, opcode: string, "
        "key_type: string, message_key: string, sequence: bigint, physical_partition: int, logical_partition: int, "
        "timestamp_nanos: bigint, source_id: int, schema_id: string, schema_version: int, value: binary, "
        "is_replicated: boolean, is_traced: boolean, byte_offset: int, byte_length: int, error_code: string, "
        "error_detail: string>>",
        "Reads a stream of binary Databus events (or strict Base64 of one), both versions and byte orders.",
    ),
    Udf(
        "name_key",
        arrow_databus.name_key_column,
        "message_key string, names array<string>",
        "string",
        "Names the values of a Databus event's key as canonical JSON; without names the key is unchanged.",
    ),
    Udf(
        "read_avro",
        arrow_databus.read_avro_column,
        "value binary, writer_schema string",
        "struct<row_image: string, error_code: string, error_detail: string>",
        "Reads a bare Avro record by its writer schema into a row image, numbers exact.",
    ),
    Udf(
        "read_avro_fields",
        arrow_databus.read_avro_fields_column,
        "schema_text string",
        "map<string, struct<default_value: string, aliases: array<string>>>",
        "Reads the defaults and aliases of an Avro schema's fields, defaults as column texts.",
    ),
    Udf(
        "type_change",
        arrow.type_change_column,
        "before string, after string",
        "string",
        "Compares two source types of a column: `widened`, `narrowed` or `conflicting`; null if they are equal.",
    ),
    Udf(
        "widest_type",
        arrow.widest_type_column,
        "types array<string>, reader_type string",
        "struct<type: string, refused: array<struct<change: string, type: string>>>",
        "Returns the widest of a column's source types and the types that do not fit into it.",
    ),
)


def register(spark: SparkSession) -> list[str]:
    """Register all functions in a session, all of them deterministic, and return their names.

    The classes of those in Java must be on the class path of its JVM (`java_functions.install`).
    """
    for udf in UDFS:
        if isinstance(udf.function, JavaMethod):
            _register_java(spark, udf, udf.function)
        else:
            spark.udf.register(udf.name, F.arrow_udf(udf.function, udf.returns))  # type: ignore[attr-defined]
    return [udf.name for udf in UDFS]


def _register_java(spark: SparkSession, udf: Udf, method: JavaMethod) -> None:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    builder = jvm.watershed.json.FunctionBuilder(
        udf.name, method.name, udf.parameters, udf.returns, method.is_null_for_null
    )
    catalyst = jvm.org.apache.spark.sql.catalyst
    usage = f"{udf.name}({udf.parameters}) - {udf.description}"
    information = catalyst.expressions.ExpressionInfo(f"{PACKAGE}.JsonFunctions", None, udf.name, usage, "")
    registry = spark._jsparkSession.sessionState().functionRegistry()
    registry.registerFunction(catalyst.FunctionIdentifier(udf.name), information, builder)
