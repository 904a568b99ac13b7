"""Prints the one fenced block of a language in a Markdown document.

usage: fenced_block.py DOCUMENT LANGUAGE
"""

import re
import sys

document, language = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
if len(blocks) != 1:
    sys.exit(f"{document}: {len(blocks)} blocks of {language}, expected one")
sys.stdout.write(blocks[0])
