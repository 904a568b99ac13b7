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
# A scalar that is an argument of its function.
SCALAR = ("functions", 1, "kernels", 0, "arguments", 2)
RESULT = FUNCTION + ("results", 0)
RESULT_BUFFER = FUNCTION + ("buffers", 0)

DEEP = 1
for _ in range(500):
    DEEP = ["max", DEEP]

# Where, what is put there, and a part of the message.
MUTATIONS = [
    (("version",), DELETE, "the whole: expected an entry 'version', found none"),
    (("version",), "1", "the whole: 'version' has an unexpected type, string"),
    (("version",), 7, "expected a manifest of version 1 to 6, found version 7; a newer launcher"),
    (("version",), 0, "expected a manifest of version 1 to 6, found version 0"),
    (("functions",), {}, "the whole: 'functions' has an unexpected type, object"),
    (FUNCTION, 7, "expected an object, found number"),
    (FUNCTION + ("name",), 7, "'name' has an unexpected type, number"),
    (ARGUMENT + ("kind",), "list", "function cumsum: unknown kind 'list'"),
    (ARGUMENT + ("element",), "f8", "function cumsum: unknown element type 'f8'"),
    (ARGUMENT + ("shape",), [1.5, 1000], "expected an integer or a name, found number"),
    (ARGUMENT + ("strides",), [1], "'strides' and 'shape' differ in length"),
    (FUNCTION + ("cleared",), [{"buffer": "result7", "before": 0}], "unknown buffer 'result7'"),
    (FUNCTION + ("cleared",), [{"buffer": "result0"}], "expected an entry 'before', found none"),
    (FUNCTION + ("cleared",), 7, "'cleared' has an unexpected type, number"),
    (FUNCTION + ("requires",), 7, "'requires' has an unexpected type, number"),
    (FUNCTION + ("requires",), ["arg0_d0"], "expected a comparison in 'requires', found string"),
    (FUNCTION + ("requires",), [["+", 1, 2]], "expected a comparison, found '+'"),
    (FUNCTION + ("requires",), [["==", "arg9_d0", 1]],
     """function 'cumsum': unknown name 'arg9_d0' in '["==","arg9_d0",1]'"""),
    (FUNCTION + ("requires",), [["<", "arg0_d0", 0]],
     """function 'cumsum': expected extents with ["<","arg0_d0",0], found """),
    (RESULT + ("buffer",), "nowhere", "function cumsum: unknown buffer 'nowhere'"),
    (RESULT + ("shape",), ["arg0_d0 + 1", 1000], "function cumsum: expected a name, found 'arg0_d0 + 1'"),
    (RESULT + ("shape",), ["", 1000], "expected a name, found ''"),
    (RESULT + ("shape",), [1.5, 1000], "expected an integer or an expression, found number"),
    (RESULT + ("shape",), [{}, 1000], "expected an integer or an expression, found object"),
    (RESULT + ("shape",), [2**63, 1000], "expected a number of 64 bits, found 9223372036854775808"),
    (RESULT + ("shape",), ["arg0_d7", 1000], "unknown name 'arg0_d7' in 'arg0_d7'"),
    (RESULT + ("shape",), [["mod", "arg0_d0", 0], 1000], """a division by zero in '["mod","arg0_d0",0]'"""),
    (RESULT + ("shape",), [["-", 0, 1], 1000], """expected an extent of 0 or more and bytes below 2^63, found extent -1 from ["-",0,1]"""),
    (RESULT + ("shape",), [["+", 2**63 - 1, 1]], "a number of more than 64 bits"),
    (RESULT + ("shape",), [["floordiv", -2**63, -1]], "a number of more than 64 bits"),
    (RESULT + ("shape",), [["/", 3, 4]], "expected an operator, found '/'"),
    (RESULT + ("shape",), [["<", 3, 4]], "expected an operator, found '<'"),
    (RESULT + ("shape",), [[3, "+", 4]], "expected an operator, found ''"),
    (RESULT + ("shape",), [["+", 3]], "expected 2 operands of '+', found 1"),
    (RESULT + ("shape",), [["*", 3, 4, 5]], "expected 2 operands of '*', found 3"),
    (RESULT + ("shape",), [["min"]], "expected 1 or more operands of 'min', found 0"),
    (RESULT + ("shape",), [DEEP], "an expression that is nested too deeply"),
    (RESULT_BUFFER + ("kind",), "file", "unknown kind 'file'"),
    (RESULT_BUFFER + ("index",), -1, "'index' is negative"),
    (RESULT_BUFFER + ("kind",), "constant", "expected an entry 'data', found none"),
    (KERNEL + ("entry",), "nothing",
     "expected a kernel 'nothing' in the PTX, found none of that name among 4; one of the two files "
     "is stale: write both anew, in one run of scan-translate"),
    (KERNEL + ("grid",), [1, 1], "kernel cumsum_scan0: expected three extents"),
    (KERNEL + ("grid",), [0, 1, 1], "no launch can have 0 blocks of 64 threads in dimension 0"),
    (KERNEL + ("block",), [2048, 1, 1], "no launch can have 3 blocks of 2048 threads"),
    (KERNEL + ("workspace",), {"bytes": 0}, "expected an entry 'zeroed', found none"),
    (KERNEL + ("workspace", "zeroed"), 1, "'zeroed' has an unexpected type"),
    (POINTER, {"name": "w", "kind": "workspace", "bytes": 8}, "'w' is a workspace of 0 bytes"),
    (KERNEL + ("shared_bytes",), DELETE, "expected an entry 'shared_bytes', found none"),
    (POINTER + ("kind",), "address", "kernel cumsum_scan0: unknown kind 'address'"),
    (POINTER + ("kind",), "scalar", "expected an entry 'value', found none"),
    (SIZE + ("value",), [], "expected an operator, found ''"),
    (SIZE + ("value",), None, "expected an integer or an expression, found null"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "constant": "00zz"},
     "'constant' has other than hexadecimal digits"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "constant": "00"},
     "'constant' has 2 digits"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "value": "arg0"},
     "'arg0' is no scalar argument of the function"),
    (SCALAR + ("element",), "f64", "is of type f64, expected that of 'arg1', i64"),
    (POINTER + ("bytes",), 4, "kernel cumsum_scan0: expected 8 bytes for 'x0', found 4"),
    (SIZE + ("bytes",), DELETE, "expected an entry 'bytes', found none"),
    (SIZE, DELETE, "kernel 'cumsum_scan0': expected 2 parameters, as the manifest says, found 3 in "
     "the PTX; one of the two files is stale"),
    (SIZE, {"name": "s", "kind": "scalar", "element": "f32", "bytes": 4, "constant": "00000000"},
     "kernel 'cumsum_scan0': expected 4 bytes in parameter 2, 's', as the manifest says, found 8"),
    (KERNEL + ("shared_bytes", "dynamic"), 2**31, "expected 'dynamic' to be a number of 31 bits"),
    (("ptx_sha256",), 7, "the whole: 'ptx_sha256' has an unexpected type, number"),
    (("ptx_sha256",), "00", "the whole: 'ptx_sha256' has 2 digits"),
    (("ptx_sha256",), "FF" * 32, "the whole: 'ptx_sha256' has other than hexadecimal digits"),
    (("ptx_sha256",), "ff" * 32,
     "the SHA-256 of the PTX is not the one in the manifest (a PTX that was changed on purpose"),
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
