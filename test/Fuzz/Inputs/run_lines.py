"""Runs the RUN lines of a test as lit would, except for what lit alone knows.

usage: run_lines.py TEST.mlir
"""

import subprocess
import sys

path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    commands = [line.split("RUN:", 1)[1].strip() for line in file if line.startswith("// RUN:")]
for command in commands:
    command = command.replace("%s", path).replace("%t", path + ".tmp")
    subprocess.run(["bash", "-o", "pipefail", "-c", command], check=True)
print(f"{len(commands)} commands passed")
