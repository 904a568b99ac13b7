"""Changes a manifest in one place at a time, and checks what the launcher says.

usage: mutate.py MANIFEST MUTATED COMMAND...

COMMAND reads the manifest that is written to MUTATED.
"""

import copy
import json
import subprocess
import sys

DELETE = object()
FUNCTION = ("functions", 0)
ARGUMENT = FUNCTION + ("arguments", 0)
KERNEL = FUNCTION + ("kernels", 0)
POINTER = KERNEL + ("arguments", 0)
SIZE = KERNEL + ("arguments", 2)
RESULT = FUNCTION + ("results", 0)
RESULT_BUFFER = FUNCTION + ("buffers", 0)

# Where, what is put there, and a part of the message.
MUTATIONS = [
    (("version",), DELETE, "the whole: expected an entry 'version', found none"),
    (("version",), "1", "the whole: 'version' has an unexpected type, string"),
    (("version",), 4, "expected a manifest of version 1, 2 or 3, found version 4; a newer launcher"),
    (("functions",), {}, "the whole: 'functions' has an unexpected type, object"),
    (FUNCTION, 7, "expected an object, found number"),
    (FUNCTION + ("name",), 7, "'name' has an unexpected type, number"),
    (ARGUMENT + ("kind",), "list", "function cumsum: unknown kind 'list'"),
    (ARGUMENT + ("element",), "f8", "function cumsum: unknown element type 'f8'"),
    (ARGUMENT + ("shape",), [1.5, 1000], "expected an integer or a name, found number"),
    (ARGUMENT + ("strides",), [1], "'strides' and 'shape' differ in length"),
    (FUNCTION + ("cleared",), [{"buffer": "result0", "before": 0}],
     "function cumsum: it has buffers to be cleared, which version 1 has none of"),
    (FUNCTION + ("cleared",), [{"buffer": "result7", "before": 0}], "unknown buffer 'result7'"),
    (FUNCTION + ("cleared",), [{"buffer": "result0"}], "expected an entry 'before', found none"),
    (FUNCTION + ("cleared",), 7, "'cleared' has an unexpected type, number"),
    (RESULT + ("buffer",), "nowhere", "function cumsum: unknown buffer 'nowhere'"),
    (RESULT + ("shape",), ["arg0_d0 +", 1000], "expected a number or a name, found '' in 'arg0_d0 +'"),
    (RESULT + ("shape",), ["arg0_d7", 1000], "unknown name 'arg0_d7'"),
    (RESULT + ("shape",), ["arg0_d0 mod 0", 1000], "a division by zero"),
    (RESULT + ("shape",), ["0 - 1", 1000], "expected an extent of 0 or more"),
    (RESULT + ("shape",), ["9223372036854775807 + 1"], "a number of more than 64 bits"),
    (RESULT + ("shape",), ["99999999999999999999"], "expected a number of 64 bits"),
    (RESULT + ("shape",), ["3 $ 4"], "expected the end, found '$'"),
    (RESULT + ("shape",), ["(" * 1000], "too many parentheses"),
    (RESULT_BUFFER + ("kind",), "file", "unknown kind 'file'"),
    (RESULT_BUFFER + ("index",), -1, "'index' is negative"),
    (RESULT_BUFFER + ("kind",), "constant", "expected an entry 'data', found none"),
    (KERNEL + ("entry",), "nothing", "finding the kernel 'nothing' in the PTX failed"),
    (KERNEL + ("grid",), [1, 1], "kernel cumsum_scan0: expected three extents"),
    (KERNEL + ("grid",), [0, 1, 1], "no launch can have 0 blocks of 64 threads in dimension 0"),
    (KERNEL + ("block",), [2048, 1, 1], "no launch can have 3 blocks of 2048 threads"),
    (KERNEL + ("workspace",), {"bytes": 8, "zeroed": True}, "it asks for a workspace"),
    (KERNEL + ("workspace",), {"bytes": 0}, "expected an entry 'zeroed', found none"),
    (KERNEL + ("workspace", "zeroed"), 1, "'zeroed' has an unexpected type"),
    (POINTER, {"name": "w", "kind": "workspace"}, "'w' is a workspace of 0 bytes"),
    (KERNEL + ("shared_bytes",), DELETE, "expected an entry 'shared_bytes', found none"),
    (POINTER + ("kind",), "address", "kernel cumsum_scan0: unknown kind 'address'"),
    (POINTER + ("kind",), "scalar", "expected an entry 'value', found none"),
    (SIZE + ("value",), [], "expected an integer or an expression, found array"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "constant": "00zz"},
     "'constant' has other than hexadecimal digits"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "constant": "00"},
     "'constant' has 2 digits"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "value": "arg0"},
     "'arg0' is no scalar argument of the function"),
]


def mutate(manifest, path, value):
    mutated = copy.deepcopy(manifest)
    place = mutated
    for step in path[:-1]:
        place = place[step]
    if value is DELETE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return mutated


def main():
    source, target, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(source, encoding="utf-8") as file:
        manifest = json.load(file)
    wrong = 0
    texts = [(json.dumps(mutate(manifest, path, value)), message)
             for path, value, message in MUTATIONS]
    texts.append(("{", "it is no JSON text"))
    for text, message in texts:
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        result = subprocess.run(command + ["cumsum", "3x1000"], capture_output=True, text=True,
                                timeout=60, check=False)
        if result.returncode != 1 or message not in result.stderr:
            wrong += 1
            print(f"expected exit status 1 and '{message}', found {result.returncode} and:")
            print(result.stderr)
    print(f"{len(texts)} mutations, {wrong} with another message")


if __name__ == "__main__":
    main()
