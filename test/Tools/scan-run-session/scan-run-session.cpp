//===- scan-run-session.cpp - scan-run, many times in one process ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads command lines of scan-run, a JSON array of arguments a line, and
// answers each with a line of JSON: the exit status, and what scan-run would
// have printed. A program that is run again, with other inputs or another order
// of threads, is neither parsed nor compiled again: for the emulator that takes
// longer than the runs. Where scan-run would end while it reads its command
// line, this ends, too.
//
//===----------------------------------------------------------------------===//

#include "Driver/RunDriver.h"
#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <iostream>
#include <string>

using namespace mlir;
namespace json = llvm::json;

/// The answer to one command line.
static json::Object answer(std::vector<std::string> arguments,
                           scan::RunSession &session) {
  std::vector<char *> argv = {const_cast<char *>("scan-run")};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  llvm::Expected<scan::RunOptions> options =
      scan::parseRunOptions(argv.size(), argv.data());
  bool ok = bool(options);
  if (ok)
    ok = succeeded(session.run(*options, outStream, errStream));
  else
    errStream << "scan-run: error: " << llvm::toString(options.takeError())
              << "\n";
  return json::Object{{"status", ok ? 0 : 1},
                      {"stdout", json::fixUTF8(out)},
                      {"stderr", json::fixUTF8(err)}};
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  scan::RunSession session(registry, MLIRContext::Threading::DISABLED);
  std::string line;
  while (std::getline(std::cin, line)) {
    auto arguments = json::parse<std::vector<std::string>>(line);
    if (!arguments) {
      llvm::errs() << "scan-run-session: error: expected a JSON array of "
                      "strings: "
                   << llvm::toString(arguments.takeError()) << "\n";
      return 1;
    }
    llvm::outs() << json::Value(answer(std::move(*arguments), session)) << "\n";
    llvm::outs().flush();
  }
  return 0;
}
