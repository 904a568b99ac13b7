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

//===----------------------------------------------------------------------===//
// What the emulator has counted
//===----------------------------------------------------------------------===//

static double divide(uint64_t value, uint64_t by) {
  return by == 0 ? 0 : double(value) / double(by);
}

static void printStatistics(const RunReport &report, llvm::raw_ostream &os) {
  const emulator::EmulatorStatistics &counted = *report.statistics;
  os << llvm::format("emulator: %llu launches, %llu threads, %llu elements\n",
                     static_cast<unsigned long long>(counted.launches),
                     static_cast<unsigned long long>(counted.threads),
                     static_cast<unsigned long long>(report.elements))
     << "                             total  per element    at least\n";
  auto line = [&](const char *name, uint64_t value) -> llvm::raw_ostream & {
    return os << llvm::format("  %-20s  %12llu  %11.4g", name,
                              static_cast<unsigned long long>(value),
                              divide(value, report.elements));
  };
  auto lineOfTraffic = [&](const char *name,
                           const emulator::GlobalTraffic &traffic) {
    line(name, traffic.bytes) << llvm::format(
        "  %10.4g\n", divide(traffic.compulsoryBytes, report.elements));
  };
  lineOfTraffic("global bytes read", counted.reads);
  lineOfTraffic("global bytes written", counted.writes);
  line("barriers of a block", counted.barriers) << "\n";
  line("shuffles of a warp", counted.shuffles) << "\n";
  line("atomic accesses", counted.atomics) << "\n";
  line("bank conflicts", counted.bankConflicts) << "\n";
  auto sectors = [&](const char *name, const emulator::GlobalTraffic &traffic) {
    os << llvm::format("  %-20s  %12.4g  where its bytes fill %.4g\n", name,
                       divide(traffic.sectors, traffic.requests),
                       divide(traffic.bytes, 32 * traffic.requests));
  };
  sectors("sectors per read", counted.reads);
  sectors("sectors per write", counted.writes);
}

static void printStatisticsJson(const RunReport &report,
                                llvm::json::OStream &json) {
  const emulator::EmulatorStatistics &counted = *report.statistics;
  json.attributeObject("statistics", [&] {
    json.attribute("elements", report.elements);
    json.attribute("launches", counted.launches);
    json.attribute("threads", counted.threads);
    auto traffic = [&](StringRef name, const emulator::GlobalTraffic &value) {
      json.attributeObject(name, [&] {
        json.attribute("bytes", value.bytes);
        json.attribute("compulsory_bytes", value.compulsoryBytes);
        json.attribute("requests", value.requests);
        json.attribute("sectors", value.sectors);
        json.attribute("bytes_per_element",
                       divide(value.bytes, report.elements));
        json.attribute("compulsory_bytes_per_element",
                       divide(value.compulsoryBytes, report.elements));
        json.attribute("sectors_per_request",
                       divide(value.sectors, value.requests));
      });
    };
    traffic("global_reads", counted.reads);
    traffic("global_writes", counted.writes);
    json.attribute("shared_requests", counted.sharedRequests);
    json.attribute("bank_conflicts", counted.bankConflicts);
    json.attribute("barriers", counted.barriers);
    json.attribute("shuffles", counted.shuffles);
    json.attribute("atomics", counted.atomics);
  });
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

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
    if (report.statistics)
      printStatisticsJson(report, json);
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
          if (!result.advice.empty())
            json.attribute("advice", result.advice);
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
  for (auto [i, result] : llvm::enumerate(report.results))
    if (!result.advice.empty())
      os << "  result " << i << ": " << result.advice << "\n";
}

void mlir::scan::printReport(const RunOptions &options, const RunReport &report,
                             llvm::raw_ostream &os) {
  if (options.json)
    return printJson(report, os);
  if (options.outputs.empty() && options.compare.empty() && !options.time &&
      !options.stats)
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
  if (report.statistics)
    printStatistics(report, os);
}
