"""Makes the batches of a layer, and again with one file more; prints how many differ.

usage: batches.py CMAKE FOLDER
"""

import os
import subprocess
import sys


def make(cmake, folder, names):
    """The batches of `names`, each a tuple of paths."""
    os.makedirs(folder, exist_ok=True)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "batches.cmake")
    output = subprocess.run(
        [cmake, "-DNAMES=" + ";".join(names), "-P", script],
        cwd=folder, check=True, capture_output=True, text=True,
    ).stdout
    return [tuple(word.strip('"') for word in line.split()) for line in output.splitlines()]


def main():
    cmake, folder = sys.argv[1:]
    words = ["Access", "Block", "Carry", "Domain", "Extent", "Frame", "Group", "Host"]
    names = [f"{a}{b}.cpp" for a in words for b in words]
    names += [f"Deep/{a}.cpp" for a in words]
    batches = make(cmake, folder, names)
    files = [file for batch in batches for file in batch]
    assert sorted(files) == sorted(f"Layer/{name}" for name in names), files
    assert all(len({os.path.dirname(file) for file in batch}) == 1 for batch in batches)
    print("batches:", len(batches), "of", min(map(len, batches[:-1])), "to", max(map(len, batches)))
    print("in another order:", "same" if make(cmake, folder, names[::-1]) == batches else "other")
    changed = []
    for added in (f"{word}Added.cpp" for word in words):
        new = make(cmake, folder, names + [added])
        changed.append(len(set(new) - set(batches)))
    print("changed by a file more:", max(changed), "at most,", sum(changed) / len(changed), "on average")


if __name__ == "__main__":
    main()
