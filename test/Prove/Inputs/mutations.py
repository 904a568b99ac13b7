"""Asks for proofs of mutants of the associative operators of examples/combiners.

usage: mutations.py COMBINERS WORKDIR [--every=N --seed=S] [--option=NAME=VALUE ...]

One that is proved has to be associative: 100,000 triples agree by the interpreter. All others
are refuted, or unknown.
"""

import argparse
import os
import sys
import time
from collections import Counter

from combiner_mutants import mutants
from gallery import Operator, prove
from triples import count_disagreements

TRIPLES = 100_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("work")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    chosen, count = [], 0
    for file in sorted(os.listdir(options.folder)):
        if not file.endswith(".mlir"):
            continue
        operator = Operator(options.folder, file)
        if operator.verdict == "refuted":
            continue
        for what, text in mutants(operator.text):
            count += 1
            if (count + options.seed) % options.every == 0:
                # All are one module.
                name = f"{operator.name}_{count}"
                chosen.append((name, what, text.replace(f"@{operator.name}(", f"@{name}(")))
    begin = time.monotonic()
    answers = prove([text for _, _, text in chosen], options.work, options.option)
    seconds = time.monotonic() - begin
    verdicts, problems = Counter(), 0
    for (name, what, text), (verdict, message) in zip(chosen, answers):
        verdicts[verdict.split()[0]] += 1
        if not verdict.startswith("proved"):
            continue
        exact = verdict == "proved exactly"
        wrong, example = count_disagreements(text, exact, TRIPLES, options.seed, options.work)
        if wrong:
            problems += 1
            print(f"{name}: {what}\n  {message}\n  but {wrong} triples disagree: {example}")
    shown = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in ("refuted", "proved", "unknown"))
    print(f"{len(chosen)} of {count} mutants: {shown}, {seconds:.1f} s, {problems} problems")
    sys.exit(problems > 0)


main()
