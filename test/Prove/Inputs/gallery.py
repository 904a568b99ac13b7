"""Asks for a proof of every operator of examples/combiners, in one process.

usage: gallery.py COMBINERS WORKDIR [--option=NAME=VALUE ...] [--readme README.md [--write]]

Compares the verdicts with those that the files say (`// VERDICT:`), and the counterexamples
with what a scan of them is, by the interpreter. With --readme, compares the table of all
operators there with the files; --write writes it.
"""

import argparse
import os
import re
import resource
import subprocess
import sys

import numpy as np

import triples

MIN_DECIDED = (33, 36)  # of so many
VERDICTS = {"proved": "proved exactly", "proved_up_to_rounding": "proved up to rounding",
            "refuted": "refuted", "unknown": "unknown"}
COUNTEREXAMPLE = re.compile(r"is not associative: with a = (.*), b = (.*), c = (.*): "
                            r"\(a∘b\)∘c = (.*) but a∘\(b∘c\) = (.*)")


class Operator:
    """One file: its text, what it is, and the verdict that it says."""

    def __init__(self, folder, file):
        self.name = os.path.splitext(file)[0]
        with open(os.path.join(folder, file), encoding="utf-8") as stream:
            self.text = stream.read()
        comment = [line[3:] for line in self.text.split("\n") if line.startswith("// ")]
        self.verdict = comment.pop().removeprefix("VERDICT: ")
        self.what = " ".join(comment)
        assert self.verdict in VERDICTS.values(), f"{file}: {self.verdict}"
        assert f"@{self.name}(" in self.text, file


def prove(texts, work, options):
    """Of each program with one function: its verdict, and the first line of what is said of it."""
    path = os.path.join(work, "module.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(texts))
    starts = np.cumsum([1] + [text.count("\n") + 1 for text in texts])
    words = " ".join(["refuted=warning", *options])
    done = subprocess.run(["scan-opt", path, f"--scan-prove-associativity={words}"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    verdicts = re.findall(r'scan\.associativity = "(\w+)"', done.stdout)
    if len(verdicts) != len(texts):
        sys.exit(f"{len(verdicts)} verdicts for {len(texts)} operators\n{done.stderr[-4000:]}")
    said = [""] * len(texts)
    for line, message in re.findall(r"module\.mlir:(\d+):\d+: (?:remark|warning): (.*)", done.stderr):
        place = int(np.searchsorted(starts, int(line), side="right")) - 1
        said[place] = said[place] or message
    return [(VERDICTS[verdict], message) for verdict, message in zip(verdicts, said)]


def first_sentence(text):
    """Without references: brackets with a year in them."""
    text = re.sub(r" \([^()]*(\([^()]*\))?[^()]*\b(19|20)\d\d[^()]*\)|, arXiv:[\d.]+", "", text)
    return re.match(r".*?[.:](?= |$)(?<!al\.)", text)[0].rstrip(".:")


def make_table(operators):
    names = {operator.name for operator in operators}
    link = lambda match: f"[{match[0]}]({match[0]}.mlir)" if match[0] in names else match[0]
    rows = ["| Operator | What it is | Verdict |", "|---|---|---|"]
    for operator in sorted(operators, key=lambda op: (op.verdict == "refuted", op.name)):
        what = first_sentence(re.sub(r"^Wrong( where .*?)?: ", "", operator.what)).replace("|", "\\|")
        what = re.sub(r"(?<!:)\b[a-z]+(_[a-z]+)+\b", link, what)
        rows.append(f"| [{operator.name}]({operator.name}.mlir) | {what[0].upper() + what[1:]} | {operator.verdict} |")
    return "\n".join(rows) + "\n"


def check_readme(path, operators, write):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    new = re.sub(r"\| Operator \|.*?\n\n", lambda _: make_table(operators) + "\n", text, flags=re.S)
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != text:
        print(f"{path}: the table is not that of the files; gallery.py --readme {path} --write")
        return 1
    return 0


def processor_seconds():
    """Of all programs that have run so far, solvers among them: other work on the machine
    does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("work")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--readme")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    operators = [Operator(options.folder, file) for file in sorted(os.listdir(options.folder))
                 if file.endswith(".mlir")]
    problems = check_readme(options.readme, operators, options.write) if options.readme else 0

    begin = processor_seconds()
    answers = prove([operator.text for operator in operators], options.work, options.option)
    seconds = processor_seconds() - begin
    decided = 0
    for operator, (verdict, message) in zip(operators, answers):
        decided += verdict != "unknown"
        if verdict not in (operator.verdict, "unknown"):
            problems += 1
            print(f"{operator.name}: expected '{operator.verdict}', found '{verdict}': {message}")
        elif verdict == "unknown":
            print(f"{operator.name}: unknown: {message}")
        elif verdict == "refuted":
            states = COUNTEREXAMPLE.search(message)
            wrong = triples.replay(operator.text, states.groups(), options.work) if states else message
            if wrong:
                problems += 1
                print(f"{operator.name}: {wrong}")
    refuted = sum(operator.verdict == "refuted" for operator in operators)
    wrong_unknown = [operator.name for operator, (verdict, _) in zip(operators, answers)
                     if operator.verdict == "refuted" and verdict == "unknown"]
    if wrong_unknown:
        problems += 1
        print("not refuted:", ", ".join(wrong_unknown))
    if decided * MIN_DECIDED[1] < MIN_DECIDED[0] * len(operators):
        problems += 1
    print(f"{len(operators)} operators, {refuted} of them wrong, {decided} decided, {seconds:.1f} s, {problems} problems")
    sys.exit(problems > 0)


if __name__ == "__main__":
    main()
