//===- Fiber.h - A stack that can be left and entered again -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_FIBER_H
#define SCAN_LIB_EXECUTION_EMULATOR_FIBER_H

#include "llvm/Support/Compiler.h"
#include <cstddef>
#include <memory>

#if !defined(__x86_64__) && !defined(SCAN_FIBER_UCONTEXT)
#define SCAN_FIBER_UCONTEXT
#endif
#ifdef SCAN_FIBER_UCONTEXT
#include <ucontext.h>
#endif

namespace mlir::scan::emulator {

/// A stack of its own for code that can be suspended. The owner resumes it from
/// the stack of the operating system's thread; fibers do not resume each other.
/// A fiber stays on one thread of the operating system.
class Fiber {
public:
  using Entry = void (*)(void *argument);

  /// Address space for one stack; memory is used page by page as the stack
  /// grows. Kernels keep within kPrivateBytesLimit (PrivateMemory.cpp), the
  /// rest is for values, most of which unoptimised code keeps in memory, and the
  /// runtime's own frames. Less than a huge page, which would be used as a
  /// whole.
  static constexpr size_t kStackBytes = size_t(1024) * 1024;

  /// Null if the operating system has no more memory.
  static std::unique_ptr<Fiber> create();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Lets the next `resume` call `entry(argument)` on an empty stack. Whatever
  /// the stack held is gone; no destructors run.
  void start(Entry entry, void *argument);

  /// Runs the fiber until it suspends itself or its entry returns.
  void resume();

  /// Whether `address` is on this stack.
  bool contains(const void *address) const {
    return static_cast<size_t>(static_cast<const char *>(address) - stack) <
           kStackBytes;
  }

  /// Loads what `resume` reads first, the top of the stack, into the caches.
  void prefetch() const {
#ifndef SCAN_FIBER_UCONTEXT
    for (size_t line = 0; line < 4; ++line)
      LLVM_PREFETCH(static_cast<char *>(own) + line * 64, /*rw=*/1,
                    /*locality=*/3);
#endif
  }

  /// On the fiber: goes back to the one who resumed it.
  void suspend();

private:
  Fiber() = default;
  /// The first function on the stack.
  static void trampoline();
  void switchTo();
  void switchBack(bool final);

  char *mapping = nullptr;
  char *stack = nullptr;
  Entry entry = nullptr;
  void *argument = nullptr;
#ifdef SCAN_FIBER_UCONTEXT
  ucontext_t own;
  ucontext_t resumer;
#else
  void *own = nullptr;
  void *resumer = nullptr;
#endif
#if LLVM_ADDRESS_SANITIZER_BUILD
  // What AddressSanitizer wants to know about the two stacks.
  void *ownFakeStack = nullptr;
  void *resumerFakeStack = nullptr;
  const void *resumerStack = nullptr;
  size_t resumerStackBytes = 0;
  bool finished = true;
#endif
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_FIBER_H
