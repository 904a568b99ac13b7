"""lit configuration: how the tests below this folder run."""

import os

import lit.formats

config.name = "mlir-scan"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.scan_source_root, "test")
config.test_exec_root = os.path.join(config.scan_build_root, "test")

# The project's own tools first, then LLVM's (FileCheck, not, split-file).
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.scan_build_root, "bin"),
        config.llvm_tools_dir,
        os.environ.get("PATH", ""),
    ]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=all"
config.substitutions.append(("%examples", os.path.join(config.scan_source_root, "examples")))
