//===- Kernels.cpp - Kernels of programs, loaded and chosen ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramState.h"
#include <algorithm>

using namespace mlir::scan::launcher;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: how much dynamic shared
/// memory a kernel may have, of which more than the default has to be asked
/// for.
static constexpr int kMaxDynamicSharedSizeAttribute = 8;
static constexpr int64_t kDefaultSharedBytes = 48 * 1024;

/// CU_STREAM_CAPTURE_MODE_RELAXED.
static constexpr int kRelaxedCapture = 2;

namespace {
/// Lets this thread allocate on the GPU while another one captures a stream,
/// which loading does.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaDriver &driver) : driver(driver) {
    isExchanged = driver.threadExchangeStreamCaptureMode(&mode) == 0;
  }
  ~RelaxedCapture() {
    if (isExchanged)
      (void)driver.threadExchangeStreamCaptureMode(&mode);
  }

private:
  const CudaDriver &driver;
  int mode = kRelaxedCapture;
  bool isExchanged;
};
} // namespace

/// The handle of a kernel in `module`, which has it.
static Status findKernel(const CudaDriver &cuda, void *module,
                         const KernelDescription &kernel, void *&handle) {
  Status status = cuda.check(
      cuda.moduleGetFunction(&handle, module, kernel.entry.c_str()),
      ("finding the kernel '" + kernel.entry + "' in the PTX").c_str());
  if (status.ok() && kernel.dynamicSharedBytes > kDefaultSharedBytes)
    status = cuda.check(
        cuda.funcSetAttribute(handle, kMaxDynamicSharedSizeAttribute,
                              static_cast<int>(kernel.dynamicSharedBytes)),
        ("allowing the kernel '" + kernel.entry + "' " +
         std::to_string(kernel.dynamicSharedBytes) + " bytes of shared memory")
            .c_str());
  return status;
}

