# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether PTX and manifest belong together: a launch passes an array of addresses
whose length nobody knows but the PTX."""

import hashlib
import re

from .errors import ScanError

# No string goes on in the next line.
_LEFT_OUT = re.compile(r'"[^"\n]*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_ENTRY = re.compile(r"\.entry(?![\w$%])", re.A)
# A word, a directive or a single character.
_TOKEN = re.compile(r"\s*(\.?[\w$%]+|[^\s]|\Z)", re.A)
_TYPE = re.compile(r"\.[bsuf](\d+)(?:x(\d+))?")
_HANDLES = (".texref", ".samplerref", ".surfref")


class _Header:
    """Reads the header of one `.entry`, from behind that word."""

    def __init__(self, text, position):
        self.text, self.position, self.token = text, position, ""
        self.next()

    def next(self):
        """The next token goes to `token`, which is empty at the end."""
        match = _TOKEN.match(self.text, self.position)
        self.position, self.token = match.end(), match.group(1)

    def fail(self, expected):
        found = f"'{self.token}'" if self.token else "the end"
        raise ScanError(f"the PTX is damaged: expected {expected}, found {found}; "
                        "write PTX and manifest anew")

    def read(self):
        """The kernel's name, and the bytes of its parameters."""
        name, sizes = self.token, []
        if not re.match(r"[A-Za-z_$%]", name):
            self.fail("the name of a kernel")
        self.next()
        # A kernel without parameters has no parentheses, or nothing in them.
        if self.token != "(":
            return name, sizes
        self.next()
        while self.token != ")":
            sizes.append(self._parameter(f" as parameter {len(sizes)} of '{name}'"))
            if self.token == ",":
                self.next()
        return name, sizes

    def _number(self):
        digits = re.match(r"0[xX][0-9a-fA-F]+|\d+", self.token, re.A)
        if not digits:
            return 0
        text = digits.group()
        try:
            return int(text, 8 if re.fullmatch("0[0-7]+", text) else 0)
        except ValueError:
            return 0

    def _parameter(self, what):
        if self.token != ".param":
            self.fail("'.param'" + what)
        size = 0
        self.next()
        while self.token not in (",", ")"):
            if match := _TYPE.fullmatch(self.token):
                size = int(match.group(1)) // 8 * int(match.group(2) or 1)
            elif self.token in _HANDLES:
                size = 8
            elif self.token == ".align":
                self.next()
                if not self._number():
                    self.fail("an alignment" + what)
            elif self.token == "[":
                self.next()
                count = self._number()
                self.next()
                size *= count
                if not count or self.token != "]" or size >= 2**64:
                    self.fail("a number of elements" + what)
            elif not re.match(r"[\w$%.]", self.token, re.A):
                self.fail("',' or ')'" + what)
            self.next()
        if not size:
            self.fail("a type" + what)
        return size


def read_entries(text):
    """For each kernel of a PTX text, by name, the bytes of its parameters."""
    text = _LEFT_OUT.sub(" ", text)
    entries = {}
    for match in _ENTRY.finditer(text):
        name, sizes = _Header(text, match.end()).read()
        entries.setdefault(name, sizes)
    return entries


def check(manifest, ptx):
    """Fails unless each kernel of the manifest is an entry of the PTX (bytes) with as
    many parameters of the same sizes, and unless the PTX is the very text that the
    manifest was written with, if it says which."""
    entries = read_entries(ptx.decode("utf-8", "replace"))
    for function in manifest.functions:
        for kernel in function.kernels:
            _check_kernel(kernel, entries)
    if manifest.hash and hashlib.sha256(ptx).digest() != manifest.hash:
        _fail_stale("the kernels have the same parameters, but the SHA-256 of the PTX is not the "
                    "one in the manifest (a PTX that was changed on purpose needs a manifest "
                    "without 'ptx_sha256')")


def _fail_stale(what):
    raise ScanError(f"the PTX and the manifest do not belong together: {what}; one of the two files "
                    "is stale: write both anew, in one run of scan-translate with -o and "
                    "--manifest")


def _check_kernel(kernel, entries):
    if kernel.entry not in entries:
        _fail_stale(f"expected a kernel '{kernel.entry}' in the PTX, found none of that name "
                    f"among {len(entries)}")
    sizes = entries[kernel.entry]
    if len(sizes) != len(kernel.parameters):
        _fail_stale(f"kernel '{kernel.entry}': expected {len(kernel.parameters)} parameters, as "
                    f"the manifest says, found {len(sizes)} in the PTX")
    for number, (parameter, size) in enumerate(zip(kernel.parameters, sizes)):
        if parameter.size != size:
            _fail_stale(f"kernel '{kernel.entry}': expected {parameter.size} bytes in parameter "
                        f"{number}, '{parameter.name}', as the manifest says, found {size} in "
                        "the PTX")
