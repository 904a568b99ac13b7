"""Gives a launcher PTX and manifests that do not belong together.

usage: stale.py FOLDER COMMAND...

FOLDER has the files of programs.mlir, k.ptx and k.json, of the same program changed a
little, other.ptx and other.json (the same parameters), and changed in its signature,
wide.ptx and wide.json. COMMAND gets the names of two files.
"""

import json
import os
import subprocess
import sys

STALE = "; one of the two files is stale: write both anew, in one run of scan-translate"
HASH = "the SHA-256 of the PTX is not the one in the manifest"
DAMAGED = "the PTX is damaged: expected "
# A message, or None where the launch has to work.
RUNS = None


class Launcher:
    def __init__(self, folder, command):
        self.folder, self.command, self.count, self.wrong = folder, command, 0, 0

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def check(self, name, ptx, manifest, message):
        paths = [os.path.join(self.folder, file) for file in ("now.ptx", "now.json")]
        for path, text in zip(paths, (ptx, manifest)):
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        result = subprocess.run(self.command + paths + ["cumsum", "3x1000"], capture_output=True,
                                text=True, timeout=60, check=False)
        self.count += 1
        lines = [line for line in result.stderr.splitlines() if "error:" in line]
        if message is RUNS:
            is_right = result.returncode == 0 and result.stderr.count("launch cumsum_scan0") == 2
        else:
            # One line, and nothing has been launched.
            is_right = (result.returncode == 1 and len(lines) == 1 and message in lines[0]
                        and "launch cumsum" not in result.stderr)
        if not is_right:
            self.wrong += 1
            print(f"{name}: expected {message}, found {result.returncode} and:\n{result.stderr}")


def main():
    launcher = Launcher(sys.argv[1], sys.argv[2:])
    ptx, text = launcher.read("k.ptx"), launcher.read("k.json")
    manifest = json.loads(text)
    # As older compilers have written it.
    old = json.dumps({key: value for key, value in manifest.items() if key != "ptx_sha256"})
    header = ptx.index(".entry cumsum_scan0(")
    end = ptx.index(")", header)

    def both(name, changed, with_hash, without):
        assert changed != ptx, name
        launcher.check(name, changed, text, with_hash)
        launcher.check(name + ", older manifest", changed, old, without)

    def changed_header(old_part, new_part):
        assert old_part in ptx[header:end], old_part
        return ptx[:header] + ptx[header:end].replace(old_part, new_part) + ptx[end:]

    launcher.check("as they are", ptx, text, RUNS)
    launcher.check("older manifest", ptx, old, RUNS)

    # The files of two compilations.
    other, wide = launcher.read("other.ptx"), launcher.read("wide.ptx")
    both("another kernel", other, HASH, RUNS)
    launcher.check("its manifest", ptx, launcher.read("other.json"), HASH)
    both("another signature", wide,
         *["kernel 'cumsum_scan0': expected 3 parameters, as the manifest says, found "] * 2)
    launcher.check("its manifest", ptx, launcher.read("wide.json"),
                   "as the manifest says, found 3 in the PTX" + STALE)

    # Changes by hand.
    both("a comment", ptx + "// changed\n", HASH, RUNS)
    both("line ends", ptx.replace("\n", "\r\n"), HASH, RUNS)
    both("no parameters", ptx[:header] + ".entry cumsum_scan0" + ptx[end + 1:],
         *["expected 3 parameters, as the manifest says, found 0 in the PTX" + STALE] * 2)
    both("one parameter less", changed_header(",\n\t.param .u64 cumsum_scan0_param_2", ""),
         *["expected 3 parameters, as the manifest says, found 2 in the PTX" + STALE] * 2)
    both("one parameter more", changed_header("scan0_param_2", "scan0_param_2,\n.param .u8 more"),
         *["expected 3 parameters, as the manifest says, found 4 in the PTX" + STALE] * 2)
    sizes = "expected 8 bytes in parameter 2, 'n0', as the manifest says, found "
    parameter = ".u64 cumsum_scan0_param_2"
    for new_part, size in ((".b32 x", 4), (".f16x2 x", 4), (".b8 x", 1), (".align 8 .b8 x[12]", 12),
                           (".u64 x[2]", 16), (".b128 x", 16), (".s16 x", 2)):
        both(new_part, changed_header(parameter, new_part),
             *[f"{sizes}{size} in the PTX" + STALE] * 2)
    for new_part in (".align 8 .b8 x[8]", ".align 4 .b8 x[0x8]", ".b8 x[010]", ".b32 x[2]",
                     ".f64 /* , .u8 y */ x // ,", ".b64 .ptr .global .align 16 x", ".texref x"):
        both(new_part, changed_header(parameter, new_part), HASH, RUNS)

    # What is no header: nothing of it counts.
    both("comments and strings",
         '// .entry cumsum_scan0()\n/* .entry cumsum_scan0(\n*/\n.pragma ".entry cumsum_scan0(";\n' + ptx,
         HASH, RUNS)
    both("entries that the manifest does not have",
         ptx + ".visible .entry empty\n{\n\tret;\n}\n.entry none()\n{\n\tret;\n}\n", HASH, RUNS)
    both("two modules", ptx + "\n" + wide.replace("cumsum_scan0", "sums_scan0"), HASH, RUNS)

    # Damage.
    missing = "expected a kernel 'cumsum_scan0' in the PTX, found none of that name among 0" + STALE
    both("nothing", "", missing, missing)
    both("no text", b"\x7fELF\x00\xff\xfe" * 10, missing, missing)
    both("everything is a comment", "/*" + ptx, missing, missing)
    for new_part, expected in (("x", "a type as parameter 2 of 'cumsum_scan0', found ')'"),
                               (".u64 x[0]", "a number of elements as parameter 2"),
                               (".u64 x[", "a number of elements as parameter 2"),
                               (".u64 x[99999999999999999999]", "a number of elements as"),
                               (".align .b8 x[8]", "an alignment as parameter 2"),
                               (".u64 x {", "',' or ')' as parameter 2")):
        both(new_part, changed_header(parameter, new_part), *[DAMAGED + expected] * 2)
    both("no name", ptx + ".entry (", *[DAMAGED + "the name of a kernel, found '('"] * 2)
    both("no .param", changed_header("\t.param" + " " + parameter, ".reg " + parameter),
         *[DAMAGED + "'.param' as parameter 2 of 'cumsum_scan0', found '.reg'"] * 2)
    # Cut off: within a header, or behind the one that is launched.
    for length in [*range(header - 8, end + 2, 7), len(ptx) // 2, len(ptx) - 1]:
        launcher.check(f"the first {length} characters", ptx[:length], text, "the PTX ")
    for length in range(0, len(text) - 2, len(text) // 12):
        launcher.check(f"a manifest of {length} characters", ptx, text[:length],
                       "the manifest is not valid: it is no JSON text")
    launcher.check("a manifest that is no text", ptx, b"\xff\xfe\x00{", "it is no JSON text")
    print(f"{launcher.count} launches, {launcher.wrong} with another message")


if __name__ == "__main__":
    main()
