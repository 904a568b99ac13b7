"""Writes a manifest with another condition, a JSON text, for its first kernel.

usage: change_condition.py MANIFEST CHANGED CONDITION
"""

import json
import sys

source, target, condition = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    manifest = json.load(file)
kernel = manifest["functions"][0]["kernels"][0]
kernel["when"] = [json.loads(condition)]
with open(target, "w", encoding="utf-8") as file:
    json.dump(manifest, file)
