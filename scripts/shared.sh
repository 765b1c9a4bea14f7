#!/bin/sh
# Installs what several machines share in tests, where it is not: PostgreSQL, and versitygw, a server of the S3 API.
# Called by `make test-cluster`.
set -eu
gateway=.venv/share/watershed
if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    as_root=$([ "$(id -u)" = 0 ] || echo "sudo -n")
    if ! command -v apt-get >/dev/null 2>&1 || ! $as_root true 2>/dev/null; then
        printf '%s\n' "PostgreSQL is missing, and cannot be installed from here (no apt-get, or no right to use it)." \
            "As root: apt-get install postgresql" >&2
        exit 1
    fi
    echo "Installing PostgreSQL ..."
    $as_root apt-get update --quiet=2
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends postgresql >/dev/null
fi
if [ ! -x "$gateway/versitygw" ]; then
    if ! command -v go >/dev/null 2>&1; then
        printf '%s\n' "Go is missing: it builds versitygw, a server of the S3 API." \
            "Install Go 1.25 or later, or put the program versitygw into $gateway" >&2
        exit 1
    fi
    echo "Building versitygw (some minutes, once) ..."
    GOBIN="$PWD/$gateway" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
fi
