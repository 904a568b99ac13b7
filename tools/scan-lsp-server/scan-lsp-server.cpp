//===- scan-lsp-server.cpp - Scan programs in an editor -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LogicalResult.h"

namespace cl = llvm::cl;

static cl::extrahelp usage(R"(
An editor starts this program and speaks the Language Server Protocol with it over
standard input and output. It gives diagnostics, hover, completion, definitions,
references and an outline for .mlir files with scans.

EXAMPLES:
  VS Code, with the extension "MLIR" (llvm-vs-code-extensions.vscode-mlir):
    "mlir.server_path": "scan-lsp-server"
  Neovim 0.11:
    vim.lsp.config("scan", { cmd = { "scan-lsp-server" }, filetypes = { "mlir" } })
    vim.lsp.enable("scan")
)");

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // The server defines its options when it starts; all that exist by now are
  // of the code generators in the shared library.
  static cl::OptionCategory none("");
  cl::HideUnrelatedOptions(none);

  mlir::DialectRegistry registry;
  mlir::scan::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
