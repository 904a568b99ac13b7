"""CUB's DeviceScan, compiled by nvcc with the headers of the CUDA Toolkit, or with those
that the variable CCCL_INCLUDE names: the folder `include` of a newer CCCL."""

import ctypes
import hashlib
import os
import shutil
import subprocess

from . import Built, Contender

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cub_scan.cu")


def find_nvcc():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(home, "bin"))


def compile_library(folder, chip):
    """The path of the library in `folder`, compiled unless it is there; or fails with a
    RuntimeError of one line."""
    headers = os.environ.get("CCCL_INCLUDE")
    with open(SOURCE, "rb") as file:
        mark = hashlib.sha1(file.read() + f"{chip}{headers or ''}".encode()).hexdigest()[:8]
    path = os.path.join(folder, f"cub_scan-{mark}.so")
    if os.path.exists(path):
        return path
    nvcc = find_nvcc()
    if not nvcc:
        raise RuntimeError("no nvcc: CUB needs the CUDA Toolkit")
    os.makedirs(folder, exist_ok=True)
    partial = f"{path}.{os.getpid()}"
    done = subprocess.run(
        [nvcc, *(["-I", headers] if headers else []), "-O3", "-std=c++17", f"-arch={chip}", "-shared", "-Xcompiler", "-fPIC", SOURCE,
         "-o", partial], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError("nvcc: " + (done.stderr.strip().splitlines() or ["failed"])[0])
    os.replace(partial, path)
    return path


def load_library(context):
    """Loads the library; one that was compiled on another machine is made anew."""
    path = compile_library(context.kernels, context.chip)
    try:
        return ctypes.CDLL(path)
    except OSError:
        os.remove(path)
        return ctypes.CDLL(compile_library(context.kernels, context.chip))


class Cub(Contender):
    """The sum, and the linear pair as this project does it: two arrays in, one out."""

    name = "cub"

    def refuse(self, case):
        if len(case.shape) != 1:
            return "DeviceScan is for one dimension"
        if case.operator not in ("cumsum", "recurrence") or case.element != "f32":
            return "written for sums and linear pairs of float32"
        return None

    def function(self, case):
        return "scan_sum" if case.operator == "cumsum" else "scan_recurrence"

    def build(self, case, sets):
        try:
            library = load_library(self.context)
        except (OSError, subprocess.SubprocessError) as error:
            raise RuntimeError(str(error)) from None
        arrays = [self.arrays(one) for one in sets]
        built = self.make(case, getattr(library, self.function(case)), arrays)
        built.results = lambda number: [self.result(arrays[number])]
        return built

    def arrays(self, one):
        return [*one.inputs, *one.outputs]

    def result(self, arrays):
        return arrays[-1]

    def make(self, case, function, arrays):
        torch = self.context.torch
        size, count = ctypes.c_size_t(), ctypes.c_int(case.elements)

        def call(tensors, storage):
            pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            error = function(ctypes.c_void_p(storage), ctypes.byref(size), *pointers, count, stream)
            if error:
                raise RuntimeError(f"DeviceScan failed with CUDA error {error}")

        call(arrays[0], 0)
        storage = torch.empty(max(1, size.value), dtype=torch.uint8, device=self.context.where)
        return Built([lambda a=tensors: call(a, storage.data_ptr()) for tensors in arrays])


class CubPairs(Cub):
    """The linear pair as CUB is used most easily: an array of pairs in, another out."""

    name = "cub-aos"

    def refuse(self, case):
        if case.operator == "cumsum":
            return "for linear pairs"
        return super().refuse(case)

    def function(self, case):
        return "scan_pairs"

    def build(self, case, sets):
        built = super().build(case, sets)
        built.nbytes = 16 * case.elements
        built.note = "an array of pairs in, an array of pairs out: 16 bytes per element"
        return built

    def arrays(self, one):
        pairs = self.context.torch.stack(one.inputs, -1)
        return [pairs, self.context.torch.empty_like(pairs)]

    def result(self, arrays):
        return arrays[-1][:, 1]
