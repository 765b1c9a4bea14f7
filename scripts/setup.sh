#!/bin/sh
# Creates .venv, or names the missing program and how to install it. Called by `make setup`.
set -eu
say() { printf '%s\n' "$@" >&2; exit 1; }

python_help="On Debian 12: apt-get install python3.11 python3.11-venv; elsewhere: make setup PYTHON=/path/to/python3.11"
wanted=$PYTHON
found="" others=""
for PYTHON in "$wanted" python3.12 python3.13 python3; do
    version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in
        3.11 | 3.12 | 3.13) found=$version && break ;;
        *) others="$others $(command -v "$PYTHON") is Python $version;" ;;
    esac
done
[ -n "$found" ] \
    || say "Python 3.11, 3.12 or 3.13 is required;${others:- none was found;}"\
" looked for $wanted, python3.12, python3.13 and python3." "$python_help"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null \
    || say "$(command -v "$PYTHON") has no venv module." "On Debian 12: apt-get install python$found-venv"
java_help="On Debian 12: apt-get install openjdk-17-jre-headless; or set JAVA_HOME to the folder of a Java 17."
java_command=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java_command" >/dev/null 2>&1 \
    || say "Java 17 is required; $java_command was not found." "$java_help"
# openjdk version "17.0.12" 2024-07-16; before Java 9: "1.8.0_412"
java_version=$("$java_command" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
case $java_version in
    17 | 21) ;;
    *) say "Java 17 (or 21) is required; $(command -v "$java_command") is Java ${java_version:-of an unknown version}." \
           "$java_help" ;;
esac

echo "Python $found: $(command -v "$PYTHON"); Java $java_version: $(command -v "$java_command")"
echo "Installing into .venv (a few minutes the first time) ..."
[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
echo "Fetching the Delta jars (once) ..."
.venv/bin/python -m watershed.server.jars
touch .venv/.complete
echo "Ready: .venv/bin/watershed and .venv/bin/dbt."
