"""Changes a manifest.

usage: edit_json.py FROM TO STATEMENT

STATEMENT is run with the manifest as `m` and its first function as `f`.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    m = json.load(file)
f = m["functions"][0]
exec(sys.argv[3])
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(m, file)
