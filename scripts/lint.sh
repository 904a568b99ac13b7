#!/bin/bash
# usage: scripts/lint.sh format
#        scripts/lint.sh check FOLDER JOBS
# `format` rewrites the C and C++ sources. `check` fails if a source is not formatted,
# if clang-tidy finds something (in the files that differ from main, with ALL=1
# in all), if an #include points up the layers, or if a file is too long.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.c' '*.cpp' '*.h')
case $1 in
  format)
    clang-format-22 -i "${sources[@]}"
    echo "formatted ${#sources[@]} files"
    exit ;;
  check) folder=$2 jobs=$3 ;;
  *) echo "lint.sh: unknown command $1" >&2; exit 2 ;;
esac

status=0
echo "clang-format: ${#sources[@]} files"
clang-format-22 --dry-run -Werror "${sources[@]}" || status=1

echo "layers"
.venv/bin/python scripts/check_layers.py || status=1

echo "length"
for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  if [ "$lines" -gt 600 ]; then
    echo "$file: $lines lines; a file has 600 at most: split it"
    status=1
  fi
done

# What differs from main: on a branch its own changes, on main itself those that
# are not committed.
if [ -n "${ALL:-}" ]; then
  changed=("${sources[@]}")
else
  base=$(git merge-base HEAD main 2>/dev/null || git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
  mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h'
                           git ls-files --others --exclude-standard '*.cpp' '*.h'; } | sort -u)
fi
# clang-tidy sees headers through the sources that include them.
mapfile -t units < <(printf '%s\n' ${changed[@]+"${changed[@]}"} | grep '\.cpp$' || true)
echo "clang-tidy: ${#units[@]} files"
if [ "${#units[@]}" -gt 0 ]; then
  printf '%s\n' "${units[@]}" |
    xargs -P "$jobs" -I '{}' sh -c 'echo "  {}"; clang-tidy-22 --quiet -p "$0" "{}" 2>/dev/null' "$folder" ||
    status=1
fi

if [ "$status" -eq 0 ]; then echo "lint: clean"; else echo "lint: see above"; fi
exit "$status"
