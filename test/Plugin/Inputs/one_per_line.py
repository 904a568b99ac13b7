"""Prints the numbers of an array that scan-run printed, one per line."""

import re
import sys

header, array = sys.stdin.read().split("\n", 1)
assert header.startswith("result 0: "), header
for number in re.findall(r"-?[0-9]+", array):
    print(number)
