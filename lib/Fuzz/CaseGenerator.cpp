//===- CaseGenerator.cpp - What programs are called with ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Driver/InputSpec.h"
#include "ProgramGenerator.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

Case fuzz::makeCase(const Program &program, uint64_t seed,
                    uint64_t programIndex, uint64_t index,
                    int64_t maxElements) {
  // Around the sizes of warps, vectors, tiles and blocks of rows.
  static const int64_t along[] = {
      0,   1,   2,   3,   4,   5,   7,   8,    9,    15,   16,   17,  31,  32,
      33,  47,  63,  64,  65,  96,  127, 128,  129,  191,  192,  193, 255, 256,
      257, 383, 385, 511, 513, 769, 999, 1000, 1023, 1025, 1537, 4097};
  static const int64_t across[] = {1,  1,  2,  2,  3,  4,  5,  7,   8,   9,
                                   16, 17, 31, 32, 33, 63, 65, 127, 129, 130};
  fuzz::Random random(seed + 0x5CA1AB1E, (programIndex << 20) + index);
  Case call;
  call.seed = random.next();
  call.extents.assign(program.extents);
  auto countElements = [&] {
    int64_t count = 1;
    for (int64_t extent : call.extents)
      count *= std::max<int64_t>(extent, 1);
    return count;
  };
  unsigned dim = program.scans[random.below(program.scans.size())].dim;
  for (unsigned i = 0; i < call.extents.size(); ++i)
    if (call.extents[i] == kDynamic)
      call.extents[i] = i == dim           ? random.pick(along)
                        : random.chance(2) ? 0
                                           : random.pick(across);
  // The scanned extent is the last one to be cut down.
  for (unsigned i = 0; i < call.extents.size() && countElements() > maxElements;
       ++i)
    if (i != dim && program.extents[i] == kDynamic)
      call.extents[i] = random.between(1, 3);
  while (countElements() > maxElements && program.extents[dim] == kDynamic &&
         call.extents[dim] > 1)
    call.extents[dim] = call.extents[dim] / 2;
  return call;
}

static Values makeValues(Domain domain, fuzz::Random &random) {
  switch (domain) {
  case Domain::AnyInteger:
    return random.pick(
        {Values::Bits, Values::Bits, Values::Bits, Values::Few, Values::Small});
  case Domain::Flag:
    return Values::Flag;
  case Domain::Position:
    return Values::Position;
  case Domain::Small:
    return Values::Small;
  case Domain::AnyFloat:
    return random.pick(
        {Values::Unit, Values::Special, Values::Few, Values::Tiny});
  case Domain::Comparable:
    return random.pick({Values::Few, Values::Unit});
  case Domain::Sum:
    return random.pick({Values::Unit, Values::Unit, Values::Cancel,
                        Values::Cancel, Values::Infinite, Values::Tiny,
                        Values::Few});
  case Domain::Unit:
    return random.pick(
        {Values::Unit, Values::Unit, Values::Unit, Values::Unit, Values::Tiny});
  case Domain::NearOne:
    return Values::NearOne;
  case Domain::Rotation:
    return Values::Rotation;
  case Domain::Third:
    return Values::Third;
  case Domain::Positive:
    return Values::Positive;
  case Domain::Coefficient:
    return random.pick(
        {Values::Unit, Values::Growing, Values::Growing, Values::Tiny});
  case Domain::Input:
    return random.pick(
        {Values::Unit, Values::Sparse, Values::Sparse, Values::Tiny});
  }
  llvm_unreachable("all domains are handled");
}

/// "KIND:TYPE:SHAPE", without characters that mean something to a shell.
static std::string getSpec(StringRef kind, const Parameter &parameter,
                           ArrayRef<int64_t> shape) {
  std::string text = kind.str() + ":";
  text += parameter.type == "complex<f32>"   ? "c64"
          : parameter.type == "complex<f64>" ? "c128"
                                             : parameter.type;
  text += ":";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return text;
}

/// The specification of uniform numbers from the domain.
static std::string getUniform(const Parameter &parameter,
                              ArrayRef<int64_t> shape, uint64_t seed) {
  std::string text =
      getSpec("random", parameter, shape) + ":" + std::to_string(seed);
  switch (parameter.domain) {
  case Domain::Small:
    return text + ":0:3";
  case Domain::NearOne:
    return isComplexType(parameter.type) ? text : text + ":0.95:1.05";
  case Domain::Positive:
    return text + ":0.5:1";
  case Domain::Rotation:
  case Domain::Third:
    return isComplexType(parameter.type) ? text + ":-0.25:0.25"
                                         : text + ":-0.375:0.375";
  default:
    return text;
  }
}

/// A small seed of an argument, for a specification.
static uint64_t getSpecSeed(const Case &call, size_t index) {
  return call.seed % 1000 + index;
}

static Type getArgumentType(const Parameter &parameter, ArrayRef<int64_t> shape,
                            MLIRContext &context) {
  Type element = parseType(parameter.type, &context);
  return parameter.isScalar ? element : RankedTensorType::get(shape, element);
}

SmallVector<HostArray> fuzz::makeArguments(const Program &program,
                                           const Case &call,
                                           MLIRContext &context) {
  SmallVector<HostArray> arguments;
  for (auto [i, parameter] : llvm::enumerate(getParameters(program))) {
    SmallVector<int64_t> shape = parameter.getShape(call.extents);
    Type type = getArgumentType(parameter, shape, context);
    if (call.filling == Case::Explicit) {
      auto it = call.values.find(parameter.id);
      if (it == call.values.end()) {
        arguments.push_back(
            HostArray::zeros(getElementTypeOrSelf(type), shape));
        continue;
      }
      arguments.push_back(it->second);
      // A type belongs to its context.
      arguments.back().elementType = getElementTypeOrSelf(type);
      arguments.back().shape = shape;
      continue;
    }
    if (call.filling == Case::Drawn) {
      fuzz::Random random(call.seed, i);
      Values values = makeValues(parameter.domain, random);
      arguments.push_back(makeRandomArray(values, getElementTypeOrSelf(type),
                                          shape, random.next()));
      continue;
    }
    std::string spec = call.filling == Case::Ones
                           ? getSpec("ones", parameter, shape)
                           : getUniform(parameter, shape, getSpecSeed(call, i));
    llvm::Expected<HostArray> array = makeInput(spec, type);
    if (array)
      arguments.push_back(std::move(*array));
    else
      llvm::report_fatal_error(array.takeError());
  }
  return arguments;
}

SmallVector<std::string> fuzz::printArguments(const Program &program,
                                              const Case &call,
                                              MLIRContext &context) {
  SmallVector<std::string> specs;
  SmallVector<HostArray> arguments = makeArguments(program, call, context);
  for (auto [i, parameter] : llvm::enumerate(getParameters(program))) {
    SmallVector<int64_t> shape = parameter.getShape(call.extents);
    if (call.filling == Case::Uniform)
      specs.push_back(getUniform(parameter, shape, getSpecSeed(call, i)));
    else if (call.filling == Case::Ones)
      specs.push_back(getSpec("ones", parameter, shape));
    else
      specs.push_back(printInputSpec(arguments[i]));
  }
  return specs;
}
