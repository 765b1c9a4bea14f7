"""The metastore: Derby inside the home, or PostgreSQL, which several servers share."""

from __future__ import annotations

import contextlib
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.server.access import check_mode, properties_of
from watershed.server.jars import POSTGRESQL, Jars

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView

_PREFIX = "javax.jdo.option.Connection"
_URL, _USER, _PASSWORD = (f"{_PREFIX}{name}" for name in ("URL", "UserName", "Password"))
_DRIVER = "org.postgresql.Driver"
# As in Hive, so that both mean the same tables.
_OF_HIVE = {
    "javax.jdo.PersistenceManagerFactoryClass": "org.datanucleus.api.jdo.JDOPersistenceManagerFactory",
    "datanucleus.schema.autoCreateAll": "true",
    "datanucleus.identifierFactory": "datanucleus1",
    "datanucleus.rdbms.useLegacyNativeValueStrategy": "true",
    "datanucleus.connectionPoolingType": "NONE",
}
# An arbitrary number that no other application locks in the database.
_LOCK = 0x77617465


@dataclass(frozen=True)
class Metastore:
    """The metastore of a home.

    Args:
        derby: The folder of Derby.
        shared: The settings of PostgreSQL by their names in hive-site.xml, where Spark reads them; empty with Derby.
    """

    derby: str
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def jars(self) -> tuple[Jars, ...]:
        """The jars in addition to Spark's."""
        return (POSTGRESQL,) if self.shared else ()

    @property
    def settings(self) -> dict[str, str]:
        """Spark's settings in addition to hive-site.xml, without secrets."""
        if self.shared:
            return {f"spark.hadoop.{_PREFIX}DriverName": _DRIVER}
        return {
            f"spark.hadoop.{_URL}": f"jdbc:derby:;databaseName={self.derby};create=true",
            # Only this process writes to Derby, so table metadata can be cached.
            "spark.hadoop.datanucleus.cache.level2": "true",
            "spark.hadoop.datanucleus.cache.level2.type": "soft",
        }

    @contextlib.contextmanager
    def prepared(self, jvm: JVMView) -> Iterator[None]:
        """Create missing tables of a shared metastore, and block other servers from starting meanwhile.

        Raises:
            WatershedError: the database refuses the connection.
        """
        if not self.shared:
            yield
            return
        from py4j.protocol import Py4JJavaError

        login = jvm.java.util.Properties()
        login.setProperty("user", self.shared.get(_USER, ""))
        login.setProperty("password", self.shared.get(_PASSWORD, ""))
        try:
            connection = jvm.org.postgresql.Driver().connect(self.shared[_URL], login)
            connection.createStatement().execute(f"select pg_advisory_lock({_LOCK})")
            self._create_tables(jvm)
        except Py4JJavaError as error:
            reason = str(error.java_exception.getMessage()).split("\n", 1)[0]
            raise WatershedError(
                f"The metastore in PostgreSQL cannot be used: {reason}", f"Check {_URL} and the settings after it."
            ) from None
        try:
            yield
        finally:
            with contextlib.suppress(Exception):  # else it ends with the JVM
                connection.close()

    def _create_tables(self, jvm: JVMView) -> None:
        """Create all tables now, because Hive creates each on first use, within a transaction.

        A foreign key to a table written by that transaction would deadlock with it.
        """
        import pyspark

        [jar] = (Path(pyspark.__file__).parent / "jars").glob("hive-metastore-*.jar")
        with zipfile.ZipFile(jar) as archive:
            names = re.findall(r'<class name="(\w+)"', archive.read("package.jdo").decode())
        classes, settings = jvm.java.util.HashSet(), jvm.java.util.Properties()
        for name in names:
            classes.add(f"org.apache.hadoop.hive.metastore.model.{name}")
        for name, value in (_OF_HIVE | {f"{_PREFIX}DriverName": _DRIVER} | dict(self.shared)).items():
            settings.setProperty(name, value)
        factory = jvm.javax.jdo.JDOHelper.getPersistenceManagerFactory(settings)
        try:
            factory.getNucleusContext().getStoreManager().createSchemaForClasses(classes, jvm.java.util.Properties())
        finally:
            factory.close()


def metastore_of(home: Home) -> Metastore:
    """Return the metastore in conf/hive-site.xml, else Derby.

    Raises:
        WatershedError: it is another database than PostgreSQL, or others may read its password.
    """
    properties = properties_of(home.hive_site)
    url = properties.get(_URL)
    if not url:
        return Metastore(str(home.metastore))
    if not url.startswith("jdbc:postgresql:"):
        raise WatershedError(
            f"{home.hive_site}: {_URL} names another database; expected jdbc:postgresql://host:port/database.",
            "See: docs/cluster.md",
        )
    check_mode(home.hive_site)
    return Metastore(str(home.metastore), {name: properties.get(name, "") for name in (_URL, _USER, _PASSWORD)})
