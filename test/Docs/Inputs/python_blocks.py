"""Runs the ```python blocks of documents: each document is a program, in order.

A section about JAX starts anew, with arrays of its own. Prints how many blocks ran.
"""

import os
import re
import sys

import jax.numpy

for path in sys.argv[1:]:
    count, scope = 0, {}
    with open(path, encoding="utf-8") as file:
        sections = re.split(r"^## ", file.read(), flags=re.MULTILINE)
    for section in sections:
        if section.startswith("JAX"):
            scope = {name: jax.numpy.ones((2, 6, 3)) for name in ("a", "b", "elems")}
        for block in re.findall(r"^```python\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL):
            exec(compile(block, f"{path}: {section.splitlines()[0]}", "exec"), scope)
            count += 1
    if not count:
        sys.exit(f"{path} has no blocks of Python")
    print(f"{os.path.basename(path)}: {count} blocks ran")