Status mlir::scan::launcher::addKernels(LoadedProgram &program,
                                        const std::string &ptx,
                                        const std::vector<PTXEntry> &entries) {
  const Device &device = *program.device;
  Status status = device.makeCurrent();
  if (!status.ok())
    return status;
  const CudaDriver &cuda = *device.getDriver();
  RelaxedCapture relaxed(cuda);
  // CU_JIT_ERROR_LOG_BUFFER and its size: what the driver's assembler says.
  char log[4096] = {};
  int options[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  void *module = nullptr;
  status = cuda.check(
      cuda.moduleLoadDataEx(&module, ptx.c_str(), 2, options, values),
      ("loading PTX for " + program.manifest.chip + " on " + device.getName())
          .c_str());
  if (!status.ok())
    return Status::failure(status.getMessage() +
                           (log[0] ? std::string(": ") + log : ""));
  // Launches go on meanwhile.
  std::vector<std::vector<void *>> found;
  for (const FunctionDescription &function : program.manifest.functions) {
    found.emplace_back();
    for (const KernelDescription &kernel : function.kernels) {
      found.back().push_back(nullptr);
      bool isThere =
          std::any_of(entries.begin(), entries.end(), [&](const auto &entry) {
            return entry.name == kernel.entry;
          });
      if (status.ok() && isThere)
        status = findKernel(cuda, module, kernel, found.back().back());
    }
  }
  if (!status.ok()) {
    cuda.moduleUnload(module);
    return status;
  }
  std::lock_guard<std::mutex> lock(program.mutex);
  program.modules.push_back(module);
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < found[i].size(); ++j)
      if (found[i][j] && !program.kernels[i][j])
        program.kernels[i][j] = found[i][j];
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

Status mlir::scan::launcher::chooseKernels(const FunctionDescription &function,
                                           const Names &names,
                                           std::vector<bool> &isLaunched) {
  isLaunched.clear();
  for (const KernelDescription &kernel : function.kernels) {
    bool holds = true;
    for (const Expression &condition : kernel.conditions) {
      int64_t isMet = 0;
      Status status = evaluate(condition, names, isMet);
      if (!status.ok())
        return status;
      holds &= isMet != 0;
    }
    isLaunched.push_back(holds);
  }
  return Status::success();
}

/// What a variant may be like that serves until the one for these extents is
/// compiled, which takes about a tenth of a second: each thread has so many
/// elements at most, a thousandth of a second or so; there are so many threads
/// for each element, beyond a few blocks; and the workspace is small, or this
/// fraction of the largest buffer.
static constexpr double kMostElementsPerThread = 1 << 16;
static constexpr double kMostThreadsPerElement = 64, kFewBlocks = 4096;
static constexpr double kSmallWorkspace = 1 << 20;
static constexpr double kMostOfBuffer = 1.0 / 16;

/// The elements that each thread of a kernel has, where it can serve for these
/// arguments; else nothing.
static std::optional<double> rateServing(const FunctionDescription &function,
                                         const KernelDescription &description,
                                         const std::vector<Argument> &arguments,
                                         const Names &names) {
  PreparedKernel kernel;
  if (!prepareKernel(description, nullptr, arguments, names,
                     /*statuses=*/nullptr, kernel)
           .ok())
    return std::nullopt;
  double elements = 1, bytes = 1;
  for (const ParameterDescription &parameter : description.parameters) {
    if (parameter.kind != ParameterKind::Pointer)
      continue;
    const BufferDescription &read = function.buffers[parameter.index];
    Buffer buffer;
    if (!evaluateShape(read.shape, read.elementBytes, names, buffer).ok())
      return std::nullopt;
    bytes = std::max<double>(bytes, buffer.bytes);
    elements =
        std::max<double>(elements, double(buffer.bytes) / read.elementBytes);
  }
  double blocks = 1, threads = 1;
  for (int i = 0; i < 3; ++i) {
    blocks *= kernel.grid[i];
    threads *= kernel.block[i];
  }
  threads *= blocks;
  if (elements > kMostElementsPerThread * threads ||
      (threads > kMostThreadsPerElement * elements && blocks > kFewBlocks) ||
      kernel.workspaceBytes > std::max(kSmallWorkspace, kMostOfBuffer * bytes))
    return std::nullopt;
  return elements / threads;
}

namespace {
/// The kernels of one variant of a scan, by their numbers.
struct Variant {
  int64_t number;
  std::vector<size_t> kernels;
};
} // namespace

static std::vector<Variant> listVariants(const FunctionDescription &function,
                                         int64_t scan) {
  std::vector<Variant> variants;
  for (size_t i = 0; i < function.kernels.size(); ++i) {
    const KernelDescription &kernel = function.kernels[i];
    if (kernel.scan != scan)
      continue;
    auto known = std::find_if(variants.begin(), variants.end(),
                              [&](const Variant &variant) {
                                return variant.number == kernel.variant;
                              });
    if (known == variants.end())
      known = variants.insert(known, {kernel.variant, {}});
    known->kernels.push_back(i);
  }
  return variants;
}

bool mlir::scan::launcher::replaceMissing(
    const FunctionDescription &function, const std::vector<void *> &handles,
    const std::vector<Argument> &arguments, const Names &names,
    std::vector<bool> &isLaunched) {
  bool isReplaced = false;
  for (size_t i = 0; i < function.kernels.size(); ++i) {
    const KernelDescription &missing = function.kernels[i];
    if (!isLaunched[i] || handles[i] || missing.scan < 0)
      continue;
    std::vector<Variant> variants = listVariants(function, missing.scan);
    const Variant *best = nullptr;
    double least = 0;
    for (const Variant &variant : variants) {
      double most = 0;
      bool serves = variant.number != missing.variant;
      for (size_t kernel : variant.kernels) {
        std::optional<double> rate;
        if (serves && handles[kernel])
          rate =
              rateServing(function, function.kernels[kernel], arguments, names);
        serves &= rate.has_value();
        most = std::max(most, rate.value_or(0));
      }
      if (serves && (!best || most < least)) {
        best = &variant;
        least = most;
      }
    }
    if (!best)
      continue;
    for (const Variant &variant : variants)
      for (size_t kernel : variant.kernels)
        isLaunched[kernel] = &variant == best;
    isReplaced = true;
  }
  return isReplaced;
}

Status Function::getMissing(const std::vector<Argument> &arguments,
                            std::vector<std::string> &missing) const {
  Names names;
  std::vector<bool> isLaunched;
  Status status = bindArguments(*description, arguments, names);
  if (status.ok())
    status = chooseKernels(*description, names, isLaunched);
  if (!status.ok())
    return status;
  missing.clear();
  std::vector<void *> handles =
      program->getKernels(description - program->manifest.functions.data());
  for (size_t i = 0; i < handles.size(); ++i)
    if (isLaunched[i] && !handles[i])
      missing.push_back(description->kernels[i].entry);
  return status;
}
