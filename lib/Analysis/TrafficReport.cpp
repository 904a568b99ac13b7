//===- TrafficReport.cpp - Traffic as a table and as JSON -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrafficReport.h"
#include "IR/StepsRange.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Numbers for extents
//===----------------------------------------------------------------------===//

FailureOr<TrafficReport::Extent> scan::parseExtent(StringRef text,
                                                   std::string &error) {
  auto [name, number] = text.split('=');
  TrafficReport::Extent extent = {name.str(), 0};
  if (name.empty() || number.getAsInteger(10, extent.value) ||
      extent.value < 0) {
    error = "expected an extent and its value, as in arg0_d1=1024, found '" +
            text.str() + "'";
    return failure();
  }
  return extent;
}

LogicalResult TrafficReport::assume(ArrayRef<Extent> extents,
                                    std::string &error, bool mayBeUnknown) {
  for (const Extent &extent : extents) {
    bool isKnown = mayBeUnknown;
    for (Function &function : functions) {
      ExtentTable &table = function.analysis->getExtents();
      std::optional<SymbolicPolynomial> polynomial = table.lookup(extent.name);
      if (!polynomial)
        continue;
      isKnown = true;
      if (std::optional<SymbolicPolynomial::Symbol> symbol =
              polynomial->getAsSymbol())
        function.numbers.try_emplace(*symbol, extent.value);
      SymbolicPolynomial value = function.evaluate(*polynomial);
      if (value == SymbolicPolynomial(extent.value))
        continue;
      error = "expected the extent " + extent.name + " of @" + function.name +
              " to be " + function.toString(value) + ", found " +
              std::to_string(extent.value);
      return failure();
    }
    if (isKnown)
      continue;
    error = "expected the name of an extent, such as arg0_d1 (dimension 1 of "
            "argument 0), found '" +
            extent.name + "'; known are";
    for (const Function &function : functions) {
      error += " @" + function.name + ":";
      ExtentTable &table = function.analysis->getExtents();
      for (unsigned i = 0; i < table.getNumSymbols(); ++i)
        error += " " + table.getName(i);
    }
    return failure();
  }
  return success();
}

SymbolicPolynomial
TrafficReport::Function::evaluate(const SymbolicPolynomial &polynomial) const {
  return polynomial.substitute(
      [&](SymbolicPolynomial::Symbol symbol) -> std::optional<int64_t> {
        auto number = numbers.find(symbol);
        if (number == numbers.end())
          return std::nullopt;
        return number->second;
      });
}

std::string
TrafficReport::Function::toString(const SymbolicPolynomial &polynomial) const {
  return analysis->getExtents().toString(evaluate(polynomial));
}

std::optional<double>
TrafficReport::Function::getRatio(const Bytes &bytes) const {
  return evaluate(bytes.getTotal())
      .getRatio(evaluate(traffic.compulsory.getTotal()));
}

TrafficReport::TrafficReport(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    // A named sequence of a transform script computes nothing.
    if (op.isExternal() || op->getName().getDialectNamespace() == "transform")
      return WalkResult::skip();
    Function function;
    function.name = op.getName().str();
    function.analysis = std::make_unique<TrafficAnalysis>(op);
    function.traffic = function.analysis->getFunctionTraffic(op);
    functions.push_back(std::move(function));
    return WalkResult::skip();
  });
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

/// Where the operation is in the source: `file.mlir:12:8`, or nothing.
static std::string getPlace(Operation *op) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc)
    return "";
  return (llvm::sys::path::filename(loc.getFilename()) + ":" +
          Twine(loc.getLine()) + ":" + Twine(loc.getColumn()))
      .str();
}

/// " (steps <= 1024)" of a kernel that is run with some extents only.
static std::string describeSteps(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel || !hasStepsRange(kernel))
    return "";
  return " (" + getStepsRange(kernel).describe() + ")";
}

