//===- Processor.cpp - What was measured of a CPU -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processor.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::scan;

const Processor &Processor::getDefault() {
  // The mean of two runs of benchmark/cpu/machine.py on the machine of
  // benchmark/results/cpu-AMD-EPYC.md, of which both cores copied 44.8 and
  // 53.7 GB/s, and the rates of vectors were 5.6 and 4.5.
  static const Processor epyc = {/*name=*/"AMD EPYC (family 25, model 17)",
                                 /*date=*/"2026-11-26",
                                 /*vectorBits=*/512,
                                 /*cores=*/2,
                                 /*coreBandwidth=*/27.9,
                                 /*bandwidth=*/49.2,
                                 /*coreCacheBandwidth=*/96.5,
                                 /*cacheBandwidth=*/189.6,
                                 /*cacheBytes=*/32 << 20,
                                 /*vectorRate=*/5.0};
  return epyc;
}

static bool read(const llvm::json::Value &value, Processor &result,
                 llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("name", result.name) ||
      !mapper.map("date", result.date) ||
      !mapper.map("vector_bits", result.vectorBits) ||
      !mapper.map("cores", result.cores) ||
      !mapper.map("core_bandwidth", result.coreBandwidth) ||
      !mapper.map("bandwidth", result.bandwidth) ||
      !mapper.map("core_cache_bandwidth", result.coreCacheBandwidth) ||
      !mapper.map("cache_bandwidth", result.cacheBandwidth) ||
      !mapper.map("cache_bytes", result.cacheBytes) ||
      !mapper.map("vector_rate", result.vectorRate))
    return false;
  auto requirePositive = [&](StringRef name, double number) {
    bool isPositive = number > 0;
    if (!isPositive)
      path.field(name).report("expected a positive number");
    return isPositive;
  };
  if (result.vectorBits < 64 || result.vectorBits > 4096 ||
      !llvm::isPowerOf2_64(result.vectorBits)) {
    path.field("vector_bits").report("expected a power of two from 64 to 4096");
    return false;
  }
  return requirePositive("cores", result.cores) &&
         requirePositive("core_bandwidth", result.coreBandwidth) &&
         requirePositive("bandwidth", result.bandwidth) &&
         requirePositive("core_cache_bandwidth", result.coreCacheBandwidth) &&
         requirePositive("cache_bandwidth", result.cacheBandwidth) &&
         requirePositive("cache_bytes", result.cacheBytes) &&
         requirePositive("vector_rate", result.vectorRate);
}

llvm::Expected<Processor> Processor::parseFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return llvm::createFileError(path, value.takeError());
  llvm::json::Path::Root root("machine");
  Processor result;
  if (!read(*value, result, root))
    return llvm::createFileError(path, root.getError());
  return result;
}

void Processor::print(llvm::json::OStream &json) const {
  json.attribute("name", name);
  json.attribute("date", date);
  json.attribute("vector_bits", vectorBits);
  json.attribute("cores", cores);
  json.attribute("core_bandwidth", coreBandwidth);
  json.attribute("bandwidth", bandwidth);
  json.attribute("core_cache_bandwidth", coreCacheBandwidth);
  json.attribute("cache_bandwidth", cacheBandwidth);
  json.attribute("cache_bytes", cacheBytes);
  json.attribute("vector_rate", vectorRate);
}
