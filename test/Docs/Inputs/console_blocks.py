"""Runs the command lines of a Markdown document and compares their output.

usage: console_blocks.py [--complete] CHECKOUT BUILD WORK_FOLDER DOCUMENT...

In a block between ```console and ```, a line that starts with `$ ` is a command
(a trailing backslash and an open quote continue it) and the lines up to the next command are what
it prints, where a line `...` stands for any lines, and `...` within a line for
anything. Commands run with bash in WORK_FOLDER, which looks like the checkout.
`make TARGET` is not run, the tests themselves being below it: the target has to
exist. Blocks of sh, bash or shell are refused: nothing would check them.

A block ```LANGUAGE file=PATH is a file, written to WORK_FOLDER before the commands
run. With --complete every block of a document has to be such a file, whose folder or
name occurs in a command, or commands.
"""

import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w*)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block):
    """Yields (offset of its line, command, expected lines)."""
    lines, i = block.split("\n")[:-1], 0
    while i < len(lines):
        start, command = i, lines[i]
        if not command.startswith("$ "):
            raise ValueError(f"expected a line that starts with '$ ', found '{command}'")
        while command.endswith("\\") or command.count("'") % 2:
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


def write_files(text, work):
    """Writes the files that the document has in blocks of their own."""
    for match in BLOCK.finditer(text):
        _, path, contents = match.groups()
        if not path:
            continue
        if os.path.islink(os.path.join(work, path.split("/")[0])):
            raise ValueError(f"{path} is in the checkout")
        os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
        with open(os.path.join(work, path), "w", encoding="utf-8") as file:
            file.write(contents)


def unused_blocks(text):
    """The blocks that are neither commands nor files that a command names."""
    lines = "\n".join(block[3] for block in BLOCK.finditer(text) if block[1] == "console")
    for match in BLOCK.finditer(text):
        language, path, _ = match.groups()
        if (path.split("/")[0] not in lines) if path else language != "console":
            yield text.count("\n", 0, match.start()) + 2, f"a block of {language} that no command uses"


def run_command(command, expected, checkout, work):
    """Returns what is wrong with the command, or None."""
    if command.startswith("make "):
        return None if make_target_exists(command, checkout) else f"no such target: {command}"
    run = subprocess.run(
        ["bash", "-c", command], cwd=work, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = run.stdout if run.stdout.endswith("\n") or not run.stdout else run.stdout + "\n"
    # A command that is shown to fail shows its message.
    failed = run.returncode != 0 and "error:" not in "\n".join(expected)
    if failed or not matches(expected, output):
        return (f"{command}\nexit status {run.returncode}, printed:\n"
                + output + "instead of:\n" + "\n".join(expected))
    return None


def main():
    arguments = sys.argv[1:]
    complete = arguments[0] == "--complete"
    checkout, build, work, *documents = arguments[complete:]
    os.makedirs(work)
    for name in os.listdir(checkout):
        if not name.startswith("build") and name != ".git":
            os.symlink(os.path.join(checkout, name), os.path.join(work, name))
    os.symlink(build, os.path.join(work, "build"))
    count = failures = 0
    for document in documents:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        write_files(text, work)
        wrong = list(unused_blocks(text)) if complete else []
        for match in BLOCK.finditer(text):
            first = text.count("\n", 0, match.start()) + 2
            if match[1] in ("sh", "bash", "shell"):
                wrong.append((first, f"a block of {match[1]}: use console"))
            if match[1] != "console":
                continue
            for offset, command, expected in commands(match[3]):
                count += 1
                message = run_command(command, expected, checkout, work)
                if message:
                    wrong.append((first + offset, message))
        for line, message in wrong:
            print(f"{os.path.basename(document)}:{line}: {message}")
        failures += len(wrong)
    print(f"{count} commands, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
