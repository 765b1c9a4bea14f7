"""Access control: the listening address, and the settings of passwords and TLS in hive-site.xml."""

from __future__ import annotations

import ipaddress
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from watershed.errors import WatershedError
from watershed.home import Home

LOOPBACK = "127.0.0.1"
ANY_ADDRESS = "0.0.0.0"
_AUTHENTICATION = "hive.server2.authentication"
_TLS = "hive.server2.use.SSL"
_KEYSTORE = "hive.server2.keystore.path"
# The setting that each kind of authentication requires.
_REQUIRED = {"LDAP": f"{_AUTHENTICATION}.ldap.url", "CUSTOM": "hive.server2.custom.authentication.class"}
# LDAP settings that Spark's copy of HiveServer2 reads; it ignores Hive's filters of users and groups.
_LDAP_READ = {f"{_AUTHENTICATION}.ldap.{name}" for name in ("url", "baseDN", "Domain", "userDNPattern")}
_OPEN = ("", "NONE")
_SHARED = 0o077
_SEE = "See: docs/connecting.md"


@dataclass(frozen=True)
class Access:
    """The listening address of the server, and how clients log in.

    Args:
        host: An IPv4 address of this machine.
        authentication: NONE, LDAP or CUSTOM; LDAP and CUSTOM imply TLS.
    """

    host: str = LOOPBACK
    authentication: str = "NONE"

    @property
    def is_guarded(self) -> bool:
        """Whether clients need a password, sent over TLS."""
        return self.authentication != "NONE"

    @property
    def client_host(self) -> str:
        """The address for clients on this machine."""
        return LOOPBACK if self.host == ANY_ADDRESS else self.host

    @property
    def settings(self) -> dict[str, str]:
        """The checked settings for Spark; they override those of other configuration files."""
        return {
            "spark.hadoop.hive.server2.thrift.bind.host": self.host,
            "spark.hadoop.hive.server2.transport.mode": "binary",
            f"spark.hadoop.{_AUTHENTICATION}": self.authentication,
            f"spark.hadoop.{_TLS}": str(self.is_guarded).lower(),
        }


def access_of(home: Home, host: str) -> Access:
    """Return the access configuration of the server of a home.

    Args:
        home: Its conf/hive-site.xml contains the settings of HiveServer2, if any.
        host: The address to listen on.

    Raises: WatershedError: the address is invalid, the settings are incomplete, or other machines could connect without
        a password.
    """
    site = home.hive_site
    properties = properties_of(site)
    authentication = properties.get(_AUTHENTICATION, "").upper()
    has_tls = properties.get(_TLS, "").lower() == "true"
    if authentication in _OPEN and not has_tls:
        if not _is_loopback(host):
            raise WatershedError(
                f"--host {host} lets other machines connect and run code on this one: expected passwords "
                f"and TLS, found none in {site}.",
                f"Configure them there, or omit --host and connect through SSH. {_SEE}",
            )
        return Access(host)
    _check_guard(site, properties, authentication, has_tls)
    _is_loopback(host)
    return Access(host, authentication)


def _check_guard(site: Path, properties: Mapping[str, str], authentication: str, has_tls: bool) -> None:
    if authentication not in _REQUIRED:
        raise WatershedError(
            f"{site}: {_AUTHENTICATION} is {authentication or 'missing'}; expected LDAP or CUSTOM.", _SEE
        )
    if not has_tls:
        raise WatershedError(
            f"{site}: {_AUTHENTICATION} is {authentication}, and {_TLS} is not true: passwords would be sent as text.",
            f"Set {_TLS} to true and {_KEYSTORE} to a keystore. {_SEE}",
        )
    for name in (_REQUIRED[authentication], _KEYSTORE):
        if not properties.get(name):
            raise WatershedError(f"{site}: {name} is missing, which {authentication} and TLS need.", _SEE)
    unread = [name for name in properties if name.startswith(f"{_AUTHENTICATION}.ldap.") and name not in _LDAP_READ]
    if unread:
        raise WatershedError(
            f"{site}: Spark ignores {', '.join(unread)}, so it would restrict no one.",
            f"Expected for LDAP: {', '.join(sorted(_LDAP_READ))}. For more, write an authenticator. {_SEE}",
        )
    keystore = Path(properties[_KEYSTORE])
    if not keystore.is_file():
        raise WatershedError(
            f"{site}: {_KEYSTORE} is {keystore}, which is not a file.", f"Create one with keytool. {_SEE}"
        )
    check_mode(site)


def check_mode(site: Path) -> None:
    """Check that only its user may read a file with secrets.

    Raises:
        WatershedError: others may read it.
    """
    mode = site.stat().st_mode & 0o777
    if mode & _SHARED:
        raise WatershedError(
            f"{site} may contain secrets, and its mode is {mode:o}; expected 600.", f"chmod 600 {site}"
        )


def properties_of(site: Path) -> dict[str, str]:
    """Return names and values of a Hadoop configuration file; empty if there is no file."""
    if not site.exists():
        return {}
    try:
        root = ET.parse(site).getroot()
    except ET.ParseError as error:
        raise WatershedError(f"{site} is not XML: {error}.", f"Correct it, or remove it. {_SEE}") from error
    return {
        (one.findtext("name") or "").strip(): (one.findtext("value") or "").strip() for one in root.iter("property")
    }


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.IPv4Address(host).is_loopback
    except ValueError as error:
        raise WatershedError(
            f"--host is {host!r}; expected an IPv4 address of this machine, or {ANY_ADDRESS} for all of them."
        ) from error
