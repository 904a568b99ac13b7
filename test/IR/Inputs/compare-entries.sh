# Runs two functions of a program over the same inputs, by the interpreter, and
# compares their results bit for bit.
#
# usage: compare-entries.sh PROGRAM WORKDIR ENTRY ENTRY RESULTS INPUT...
#
# The numbers of results and the inputs are those of both.
set -eu
program=$1 work=$2 first=$3 second=$4 results=$5
shift 5
mkdir -p "$work"
inputs=()
for input in "$@"; do inputs+=("--input=$input"); done
for entry in "$first" "$second"; do
  outputs=()
  for ((i = 0; i < results; ++i)); do outputs+=("--output=$work/$entry.$i.npy"); done
  scan-run "$program" --entry="$entry" "${inputs[@]}" "${outputs[@]}"
done
for ((i = 0; i < results; ++i)); do
  cmp "$work/$first.$i.npy" "$work/$second.$i.npy"
done
echo "$results results agree"
