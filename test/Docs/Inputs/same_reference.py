"""Compares the reference that was built with the one in the checkout.

usage: same_reference.py BUILT CHECKED_IN
"""

import difflib
import os
import sys

built, checked_in = sys.argv[1:]


def read(folder):
    texts = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name] = file.read().splitlines()
    return texts


new, old = read(built), read(checked_in)
if not new:
    sys.exit(f"no reference in {built}: build the target scan-docs")
with open(built + ".problems", encoding="utf-8") as file:
    problems = file.read()
for name in sorted(set(new) | set(old)):
    for line in difflib.unified_diff(old.get(name, []), new.get(name, []),
                                     f"docs/reference/{name}", f"built/{name}", lineterm=""):
        print(line)
if problems:
    sys.exit(f"what the definitions do not say:\n{problems}")
if new != old:
    sys.exit("docs/reference is out of date: run `ninja -C build update-docs` and commit it")
print(f"{len(new)} files, equal")
