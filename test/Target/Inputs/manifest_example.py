"""The example of docs/manifest.md: prints the program, or compares the manifest.

usage: manifest_example.py extract DOCUMENT
       manifest_example.py compare DOCUMENT MANIFEST

The bytes of shared memory and the hash, which change with the kernels, are not
compared.
"""

import json
import re
import sys


def block(document, language):
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", open(document).read(), re.M | re.S)
    return text


def without_kernels(manifest):
    manifest["ptx_sha256"] = len(manifest["ptx_sha256"])
    for function in manifest["functions"]:
        for kernel in function["kernels"]:
            kernel["shared_bytes"]["static"] = 0
            for region in kernel["plan"]["shared_regions"]:
                region["bytes"] = 0
    return manifest


def main():
    if sys.argv[1] == "extract":
        print(block(sys.argv[2], "mlir"), end="")
        return
    expected = without_kernels(json.loads(block(sys.argv[2], "json")))
    found = without_kernels(json.load(open(sys.argv[3])))
    if expected != found:
        sys.exit(f"the document has\n{expected}\nand the compiler wrote\n{found}")
    print("the same")


if __name__ == "__main__":
    main()
