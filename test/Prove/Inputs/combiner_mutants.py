"""Mutants of the operators of examples/combiners: each differs in one operand, constant or operation.

They are made of the text of a program: lines `%name = dialect.operation operands : type` of
a combine region.
"""

import re

# Operations that differ in how two values compare or combine, and predicates likewise.
RELATIVES = {
    "arith.addf": ["arith.subf", "arith.maximumf"],
    "arith.subf": ["arith.addf"],
    "arith.mulf": ["arith.addf", "arith.divf"],
    "arith.divf": ["arith.mulf"],
    "arith.maximumf": ["arith.minimumf", "arith.maxnumf", "arith.addf"],
    "arith.minimumf": ["arith.maximumf", "arith.minnumf"],
    "arith.minnumf": ["arith.minimumf", "arith.maxnumf"],
    "arith.addi": ["arith.subi", "arith.xori"],
    "arith.subi": ["arith.addi"],
    "arith.muli": ["arith.addi"],
    "arith.xori": ["arith.ori", "arith.addi"],
    "arith.andi": ["arith.ori", "arith.xori"],
    "arith.ori": ["arith.andi", "arith.xori"],
    "arith.minsi": ["arith.maxsi", "arith.minui"],
    "arith.maxsi": ["arith.minsi", "arith.maxui"],
    "arith.minui": ["arith.maxui", "arith.minsi"],
    "arith.shrui": ["arith.shli", "arith.shrsi"],
    "arith.shli": ["arith.shrui"],
    "arith.remui": ["arith.remsi", "arith.divui"],
    "complex.mul": ["complex.add"],
    "complex.add": ["complex.sub", "complex.mul"],
    "math.exp": ["math.absf"],
    "math.log1p": ["math.log"],
    "math.sqrt": ["math.absf"],
    "oge,": ["ogt,", "olt,"],
    "ogt,": ["oge,", "ugt,"],
    "uno,": ["ord,"],
    "slt,": ["sle,", "ult,"],
    "ult,": ["ule,", "slt,"],
    "uge,": ["ugt,", "sge,"],
    "eq,": ["ne,"],
}
COMMUTE = re.compile(r"arith\.(add[if]|mul[if]|andi|ori|xori|(min|max)(si|ui|imumf|numf))|complex\.(add|mul)")
LINE = re.compile(r"^(\s*%[\w, %]+ = )([\w.]+)( .*)$")
# What a constant of an index type says is how often a loop runs, or which element is meant.
CONSTANT = re.compile(r"(arith\.constant (?:dense<)?)(-?[0-9][0-9.e+]*)(>? : (?!index))")


def _swap_operands(match):
    """The two (of select: the last two) operands exchanged."""
    head, name, rest = match.groups()
    names = re.findall(r"%\w+", rest.split(":")[0])
    if name in ("arith.select", "scf.yield", "tensor.from_elements"):
        names = names[-2:]
    if len(names) != 2 or names[0] == names[1] or name.startswith(("tensor.extract", "linalg.")) or COMMUTE.fullmatch(name):
        return
    first, second = names
    yield head + name + re.sub(rf"{first}\b|{second}\b", lambda m: second if m[0] == first else first, rest)


def _other_element(match, arguments):
    """One operand that is an argument is the other element's."""
    head, name, rest = match.groups()
    for use in re.finditer(r"%\w+", rest.split(" : ")[0]):
        if use[0] not in arguments:
            continue
        other = use[0][:-1] + ("1" if use[0][-1] == "0" else "0")
        yield head + name + rest[: use.start()] + other + rest[use.end() :]


def _constants(line):
    for match in CONSTANT.finditer(line):
        before, number, after = match.groups()
        for value in (float(number) + 1, float(number) * 2) if "." in number else (int(number) + 1, int(number) - 1):
            yield line[: match.start()] + before + str(value) + after + line[match.end() :]


def _relatives(line):
    for word, others in RELATIVES.items():
        match = re.search(rf"(?<=[ ]){re.escape(word)}(?= )", line)
        for other in others if match else ():
            # What only integer addition says of itself.
            yield (line[: match.start()] + other + line[match.end() :]).replace(" overflow<nsw>", "")


def mutants(text):
    """(what was changed, the program) of each mutant of the program `text`, which has one scan."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if "^bb0(" in line)
    while not lines[start].endswith("):"):
        start += 1
    head = "\n".join(lines[: start + 1])
    arguments = set(re.findall(r"%\w+(?=:)", head[head.index("^bb0(") :]))
    end = next(i for i, line in enumerate(lines) if line.strip().startswith("scan.yield"))
    seen = {text}
    for i in range(start + 1, end):
        match = LINE.match(lines[i])
        found = list(_constants(lines[i])) + list(_relatives(lines[i]))
        if match:
            found += list(_swap_operands(match)) + list(_other_element(match, arguments))
        found.append(re.sub(r"ins\((%\w+), (%\w+) : (\S+), \3\)", r"ins(\2, \1 : \3, \3)", lines[i]))
        for line in found:
            program = "\n".join(lines[:i] + [line] + lines[i + 1 :])
            if program not in seen:
                seen.add(program)
                yield f"{lines[i].strip()} -> {line.strip()}", program
