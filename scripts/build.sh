#!/bin/bash
# usage: scripts/build.sh PRESET FOLDER JOBS
# Configures FOLDER with the CMake preset PRESET if that is still to be done, and
# builds. Ninja configures again by itself when a CMake file has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 folder=$2 jobs=$3

# CMake refuses a folder that was configured for another checkout.
if [ -f "$folder/CMakeCache.txt" ] &&
   ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
  echo "build.sh: $folder was configured for another checkout: removed"
  rm -rf "$folder"
fi
if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
  cmake --preset "$preset" -S . -B "$folder"
fi
exec cmake --build "$folder" -- -j"$jobs"
