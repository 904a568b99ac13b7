//===- RunReport.cpp - What a run has to tell -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunReport.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

static double getGigabytesPerSecond(const RunReport &report) {
  return *report.seconds > 0 ? report.bytes / *report.seconds * 1e-9 : 0;
}

/// JSON has no infinities and no NaN.
static llvm::json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return value != value ? "nan" : value > 0 ? "inf" : "-inf";
}

static void printJson(const RunReport &report, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("program", report.program);
    json.attribute("entry", report.entry);
    json.attribute("target", report.target);
    if (!report.compare.empty())
      json.attribute("compare", report.compare);
    json.attribute("bytes", report.bytes);
    if (report.seconds) {
      json.attribute("seconds", *report.seconds);
      json.attribute("gb_per_s", getGigabytesPerSecond(report));
    }
    if (report.compareSeconds)
      json.attribute("compare_seconds", *report.compareSeconds);
    json.attributeArray("results", [&] {
      for (const RunReport::Result &result : report.results)
        json.object([&] {
          std::string type;
          llvm::raw_string_ostream(type) << result.array->elementType;
          json.attribute("type", type);
          json.attributeArray("shape", [&] {
            for (int64_t extent : result.array->shape)
              json.value(extent);
          });
          if (!result.error)
            return;
          json.attribute("differing", result.error->count);
          json.attribute("max_abs_error", number(result.error->absolute));
          json.attribute("max_rel_error", number(result.error->relative));
          json.attribute("max_ulps", number(result.error->ulps));
        });
    });
  });
  os << "\n";
}

static void printErrors(const RunReport &report, llvm::raw_ostream &os) {
  size_t width = 5;
  for (const RunReport::Result &result : report.results)
    width = std::max(
        width,
        describeArray(result.array->elementType, result.array->shape).size());
  os << report.target << " against " << report.compare << ":\n";
  auto padded = [&](std::string text) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  };
  os << "  result  " << padded("shape")
     << "  differing  max abs error  max rel error  max ulps\n";
  for (auto [i, result] : llvm::enumerate(report.results))
    os << llvm::format("  %-6d  ", static_cast<int>(i))
       << padded(describeArray(result.array->elementType, result.array->shape))
       << llvm::format("  %9lld  %13.3g  %13.3g  %8.3g\n",
                       static_cast<long long>(result.error->count),
                       result.error->absolute, result.error->relative,
                       result.error->ulps);
}

void mlir::scan::printReport(const RunOptions &options, const RunReport &report,
                             llvm::raw_ostream &os) {
  if (options.json)
    return printJson(report, os);
  if (options.outputs.empty() && options.compare.empty() && !options.time)
    for (auto [i, result] : llvm::enumerate(report.results)) {
      os << "result " << i << ": "
         << describeArray(result.array->elementType, result.array->shape)
         << "\n";
      printArray(*result.array, os);
    }
  if (!options.compare.empty())
    printErrors(report, os);
  if (report.seconds)
    os << report.target << ": "
       << llvm::format("%.3f ms, %.2f GB/s (%lld bytes in and out, median of "
                       "%u runs)\n",
                       *report.seconds * 1e3, getGigabytesPerSecond(report),
                       static_cast<long long>(report.bytes), options.repeat);
  if (report.compareSeconds)
    os << report.compare << ": "
       << llvm::format("%.3f ms, one run\n", *report.compareSeconds * 1e3);
}
