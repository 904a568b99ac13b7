//===- PrintTraffic.cpp - --scan-print-traffic ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TrafficReport.h"
#include "IR/MatchCounts.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Transforms/Passes.h"
#include "Target/OutputFiles.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANCOUNTMATCHES
#define GEN_PASS_DEF_SCANPRINTTRAFFIC
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// A table, or a JSON array, per program; the counts of passes.
static void printTable(llvm::raw_ostream &os, const TrafficReport &given,
                       const TrafficReport *fused, DictionaryAttr matches) {
  given.printTable(os);
  if (fused) {
    os << "after --scan-normalize --scan-fuse-elementwise:\n";
    fused->printTable(os);
  }
  for (NamedAttribute pass : matches) {
    os << "--" << pass.getName().getValue() << ":";
    if (auto counts = dyn_cast<DictionaryAttr>(pass.getValue()))
      for (auto [i, count] : llvm::enumerate(counts))
        if (auto number = dyn_cast<IntegerAttr>(count.getValue()))
          os << (i == 0 ? " " : ", ") << number.getValue() << " "
             << count.getName().getValue();
    os << "\n";
  }
}

static void printJson(llvm::raw_ostream &os, const TrafficReport &given,
                      const TrafficReport *fused, DictionaryAttr matches) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("functions", [&] { given.printJson(json); });
    if (fused)
      json.attributeArray("fused", [&] { fused->printJson(json); });
    json.attributeObject("matches", [&] {
      for (NamedAttribute pass : matches)
        json.attributeObject(pass.getName().getValue(), [&] {
          auto counts = dyn_cast<DictionaryAttr>(pass.getValue());
          for (NamedAttribute count :
               counts ? counts.getValue() : ArrayRef<NamedAttribute>())
            if (auto number = dyn_cast<IntegerAttr>(count.getValue()))
              json.attribute(count.getName().getValue(), number.getInt());
        });
    });
  });
  os << "\n";
}

namespace {

struct ScanPrintTraffic final
    : scan::impl::ScanPrintTrafficBase<ScanPrintTraffic> {
  using ScanPrintTrafficBase::ScanPrintTrafficBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    // What `compare` runs on a copy.
    createScanNormalize()->getDependentDialects(registry);
    createScanFuseElementwise()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    std::string error;
    auto fail = [&](const Twine &message) {
      emitError(module.getLoc()) << "scan-print-traffic: " << message;
      signalPassFailure();
    };
    SmallVector<TrafficReport::Extent> numbers;
    for (const std::string &text : extents) {
      FailureOr<TrafficReport::Extent> extent = parseExtent(text, error);
      if (failed(extent))
        return fail(error);
      numbers.push_back(std::move(*extent));
    }
    TrafficReport given(module);
    if (failed(given.assume(numbers, error)))
      return fail(error);

    // A copy inside of the module, where passes may run on it; it goes at the
    // end.
    ModuleOp copy;
    std::optional<TrafficReport> fused;
    llvm::scope_exit eraseCopy([&] {
      fused.reset();
      if (copy)
        copy.erase();
    });
    if (compare) {
      copy = module.clone();
      copy.removeSymNameAttr();
      module.push_back(copy);
      module = copy;
      module->setAttr(kMatchesAttrName, DictionaryAttr::get(&getContext()));
      OpPassManager passes("builtin.module");
      passes.addPass(createScanNormalize());
      passes.addPass(createScanFuseElementwise());
      if (failed(runPipeline(passes, module)))
        return signalPassFailure();
      fused.emplace(module);
      // Not all of what has a name before is there afterwards.
      if (failed(fused->assume(numbers, error, /*mayBeUnknown=*/true)))
        return fail("after fusion: " + error);
    }

    std::string text;
    llvm::raw_string_ostream os(text);
    auto print = format == ReportFormat::Json ? printJson : printTable;
    print(os, given, fused ? &*fused : nullptr, getMatchCounts(module));
    if (llvm::Error failure =
            writeReport(output, text, getOperation().getLoc()))
      return fail(llvm::toString(std::move(failure)));
  }
};

struct ScanCountMatches final
    : scan::impl::ScanCountMatchesBase<ScanCountMatches> {
  void runOnOperation() override {
    if (!getOperation()->hasAttrOfType<DictionaryAttr>(kMatchesAttrName))
      getOperation()->setAttr(kMatchesAttrName,
                              DictionaryAttr::get(&getContext()));
  }
};

} // namespace
