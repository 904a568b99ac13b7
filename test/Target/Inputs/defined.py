"""Registers of PTX that are read where nothing was written to them, on some way through the code.

usage: defined.py PTX...        prints these, and how many functions there were

LLVM does not verify what its backend gets from us, and ptxas takes any value for such a register.
"""

import re
import sys

REGISTER = re.compile(r"%(?:p|rs|r|rd|f|fd|rq)\d+\b")
#: Instructions whose first operand is read.
READS_ALL = ("st.", "red.", "bra", "bar.", "barrier", "mbarrier.init", "mbarrier.inval", "cp.async",
             "prefetch", "fence", "membar", "ret", "trap", "call", "nanosleep")


class Block:
    def __init__(self):
        self.lines, self.targets, self.falls = [], [], True


def split(lines):
    """Basic blocks, in their order, and the number of each label."""
    blocks, labels = [Block()], {}
    for line in lines:
        label = re.match(r"([$\w]+):", line)
        if label:
            blocks.append(Block())
            labels[label[1]] = len(blocks) - 1
            continue
        blocks[-1].lines.append(line)
        operation = re.sub(r"^@!?%p\d+\s+", "", line)
        if re.match(r"bra|brx|ret|exit|trap", operation):
            blocks[-1].targets += re.findall(r"\$[\w$]+", operation)
            blocks[-1].falls = line.startswith("@")
            blocks.append(Block())
    return blocks, labels


def list_instructions(function):
    """Instructions and labels, also of several in braces on a line."""
    for line in function.splitlines():
        line = line.split("//")[0].replace("\t", " ").strip()
        parts = line[1:-1].split(";") if line.startswith("{") else [line]
        yield from (part.strip() for part in parts
                    if part.strip() and not part.strip().startswith((".", ")", "}")))


def parse(line):
    """The registers that a line reads, and those that it writes."""
    guard = re.match(r"@!?(%p\d+)\s+", line)
    reads, writes = ([guard[1]] if guard else []), []
    line = line[guard.end():] if guard else line
    operation, _, operands = line.partition(" ")
    target = re.match(r"\s*(\{[^}]*\}|[^,]*)", operands)[0]
    if not operation.startswith(READS_ALL) and not target.strip().startswith("["):
        writes = REGISTER.findall(target)
        operands = operands[len(target):]
    return reads + REGISTER.findall(operands), writes


def find_undefined(text):
    """[(function, register, line)] of registers that need not have been written to."""
    found = []
    for function in re.split(r"(?m)^(?=.*\.(?:entry|func)\b)", text)[1:]:
        name = re.search(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", function)[1]
        blocks, labels = split(list_instructions(function))
        before = [[] for _ in blocks]
        for number, block in enumerate(blocks):
            following = [labels[target] for target in block.targets if target in labels]
            if block.falls and number + 1 < len(blocks):
                following.append(number + 1)
            for other in following:
                before[other].append(number)
        numbers = {}
        accesses = [[parse(line) for line in block.lines] for block in blocks]
        bit = lambda register: 1 << numbers.setdefault(register, len(numbers))
        written = [sum({bit(register) for _, writes in of_block for register in writes})
                   for of_block in accesses]
        everything = (1 << len(numbers)) - 1
        known = [0 if number == 0 else everything for number in range(len(blocks))]
        changed = True
        while changed:
            changed = False
            for number in range(1, len(blocks)):
                new = everything
                for other in before[number]:
                    new &= known[other] | written[other]
                if new != known[number]:
                    known[number], changed = new, True
        for block, of_block, there in zip(blocks, accesses, known):
            for line, (reads, writes) in zip(block.lines, of_block):
                # What is moved need not be used: parts of a word of which others count.
                if not re.match(r"(@!?%p\d+\s+)?(mov|prmt)", line):
                    for register in reads:
                        if not there & bit(register):
                            found.append((name, register, line))
                            there |= bit(register)
                for register in writes:
                    there |= bit(register)
    return found


def check(text):
    """What is wrong with the PTX `text`, line by line."""
    return [f"{name}: nothing need have written to {register}: {line}"
            for name, register, line in find_undefined(text)]


def main():
    functions = problems = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        functions += len(re.findall(r"(?m)^.*\.(?:entry|func)\b", text))
        for problem in check(text):
            problems += 1
            print(f"{path}: {problem}")
    print(f"{functions} functions, {problems} registers that nothing need have written to")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
