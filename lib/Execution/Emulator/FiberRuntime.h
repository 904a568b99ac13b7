//===- FiberRuntime.h - Runs GPU threads as fibers --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run-time part of the SIMT emulator. Kernels that --convert-gpu-to-fibers
// has turned into plain functions run here, one fiber per GPU thread, on one
// thread of the operating system. The order in which threads and blocks make
// progress is drawn from a seed, so that a run can be repeated and a kernel
// that relies on a lucky order is found out.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_FIBERRUNTIME_H
#define SCAN_LIB_EXECUTION_EMULATOR_FIBERRUNTIME_H

#include "Execution/JIT.h"
#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Pipelines/StridedArguments.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::scan::emulator {

/// How many threads form a warp.
constexpr unsigned kLanesPerWarp = 32;

/// What an mbarrier takes up, and what its address has to be a multiple of.
constexpr unsigned kMBarrierBytes = 8;

/// What memory reads as before anything has been written to it, repeated:
/// shared memory at the start of a block, fresh allocations, and the value of a
/// shuffle that has none. As f16, bf16, f32 and f64 it is a NaN; as integers it
/// is -5 (i16), -262149 (i32) and 0xFFFBFFFBFFFBFFFB (i64).
constexpr uint16_t kPoison = 0xFFFB;

/// Fills `bytes` bytes at `memory` with the poison pattern.
void poisonMemory(void *memory, size_t bytes);

/// The order in which threads and blocks run.
enum class Schedule {
  /// Blocks and threads by ascending id, each as far as it gets.
  InOrder,
  /// Both drawn from the seed; the quantum of a thread may also end in a loop.
  Random,
  /// Blocks from the last to the first; of the threads that can go on the one
  /// that has waited least, so that one is as far ahead as it can be of
  /// another.
  Adversarial
};

struct EmulatorOptions {
  uint64_t seed = 0;
  Schedule schedule = Schedule::Random;
  /// How many blocks run side by side; the next one starts when one has ended.
  /// At least 1.
  unsigned residentBlocks = 4;
  /// How many steps (loop iterations, barriers, shuffles) all threads of one
  /// launch may take together before the launch counts as a livelock. 0 means
  /// no limit. The default takes some seconds to use up.
  uint64_t stepBudget = 1'000'000'000;
  /// Whether every access to memory is checked: races, bounds, reads of what
  /// was never written.
  bool checkMemory = true;
  /// Whether scans with dynamic extents may become several kernels, among which
  /// the host chooses. A program is compiled anew for each run of the emulator,
  /// which takes longer than most runs.
  bool dispatch = true;
  /// The strides and offsets that inputs may have.
  StridedArguments stridedArguments = StridedArguments::None;
  /// As PTXOptions::maxStateBytes.
  int64_t maxStateBytes = kDefaultMaxStateBytes;
  /// Whether accesses to memory are counted.
  bool countAccesses = false;

  /// Whether compiled code has to tell of every access.
  bool needsInstrumentation() const { return checkMemory || countAccesses; }
};

struct Dim3 {
  int64_t x = 1, y = 1, z = 1;
  int64_t count() const { return x * y * z; }
};

/// A workgroup attribution of a kernel.
struct SharedBuffer {
  /// Where it starts in the workgroup memory of a block.
  int64_t offset;
  int64_t bytes;
};

/// An argument of the compiled kernel.
struct KernelArgument {
  /// Its number among the arguments of the gpu.func if it is a pointer, else
  /// -1.
  int64_t number;
  /// Its name, null-terminated; null if it has none.
  const char *name;
};

/// A variable in global memory.
struct GlobalBuffer {
  const void *address;
  int64_t bytes;
  const char *name; ///< Null-terminated.
};

