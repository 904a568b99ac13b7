//===- Roofline.cpp - What bounds a kernel, whatever its schedule ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::scan;

// Instructions of a thread per clock and multiprocessor (CUDA C++ Programming
// Guide 13.0, "Arithmetic Instructions"): of its special function units, of its
// schedulers, and of its units for floating-point numbers of 32 bits, of which
// the chips for data centers before sm_90 and those before sm_86 have half.
static constexpr double kSpecialsPerClock = 16;
static constexpr double kSlotsPerClock = 128;
static double getFloatsPerClock(const Chip &chip) {
  return chip.computeCapability <= 80 ? 64 : 128;
}

const Roofline::Roof &Roofline::getHighest() const {
  return *llvm::max_element(roofs, [](const Roof &one, const Roof &other) {
    return one.nanoseconds < other.nanoseconds;
  });
}

Roofline Roofline::get(const KernelFacts &facts, const Chip &chip,
                       double bandwidth) {
  double elements = double(facts.extent) * facts.batch;
  Roofline roofline;
  double bytes = facts.getCompulsoryBytes();
  roofline.roofs.push_back({"memory", bytes, bytes / bandwidth});
  auto add = [&](StringRef unit, double each, double perClock) {
    double count = each * elements;
    roofline.roofs.push_back(
        {unit, count, count / (perClock * chip.numSMs * chip.clock)});
  };
  add("special functions", facts.walk.specials, kSpecialsPerClock);
  add("float operations", facts.walk.floats, getFloatsPerClock(chip));
  // A special instruction takes one slot, though it counts twice.
  add("issue slots", facts.walk.instructions - facts.walk.specials,
      kSlotsPerClock);
  return roofline;
}

/// "637.5 M"
static std::string formatCount(double count) {
  static constexpr StringRef prefixes[] = {"", " k", " M", " G", " T"};
  unsigned prefix = 0;
  while (count >= 1000 && prefix + 1 < std::size(prefixes)) {
    count /= 1000;
    ++prefix;
  }
  return llvm::formatv(prefix ? "{0:F1}{1}" : "{0:F0}{1}", count,
                       prefixes[prefix]);
}

void Roofline::printText(llvm::raw_ostream &os, double nanoseconds) const {
  for (const Roof &roof : roofs) {
    os << roof.unit << llvm::formatv(" {0:F4} ms", roof.nanoseconds * 1e-6);
    if (roof.unit != "memory")
      os << " (" << formatCount(roof.count) << ")";
    os << (&roof == &roofs.back() ? "; " : ", ");
  }
  const Roof &highest = getHighest();
  os << "reaches " << llvm::formatv("{0:F2}", highest.nanoseconds / nanoseconds)
     << " of the highest, " << highest.unit << "\n";
}

void Roofline::printJson(llvm::json::OStream &json) const {
  json.attributeArray("roofline", [&] {
    for (const Roof &roof : roofs)
      json.object([&] {
        json.attribute("unit", roof.unit);
        json.attribute("count", roof.count);
        json.attribute("nanoseconds", roof.nanoseconds);
      });
  });
  json.attribute("roofline_bound", getHighest().unit);
}
