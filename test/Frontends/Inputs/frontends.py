"""Runs the commands of docs/frontends.md, section by section, and compares with NumPy.

usage: frontends.py CHECKOUT BUILD WORK_FOLDER [--samples]

A section whose tools are there is run as it stands. Of another one, and of all with --samples,
the commands of this project are run, on what the tools have printed before (samples/).
"""

import os
import pathlib
import re
import shutil
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Docs" / "Inputs"))
import console_blocks  # noqa: E402


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def gated(x, g):
    return numpy.cumsum(x * sigmoid(g), axis=1)


def loop(x, g):
    states, h = [], numpy.zeros(x.shape[1:])
    for a, b in zip(x, g):
        h = a * h + b
        states.append(h)
    return numpy.stack(states)


# What a section computes.
EXPECTED = {
    "TOSA": gated, "StableHLO": gated, "Loops of StableHLO": loop, "PyTorch": gated,
    "IREE": lambda x, g: numpy.cumsum(x, axis=1) - x,
}


def missing(command):
    """Why a command of others cannot be run; None if it can, or is of this project."""
    tool, *arguments = command.split()
    if tool.startswith("build/bin/"):
        return None
    if tool != "python":
        return None if shutil.which(tool) else f"no {tool} in PATH"
    source = (HERE.parents[2] / arguments[0]).read_text(encoding="utf-8")
    for name in re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE):
        if console_blocks.subprocess.call([shutil.which("python"), "-c", f"import {name}"],
                                          stderr=console_blocks.subprocess.DEVNULL):
            return f"no module {name} in Python"
    return None


def run_section(title, text, checkout, work, with_tools):
    """Returns how the section was run, and what is wrong with it, or None."""
    commands = [(command, expected) for match in console_blocks.BLOCK.finditer(text)
                for _, command, expected in console_blocks.commands(match[3])]
    lacking = [reason for command, _ in commands if (reason := missing(command))]
    foreign = any(not command.startswith("build/") for command, _ in commands)
    how = "with its tools"
    if foreign and (lacking or not with_tools):
        how = f"on a sample ({lacking[0] if lacking else 'asked for'})"
        commands = [pair for pair in commands if pair[0].startswith("build/")]
        name = commands[0][0].split()[1]
        shutil.copy(HERE / "samples" / name, work / name)
    output = work / "y.npy"
    output.unlink(missing_ok=True)
    for command, expected in commands:
        if wrong := console_blocks.run_command(command, expected, checkout, work):
            return how, wrong
    x, g = (numpy.load(work / f"{name}.npy").astype(numpy.float64) for name in "xg")
    found, expected = numpy.load(output), EXPECTED[title](x, g)
    if found.shape != expected.shape or found.dtype != numpy.float32:
        return how, f"expected {expected.shape}, found {found.shape} of {found.dtype}"
    error = numpy.abs(found - expected).max()
    # Sums of 64 numbers below 1: some roundings of the largest one.
    return how, f"differs from NumPy by {error}" if not error < 1e-5 else None


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--samples"]
    checkout, build, work = map(pathlib.Path, arguments)
    work.mkdir(parents=True)
    for name in ("examples", "docs"):
        (work / name).symlink_to(checkout / name)
    (work / "build").symlink_to(build)
    generator = numpy.random.default_rng(7)
    for name in "xg":
        numpy.save(work / f"{name}.npy", generator.uniform(-1, 1, (4, 64)).astype(numpy.float32))
    document = (checkout / "docs" / "frontends.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## (.*)\n", document, flags=re.MULTILINE)
    titles, failures = sections[::2], 0
    for title, text in zip(titles, sections[1::2]):
        how, wrong = run_section(title, text, checkout, work, "--samples" not in sys.argv)
        failures += wrong is not None
        print(f"{title}: {how}: {wrong or 'as NumPy'}", flush=True)
    if titles != list(EXPECTED):
        sys.exit(f"expected the sections {list(EXPECTED)}, found {titles}")
    print(f"{len(titles)} sections, {failures} failures")


if __name__ == "__main__":
    os.environ.update(JAX_PLATFORMS="cpu", PYTHONWARNINGS="ignore")
    main()
