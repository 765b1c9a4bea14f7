#!/bin/sh
# Makes .venv; says what is missing and how to get it. Called by `make setup`.
set -eu
say() { printf '%s\n' "$@" >&2; exit 1; }

command -v "$PYTHON" >/dev/null 2>&1 || PYTHON=python3
"$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null \
    || say "Python 3.11 is missing (looked for python3.11 and python3)." \
           "On Debian 12: apt-get install python3.11 python3.11-venv; elsewhere: make setup PYTHON=/path/to/python3.11"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null \
    || say "Python 3.11 has no venv module." "On Debian 12: apt-get install python3.11-venv"
java_command=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java_command" >/dev/null 2>&1 \
    || say "Java is missing (looked for $java_command)." \
           "On Debian 12: apt-get install openjdk-17-jre-headless; or set JAVA_HOME."

echo "Installing into .venv (a few minutes the first time) ..."
[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
echo "Fetching the Delta jars (once) ..."
.venv/bin/python -m watershed.jars
touch .venv/.complete
echo "Ready: .venv/bin/watershed and .venv/bin/dbt."
