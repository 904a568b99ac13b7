"""Runs the commands in the comments of the examples as they stand there.

usage: commands.py EXAMPLES WORKDIR
"""

import os
import re
import shlex
import subprocess
import sys

examples, work = sys.argv[1:]
os.makedirs(work, exist_ok=True)
count = 0
for name in sorted(os.listdir(examples)):
    if not name.endswith(".mlir"):
        continue
    text = open(os.path.join(examples, name)).read()
    commands = re.findall(r"^//   (scan-(?:run|opt) (?:.*\\\n)*.*)", text, re.M)
    # A transform script is run with the program that it is for.
    if not commands and "transform.named_sequence" not in text:
        sys.exit(f"{name} does not say how to run it")
    for command in commands:
        words = shlex.split(re.sub(r"\\\n// *", "", command).replace("examples/", examples + "/"))
        done = subprocess.run(words, cwd=work, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {command}\n{done.stderr}")
        for word in words:
            if word.startswith("--output=") and not os.path.getsize(os.path.join(work, word[9:])):
                sys.exit(f"{name}: {word} is empty")
        count += 1
print(f"{count} commands ran")