void TrafficReport::printTable(llvm::raw_ostream &os) const {
  for (const Function &function : functions) {
    const FunctionTraffic &traffic = function.traffic;
    std::vector<std::array<std::string, 4>> rows;
    rows.push_back({"@" + function.name, "", "bytes read", "bytes written"});
    bool isAssumed = false;
    auto addRow = [&](std::string what, std::string place, const Bytes &bytes) {
      rows.push_back({"  " + what, place, function.toString(bytes.read),
                      function.toString(bytes.written)});
    };
    for (const OperationTraffic &moved : traffic.operations) {
      std::string name = moved.op->getName().getStringRef().str();
      if (moved.isAssumed)
        name += " (?)";
      isAssumed |= moved.isAssumed;
      if (moved.count != SymbolicPolynomial(1))
        name += " x " + function.toString(moved.count);
      addRow(name, getPlace(moved.op) + describeSteps(moved.op), moved.bytes);
    }
    size_t count = traffic.operations.size();
    addRow("total",
           std::to_string(count) + (count == 1 ? " operation" : " operations"),
           traffic.total);
    if (traffic.hasChoice)
      addRow("least", "by branches", traffic.least);
    addRow("compulsory", "", traffic.compulsory);

    std::array<size_t, 4> widths = {};
    for (const auto &row : rows)
      for (unsigned i = 0; i < 4; ++i)
        widths[i] = std::max(widths[i], row[i].size());
    for (const auto &row : rows) {
      std::string line;
      for (unsigned i = 0; i < 4; ++i) {
        line += row[i];
        line.append(widths[i] - row[i].size() + 2, ' ');
      }
      os << StringRef(line).rtrim() << "\n";
    }
    if (std::optional<double> ratio = function.getRatio(traffic.total))
      os << "  total / compulsory  " << llvm::format("%.4g", *ratio) << "\n";
    if (std::optional<double> ratio = function.getRatio(traffic.least);
        ratio && traffic.hasChoice)
      os << "  least / compulsory  " << llvm::format("%.4g", *ratio) << "\n";
    if (isAssumed)
      os << "  (?) taken to read its operands and write its results whole\n";
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void TrafficReport::printJson(llvm::json::OStream &json) const {
  for (const Function &function : functions) {
    auto addPolynomial = [&](StringRef name,
                             const SymbolicPolynomial &polynomial) {
      json.attribute(name, function.toString(polynomial));
    };
    auto addNumber = [&](StringRef name, const SymbolicPolynomial &polynomial) {
      std::optional<llvm::DynamicAPInt> number =
          function.evaluate(polynomial).getConstant();
      json.attributeBegin(name);
      if (number)
        json.rawValue(function.toString(polynomial));
      else
        json.value(nullptr);
      json.attributeEnd();
    };
    auto addBytes = [&](const Bytes &bytes) {
      addPolynomial("read", bytes.read);
      addPolynomial("written", bytes.written);
      addNumber("read_bytes", bytes.read);
      addNumber("written_bytes", bytes.written);
    };
    json.object([&] {
      json.attribute("name", function.name);
      json.attributeObject("extents", [&] {
        const ExtentTable &table = function.analysis->getExtents();
        for (unsigned i = 0; i < table.getNumSymbols(); ++i)
          addNumber(table.getName(i), SymbolicPolynomial::getSymbol(i));
      });
      json.attributeArray("operations", [&] {
        for (const OperationTraffic &moved : function.traffic.operations)
          json.object([&] {
            json.attribute("operation", moved.op->getName().getStringRef());
            json.attribute("location", getPlace(moved.op));
            if (auto kernel = dyn_cast<KernelOp>(moved.op);
                kernel && hasStepsRange(kernel))
              json.attribute("when", getStepsRange(kernel).describe());
            addPolynomial("runs", moved.count);
            addBytes(moved.bytes);
            json.attribute("assumed", moved.isAssumed);
          });
      });
      json.attributeObject("total", [&] { addBytes(function.traffic.total); });
      json.attributeObject("compulsory",
                           [&] { addBytes(function.traffic.compulsory); });
      auto addRatio = [&](StringRef name, const Bytes &bytes) {
        std::optional<double> ratio = function.getRatio(bytes);
        json.attribute(name, ratio ? llvm::json::Value(*ratio)
                                   : llvm::json::Value(nullptr));
      };
      addRatio("total_over_compulsory", function.traffic.total);
      if (!function.traffic.hasChoice)
        return;
      json.attributeObject("least", [&] { addBytes(function.traffic.least); });
      addRatio("least_over_compulsory", function.traffic.least);
    });
  }
}
