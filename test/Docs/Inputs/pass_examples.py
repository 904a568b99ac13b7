"""The examples of passes in TableGen descriptions: a program before and after.

In the description of a pass, or of an operation of a transform script, which
--transform-interpreter carries out, a block of mlir that follows a line

    After `--the-pass=option=1`:

is what these options of scan-opt make of the block of mlir before it that has no
such line. Both are compared as scan-opt prints them, so that names do not matter.
A line `// ...` in the second stands for any lines, `...` within a line for
anything; the rest is then compared line by line with what is printed, without
indentation. A block of `generic` before the pass has operations of unknown dialects,
which the options allow. A block without a language is a message: an error that has to occur.
"""

import re
import subprocess
import textwrap

PASS = re.compile(
    r'^def \w+\s*:\s*(?:(?:Interface)?Pass<"(?P<pass>[\w-]+)"'
    r'|Scan_(?:Each|InPlace)TransformOp<"(?P<each>\w+)"|Op<Transform_Dialect, "scan\.(?P<op>\w+)")',
    re.MULTILINE)
BLOCK = re.compile(r"(?:After `(?P<options>[^`]+)`:\s*?\n\s*?\n)?"
                   r"^[ \t]*```(?P<language>\w*)\n(?P<text>.*?)^[ \t]*```$",
                   re.MULTILINE | re.DOTALL)


def scan_opt(text, *options):
    return subprocess.run(["scan-opt", *options], input=text, capture_output=True, text=True)


def pairs(text):
    """Yields (pass, offset, before, options, language, after) of a TableGen file,
    and (pass, offset, None, ...) for a pass without an example."""
    passes = list(PASS.finditer(text))
    for match, following in zip(passes, passes[1:] + [None]):
        end = following.start() if following else len(text)
        before, found = None, False
        operation = match["each"] or match["op"]
        name = f"transform.scan.{operation}" if operation else f"--{match['pass']}"
        needed = "--transform-interpreter" if operation else name
        for block in BLOCK.finditer(text, match.start(), end):
            source = textwrap.dedent(block["text"])
            if block["options"] is None:
                before = source if block["language"] in ("mlir", "generic") else before
            elif before is not None:
                names = [option.split("=")[0] for option in block["options"].split()]
                found |= needed in names and (not operation or name in before)
                yield name, block.start("text"), before, block["options"], block["language"], source
        if not found:
            yield name, match.start(), None, None, None, None


def lines_pattern(expected):
    """A regular expression for whole lines, of text in which `...` is anything."""
    parts = []
    for line in expected.splitlines():
        if line.strip() == "// ...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.strip().split("..."))) + r"\n")
    return "".join(parts)


def wrong(before, options, language, after):
    """What is wrong with the example, or None."""
    run = scan_opt(before, *options.split())
    if language == "":
        message = re.escape(" ".join(after.split())).replace(re.escape("..."), ".*?")
        if run.returncode == 0 or not re.search(message, " ".join(run.stderr.split())):
            return f"expected the message\n{after}found\n{run.stderr}"
        return None
    if run.returncode != 0:
        return run.stderr
    if "..." in after:
        printed = "".join(line.strip() + "\n" for line in run.stdout.splitlines())
        if not re.search("^" + lines_pattern(after), printed, re.MULTILINE):
            return f"expected these lines\n{after}in\n{run.stdout[:8000]}"
        return None
    expected = scan_opt(after)
    if expected.returncode != 0:
        return expected.stderr
    if expected.stdout != run.stdout:
        return f"expected\n{expected.stdout}found\n{run.stdout}"
    return None
