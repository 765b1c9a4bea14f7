"""Paths: the dbt project, and WATERSHED_HOME with all data except that of a shared store."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from watershed.errors import WatershedError
from watershed.store import Location, configured_store

PROJECT_FILE = "dbt_project.yml"
DEFAULT_HOME = ".watershed"
TARGET_VARIABLE = "DBT_TARGET_PATH"


def find_project_dir(start: Path | None = None) -> Path:
    """Find the dbt project: the start folder or a parent of it, else the folder that this package was installed from.

    Args:
        start: First folder of the search; the current folder if not given.

    Raises:
        WatershedError: no folder holds a dbt_project.yml.
    """
    begin = (start or Path.cwd()).resolve()
    installed_from = Path(__file__).resolve().parent.parent
    for folder in (begin, *begin.parents, installed_from):
        if (folder / PROJECT_FILE).is_file():
            return folder
    raise WatershedError(
        f"No {PROJECT_FILE} in {begin} or a folder above it, and none in {installed_from}.",
        "Change to the folder of the Watershed project and try again.",
    )


def target_dir(project_dir: Path) -> Path:
    """Return dbt's target folder: DBT_TARGET_PATH, else target."""
    return project_dir / (os.environ.get(TARGET_VARIABLE) or "target")


@dataclass(frozen=True)
class Home:
    """The paths inside WATERSHED_HOME; reading a property creates nothing."""

    root: Path
    store: Location | None = None

    @property
    def data(self) -> Location:
        """The folder of all tables: this home, or the bucket that WATERSHED_STORE names."""
        return self.store or self.root

    @property
    def messages(self) -> Location:
        """The Delta table landing.messages."""
        return self.data / "landing" / "messages"

    @property
    def files(self) -> Location:
        """The Delta table of landed files."""
        return self.data / "landing" / "files"

    @property
    def avro_schemas(self) -> Location:
        """The Delta table landing.avro_schemas."""
        return self.data / "landing" / "avro_schemas"

    @property
    def kafka(self) -> Path:
        """State of the Kafka streams: a folder per source."""
        return self.root / "kafka"

    @property
    def kafka_log(self) -> Path:
        """Spark's log of landing from Kafka."""
        return self.root / "logs" / "kafka.log"

    @property
    def unfinished(self) -> Path:
        """List of unfinished files in tables of landing."""
        return self.root / "landing" / "unfinished.json"

    @property
    def landing_lock(self) -> Path:
        """Lock held by every process that writes landing.messages."""
        return self.root / "landing.lock"

    @property
    def server_lock(self) -> Path:
        """Lock held by the server; the metastore supports one process only."""
        return self.root / "server.lock"

    @property
    def metastore(self) -> Path:
        """The embedded Derby metastore."""
        return self.root / "metastore"

    @property
    def warehouse(self) -> Location:
        """The tables that dbt builds."""
        return self.data / "warehouse"

    @property
    def server_log(self) -> Path:
        """Log of Spark, its JVM and its Python workers."""
        return self.root / "logs" / "server.log"

    @property
    def conf(self) -> Path:
        """Configuration files for Spark: the generated logging configuration, and files added by the user."""
        return self.root / "conf"

    @property
    def hive_site(self) -> Path:
        """The user's settings of HiveServer2: passwords and TLS."""
        return self.conf / "hive-site.xml"

    @property
    def classes(self) -> Path:
        """Classes that the server compiles for its class path."""
        return self.scratch / "classes"

    @property
    def scratch(self) -> Path:
        """Spark's temporary files; emptied when the server starts."""
        return self.root / "tmp"


def find_home(project_dir: Path) -> Home:
    """Return the home in WATERSHED_HOME, else `.watershed` in the project.

    Raises:
        WatershedError: the path is a file, cannot be created, or has characters that are invalid in Derby's URL; or
            WATERSHED_STORE is invalid.
    """
    named = os.environ.get("WATERSHED_HOME", "")
    root = Path(named).expanduser().absolute() if named else project_dir / DEFAULT_HOME
    if any(character in str(root) for character in ";\"'\\%#?*[]{}\n"):
        raise WatershedError(
            f"WATERSHED_HOME is {str(root)!r}; none of ; \" ' \\ % # ? * [ ] {{ }} and line breaks can be used.",
            "Set WATERSHED_HOME to a plain path.",
        )
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WatershedError(
            f"WATERSHED_HOME {root} cannot be used: {error.strerror or error}.",
            "Set WATERSHED_HOME to a writable folder.",
        ) from error
    return Home(root, configured_store())
