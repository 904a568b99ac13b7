"""Runs the command lines of a Markdown document and compares their output.

usage: console_blocks.py CHECKOUT BUILD WORK_FOLDER DOCUMENT...

In a block between ```console and ```, a line that starts with `$ ` is a command
(a trailing backslash continues it) and the lines up to the next command are what
it prints, where a line `...` stands for any lines, and `...` within a line for
anything. Commands run with bash in WORK_FOLDER, which looks like the checkout.
`make TARGET` is not run, the tests themselves being below it: the target has to
exist. Blocks of sh, bash or shell are refused: nothing would check them.
"""

import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block):
    """Yields (offset of its line, command, expected lines)."""
    lines, i = block.split("\n")[:-1], 0
    while i < len(lines):
        start, command = i, lines[i]
        if not command.startswith("$ "):
            raise ValueError(f"expected a line that starts with '$ ', found '{command}'")
        while command.endswith("\\"):
            i += 1
            command += "\n" + lines[i]
        i += 1
        expected = []
        while i < len(lines) and not lines[i].startswith("$ "):
            expected.append(lines[i])
            i += 1
        yield start, command[2:], expected


def matches(expected, output):
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ \t]*\n")
    return re.fullmatch("".join(parts), output) is not None


def make_target_exists(command, checkout):
    match = re.fullmatch(r"make ([a-z]+)(?: [A-Z]+=\S+)*(?:\s+#.*)?", command)
    with open(os.path.join(checkout, "Makefile"), encoding="utf-8") as file:
        return match and re.search(rf"^{match.group(1)}:", file.read(), re.MULTILINE)


def main():
    checkout, build, work, *documents = sys.argv[1:]
    os.makedirs(work)
    for name in os.listdir(checkout):
        if not name.startswith("build") and name != ".git":
            os.symlink(os.path.join(checkout, name), os.path.join(work, name))
    os.symlink(build, os.path.join(work, "build"))
    count = failures = 0
    for document in documents:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(document)
        for match in BLOCK.finditer(text):
            first = text.count("\n", 0, match.start()) + 2
            if match.group(1) in ("sh", "bash", "shell"):
                print(f"{name}:{first}: a block of {match.group(1)}: use console")
                failures += 1
            if match.group(1) != "console":
                continue
            for offset, command, expected in commands(match.group(2)):
                count += 1
                if command.startswith("make "):
                    if not make_target_exists(command, checkout):
                        print(f"{name}:{first + offset}: no such target: {command}")
                        failures += 1
                    continue
                run = subprocess.run(
                    ["bash", "-c", command], cwd=work, text=True, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                output = run.stdout if run.stdout.endswith("\n") or not run.stdout else run.stdout + "\n"
                # A command that is shown to fail shows its message.
                failed = run.returncode != 0 and "error:" not in "\n".join(expected)
                if failed or not matches(expected, output):
                    failures += 1
                    print(f"{name}:{first + offset}: {command}\nexit status {run.returncode}, printed:")
                    print(output + "instead of:\n" + "\n".join(expected))
    print(f"{count} commands, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
