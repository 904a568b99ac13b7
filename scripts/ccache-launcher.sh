#!/bin/sh
# Runs the compiler through ccache where there is one. Paths below the checkout
# are hashed relative to it, so that a fresh clone finds what another built.
root=$(cd "$(dirname "$0")/.." && pwd)
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR=1
if command -v ccache >/dev/null 2>&1; then exec ccache "$@"; fi
exec "$@"