/// A kernel as compiled code hands it to the runtime. The layout is part of the
/// contract with --convert-gpu-to-fibers.
struct KernelDescriptor {
  /// The code. `arguments` has one pointer per kernel argument, to its value.
  void (*entry)(void **arguments);
  /// "module::function", null-terminated.
  const char *name;
  /// Bytes of statically declared workgroup memory.
  int64_t sharedBytes;
  /// The kernel's `known_block_size`, zeros where it has none.
  int32_t knownBlockSize[3];
  /// What `sharedBuffers` take up here, with gaps between them in which an
  /// access out of bounds is found out.
  int64_t sharedLayoutBytes;
  const SharedBuffer *sharedBuffers;
  int64_t numSharedBuffers;
  const KernelArgument *arguments;
  int64_t numArguments;
  const GlobalBuffer *globals;
  int64_t numGlobals;
};

/// The result of a shuffle. The layout is part of the contract with
/// --convert-gpu-to-fibers: two 64-bit words, returned in registers.
struct ShuffleResult {
  /// The value in the low bits.
  uint64_t bits;
  /// 1 if the value comes from a lane in range, else 0.
  uint64_t valid;
};

/// The modes of a shuffle, by the numbers that compiled code passes.
enum class ShuffleMode : int32_t { Xor = 0, Up = 1, Down = 2, Idx = 3 };

/// Reads or writes of global memory.
struct GlobalTraffic {
  uint64_t bytes = 0;    ///< That threads have asked for.
  uint64_t requests = 0; ///< Instructions that a warp has executed.
  uint64_t sectors = 0;  ///< Of 32 bytes, different ones within a request.
  /// Bytes that a launch has to move at least: different ones that it writes,
  /// and different ones that it reads without having written them before.
  uint64_t compulsoryBytes = 0;
};

/// What a runtime has done since it was made.
struct EmulatorStatistics {
  uint64_t launches = 0;
  uint64_t threads = 0;
  uint64_t barriers = 0; ///< Counted once per block that passes one.
  uint64_t shuffles = 0; ///< Counted once per warp that passes one.

  // Only with EmulatorOptions::countAccesses.
  GlobalTraffic reads, writes;
  uint64_t atomics = 0; ///< Counted once per thread.
  /// Instructions that access workgroup memory, counted once per warp, and how
  /// often one of them has to wait because two words are in the same bank.
  uint64_t sharedRequests = 0, bankConflicts = 0;
};

class Scheduler;

/// Runs launches, one after the other. The first error ends the launch that it
/// occurs in and turns all later ones into no-ops.
class FiberRuntime {
public:
  explicit FiberRuntime(const EmulatorOptions &options);
  ~FiberRuntime();

  /// Runs `kernel` to its end. Returns false, and leaves a message in
  /// `getError()`, if the launch breaks a limit of the hardware, if threads of
  /// a block disagree on a barrier or lanes of a warp on a shuffle, or if the
  /// step budget is used up.
  bool launch(const KernelDescriptor &kernel, Dim3 grid, Dim3 block,
              int64_t dynamicSharedBytes, void **arguments);

  /// Declares memory that is not the program's own, as kernels may access
  /// nothing that the runtime does not know: an input, with its values.
  void addInput(const void *begin, size_t bytes, std::string name);
  /// How many of these bytes, from the first one on, have been written; all if
  /// memory is not checked.
  size_t countWritten(const void *begin, size_t bytes);

  /// The first error; empty while there is none.
  const std::string &getError() const;

  const EmulatorStatistics &getStatistics() const;

  /// Makes `runtime` the one that compiled code on this thread of the operating
  /// system calls, for as long as the scope lives.
  class Scope {
  public:
    explicit Scope(FiberRuntime &runtime);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Scheduler *previous;
  };

private:
  std::unique_ptr<Scheduler> scheduler;
};

/// Every function of the runtime that compiled code calls. Memory, failed
/// assertions and their messages are among them: those of the host's code are
/// passed on to HostRuntime.
std::vector<JITSymbol> getRuntimeSymbols();

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_FIBERRUNTIME_H
