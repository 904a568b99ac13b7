"""Calls functions of object files as C does, by what their header declares."""

import ctypes
import os
import re
import tempfile

import numpy as np

import scan_tools

DTYPES = {"float": np.float32, "double": np.float64, "bool": np.bool_, "float _Complex": np.complex64,
          "double _Complex": np.complex128, "_Float16": np.float16,
          **{f"int{bits}_t": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}}
SHAPE = re.compile(r"/// (\w+): .* \[(.*)\]")
# Words of launch manifests that Python spells otherwise.
OPERATORS = {" floordiv ": " // ", " mod ": " % "}


class Object:
    """The functions of `program`, compiled for this machine."""

    def __init__(self, program, work):
        # The loader knows libraries by their paths.
        with tempfile.TemporaryDirectory(dir=work) as folder:
            base = os.path.join(folder, "object")
            for command in (["scan-translate", "--scan-to-object", program, "-o", base + ".o",
                             f"--header={base}.h", "--cpu=native"],
                            ["clang", "-shared", base + ".o", "-lm", "-o", base + ".so"]):
                done = scan_tools.run(command)
                if done.returncode:
                    raise ValueError(f"{command[0]} fails: {done.stderr.strip()}")
            with open(base + ".h") as file:
                self.header = file.read()
            self.library = ctypes.CDLL(base + ".so")

    def call(self, entry, inputs):
        """The results, in order."""
        (comments, parameters), = re.findall(rf"((?:///.*\n)*)const char \*{entry}\((.*)\);", self.header)
        shapes = dict(SHAPE.findall(comments))
        extents, passed, results = {}, [], []
        inputs = [np.ascontiguousarray(x) for x in inputs]
        for number, array in enumerate(inputs):
            extents.update({f"arg{number}_d{d}": extent for d, extent in enumerate(array.shape)})
        for parameter in [] if parameters == "void" else parameters.split(", "):
            ctype, pointer, name = re.fullmatch(r"(?:const )?(.*?) (\*?)(\w+)", parameter).groups()
            if name in extents:
                passed.append(ctypes.c_int64(extents[name]))
                continue
            dtype = np.dtype(DTYPES[ctype])
            if name.startswith("result"):
                text = shapes.get(name, "")
                for word, operator in OPERATORS.items():
                    text = text.replace(word, operator)
                results.append(np.empty(eval(f"[{text}]", {"min": min, "max": max}, extents), dtype))
                array = results[-1]
            else:
                array = inputs[int(name.removeprefix("arg"))]
                if array.dtype != dtype:
                    raise ValueError(f"{name} is {ctype}, found {array.dtype}")
            passed.append(array.ctypes.data_as(ctypes.c_void_p) if pointer
                          else np.ctypeslib.as_ctypes_type(dtype)(array.item()))
        function = self.library[entry]
        function.restype = ctypes.c_char_p
        message = function(*passed)
        if message is not None:
            raise ValueError(f"{entry} fails: {message.decode()}")
        return results
