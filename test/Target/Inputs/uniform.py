"""Words that ptxas may take apart wrongly: halves of what is the same in a warp.

ptxas keeps such words in uniform registers and loses the second half of some
(lib/Target/UniformHalves.h). `check` finds them in PTX as LLVM prints it.
"""

import re

KERNEL = re.compile(r"\.entry (\w+)\((.*?)\n}\n", re.S)
INSTRUCTION = re.compile(r"\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+(.+);$")
REGISTER = re.compile(r"%[a-z]+\d+\b")
THREAD = re.compile(r"%(?:tid|laneid|lanemask)")
NO_RESULT = re.compile(r"st\.|bar|bra|ret|red\.|membar|fence")
SPLIT = re.compile(r"mov\.b(?:32|64)$")
VECTOR = re.compile(r"ld\.\S*v[248]\.b(?:8|16)$")


def instructions(body):
    """Operation, operands and registers: those written and those read."""
    for line in body.splitlines():
        match = INSTRUCTION.match(line)
        if not match or NO_RESULT.match(match.group(1)):
            continue
        operation, operands = match.groups()
        end = operands.find("}" if operands.startswith("{") else ",") + 1
        target, source = operands[:end], operands[end:]
        yield operation, operands, REGISTER.findall(target), source


def same_for_warp(operation):
    return operation.startswith(("vote", "redux", "activemask"))


def read_by(operation, source):
    """The registers that decide whether a result is the same for a warp."""
    if operation.startswith("shfl.sync.idx"):
        source = source.split(",")[1]  # The lane.
    return REGISTER.findall(source)


def check_kernel(name, body):
    code = list(instructions(body))
    differing, size = set(), -1
    while size != len(differing):
        size = len(differing)
        for operation, _, targets, source in code:
            if same_for_warp(operation):
                continue
            if (THREAD.search(source) or operation.startswith(("atom", "ld.local"))
                    or not differing.isdisjoint(read_by(operation, source))):
                differing.update(targets)
    for operation, operands, targets, source in code:
        registers = REGISTER.findall(source)
        if SPLIT.match(operation) and operands.startswith("{"):
            if (all(target.startswith("%rs") for target in targets)
                    and differing.isdisjoint(registers)):
                yield f"{name}: halves of one word for a warp: {operation} {operands}"
        elif VECTOR.match(operation) and differing.isdisjoint(registers):
            yield f"{name}: halves that a warp loads at once: {operation} {operands}"


def check(ptx):
    """Yields the places where a word that is the same in a warp is taken apart."""
    for name, body in KERNEL.findall(ptx):
        yield from check_kernel(name, body)
