#!/bin/sh
# Installs Chromium where there is none: the tests of pages need it. Called by `make browser`.
set -eu
for name in chromium chromium-browser google-chrome; do
    ! command -v "$name" >/dev/null 2>&1 || exit 0
done
as_root=$([ "$(id -u)" = 0 ] || echo "sudo -n")
if ! command -v apt-get >/dev/null 2>&1 || ! $as_root true 2>/dev/null; then
    printf '%s\n' "Chromium is missing, and cannot be installed from here (no apt-get, or no right to use it)." \
        "As root: apt-get install chromium" >&2
    exit 1
fi
echo "Installing Chromium ..."
$as_root apt-get update --quiet=2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends chromium >/dev/null
