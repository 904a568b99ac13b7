//===- AsyncCopies.cpp - Copies that end when they are waited for ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An asynchronous copy may read and write at any time from where it begins to
// where its thread has waited for it. So it accesses both memories twice, at
// the one end and at the other: a conflicting access in between is unordered
// with one of them. Until the end the target holds nothing.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include <cstring>

using namespace mlir::scan::emulator;

void Scheduler::asyncCopy(const AsyncCopy &copy) {
  if (copy.sourceBytes > copy.targetBytes)
    failHere(copy.write->text, "the copy reads more than it writes");
  access(copy.read, copy.source, copy.sourceBytes);
  access(copy.write, copy.target, copy.targetBytes);
  poisonMemory(copy.target, copy.targetBytes);
  if (checker)
    checker->beginCopy(copy.target, copy.targetBytes);
  running->copies.push_back(copy);
  running->copies.back().group = running->copyGroups;
}

void Scheduler::asyncGroup() { ++running->copyGroups; }

void Scheduler::asyncWait(uint64_t groups) {
  // All groups but the newest are complete then; what is in no group stays.
  std::vector<AsyncCopy> &copies = running->copies;
  size_t done = 0;
  while (done < copies.size() &&
         copies[done].group + groups < running->copyGroups)
    finish(copies[done++]);
  copies.erase(copies.begin(), copies.begin() + done);
}

void Scheduler::finish(const AsyncCopy &copy) {
  std::memcpy(copy.target, copy.source, copy.sourceBytes);
  std::memset(copy.target + copy.sourceBytes, 0,
              copy.targetBytes - copy.sourceBytes);
  if (!checker)
    return;
  checker->endCopy(copy.target);
  if (!checker->access(running->clock, running->buffers, copy.read, copy.source,
                       copy.sourceBytes) ||
      !checker->access(running->clock, running->buffers, copy.write,
                       copy.target, copy.targetBytes))
    stopHere();
}
