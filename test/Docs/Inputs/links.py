"""Checks the links and the names of files in Markdown documents.

usage: links.py ROOT DOCUMENT...

A relative link has to lead to a file, and its fragment to a heading there, as GitHub
names it. Between backticks, what looks like a path of the checkout (`lib/IR`,
`test/Docs/*.test`, `Scan/Pipelines/`) has to be one.
"""

import glob
import os
import re
import sys

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = "benchmark cmake docs examples include lib scripts test tools".split()


def anchors(path):
    """The fragments of the headings of a document."""
    with open(path, encoding="utf-8") as file:
        text = FENCE.sub("", file.read())
    found, seen = set(), {}
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        name = name.strip().replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def wrong_link(target, document):
    if re.match(r"[a-z]+:", target):
        return False
    path, _, fragment = target.partition("#")
    path = os.path.join(os.path.dirname(document), path) if path else document
    if not os.path.exists(path):
        return True
    return bool(fragment) and fragment not in anchors(path)


def wrong_path(code, root):
    if code.startswith(("Scan/", "Scan-c/")):
        code = "include/" + code
    if code.split("/")[0] not in FOLDERS or not re.fullmatch(r"[\w.*/-]+/[\w.*/-]*", code):
        return False
    return not glob.glob(os.path.join(root, code), recursive=True)


def main():
    root, *documents = sys.argv[1:]
    count = failures = 0
    for document in documents:
        with open(document, encoding="utf-8") as file:
            text = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), file.read())
        for number, line in enumerate(text.splitlines(), 1):
            links, codes = LINK.findall(line), CODE.findall(line)
            wrong = [f"the link {link} leads nowhere" for link in links if wrong_link(link, document)]
            wrong += [f"there is no {code}" for code in codes if wrong_path(code, root)]
            count += len(links)
            failures += len(wrong)
            for message in wrong:
                print(f"{os.path.relpath(document, root)}:{number}: {message}")
    print(f"{len(documents)} documents, {count} links, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
