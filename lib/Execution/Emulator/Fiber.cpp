//===- Fiber.cpp - A stack that can be left and entered again -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "llvm/Support/Compiler.h"
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

#if LLVM_ADDRESS_SANITIZER_BUILD
#include <sanitizer/common_interface_defs.h>
#endif

using namespace mlir::scan::emulator;

//===----------------------------------------------------------------------===//
// The switch
//===----------------------------------------------------------------------===//

#ifndef SCAN_FIBER_UCONTEXT

// swapcontext would do, but it saves the signal mask with a system call, which
// is most of the time that a barrier takes. Only what the System V ABI lets a
// callee keep is saved; the floating-point control words are never changed.
extern "C" void scanSwitchStack(void **saved, void *next);
__asm__(R"(
    .text
    .globl scanSwitchStack
    .hidden scanSwitchStack
    .type scanSwitchStack, @function
    .p2align 4
scanSwitchStack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    retq
    .size scanSwitchStack, . - scanSwitchStack
)");

#endif

/// The fiber whose trampoline is about to run.
static thread_local Fiber *startingFiber = nullptr;

LLVM_ATTRIBUTE_NOINLINE void Fiber::switchTo() {
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_start_switch_fiber(&resumerFakeStack, stack, kStackBytes);
#endif
#ifdef SCAN_FIBER_UCONTEXT
  swapcontext(&resumer, &own);
#else
  scanSwitchStack(&resumer, own);
#endif
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_finish_switch_fiber(resumerFakeStack, nullptr, nullptr);
#endif
}

LLVM_ATTRIBUTE_NOINLINE void Fiber::switchBack(bool final) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_start_switch_fiber(final ? nullptr : &ownFakeStack, resumerStack,
                                 resumerStackBytes);
#endif
#ifdef SCAN_FIBER_UCONTEXT
  swapcontext(&own, &resumer);
#else
  scanSwitchStack(&own, resumer);
#endif
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_finish_switch_fiber(ownFakeStack, &resumerStack,
                                  &resumerStackBytes);
#endif
}

void Fiber::trampoline() {
  Fiber *fiber = startingFiber;
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_finish_switch_fiber(nullptr, &fiber->resumerStack,
                                  &fiber->resumerStackBytes);
#endif
  fiber->entry(fiber->argument);
#if LLVM_ADDRESS_SANITIZER_BUILD
  fiber->finished = true;
#endif
  fiber->switchBack(/*final=*/true);
  LLVM_BUILTIN_TRAP; // The owner starts a fiber anew before it resumes it.
}

//===----------------------------------------------------------------------===//
// Fiber
//===----------------------------------------------------------------------===//

static size_t pageSize() {
  static const size_t size = sysconf(_SC_PAGESIZE);
  return size;
}

std::unique_ptr<Fiber> Fiber::create() {
  // A page without access below the stack makes an overflow a fault at once
  // instead of a write into the next stack.
  void *memory =
      mmap(nullptr, kStackBytes + pageSize(), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto fiber = std::unique_ptr<Fiber>(new Fiber());
  fiber->mapping = static_cast<char *>(memory);
  fiber->stack = fiber->mapping + pageSize();
  if (mprotect(fiber->stack, kStackBytes, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  return fiber;
}

Fiber::~Fiber() {
  if (mapping)
    munmap(mapping, kStackBytes + pageSize());
}

void Fiber::start(Entry newEntry, void *newArgument) {
  entry = newEntry;
  argument = newArgument;
#if LLVM_ADDRESS_SANITIZER_BUILD
  // Frames that were left without returning are still marked. Memory that is
  // mapped anew is not; __asan_unpoison_memory_region would do nothing where
  // the option allow_user_poisoning is off.
  if (!finished)
    mmap(stack, kStackBytes, PROT_READ | PROT_WRITE,
         MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
         -1, 0);
  finished = false;
  ownFakeStack = nullptr;
#endif
#ifdef SCAN_FIBER_UCONTEXT
  getcontext(&own);
  own.uc_stack.ss_sp = stack;
  own.uc_stack.ss_size = kStackBytes;
  own.uc_link = nullptr;
  makecontext(&own, &Fiber::trampoline, 0);
#else
  // What scanSwitchStack pops: six registers and a return address, so placed
  // that the trampoline finds the stack as if it had been called.
  // Frames that lay at the same place of each page would share a few sets of
  // the processor's caches, too few for hundreds of fibers: stacks start at
  // different cache lines of their last page.
  constexpr uintptr_t lineBytes = 64;
  const uintptr_t number =
      reinterpret_cast<uintptr_t>(mapping) / (kStackBytes + pageSize());
  uintptr_t top = reinterpret_cast<uintptr_t>(stack) + kStackBytes -
                  number % (pageSize() / lineBytes) * lineBytes;
  void **frame = reinterpret_cast<void **>(top & ~uintptr_t(15)) - 8;
  for (int i = 0; i < 8; ++i)
    frame[i] = nullptr;
  frame[6] = reinterpret_cast<void *>(&Fiber::trampoline);
  own = frame;
#endif
}

void Fiber::resume() {
  startingFiber = this;
  switchTo();
}

void Fiber::suspend() { switchBack(/*final=*/false); }
