// RUN: not scan-opt %s --scan-fuse-elementwise=max-state-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not scan-opt %s --scan-fuse-elementwise=max-recompute=0 2>&1 | FileCheck %s --check-prefix=TIMES
// RUN: not scan-opt %s --scan-fuse-elementwise=max-registers=-1 2>&1 | FileCheck %s --check-prefix=REGISTERS
// BYTES: error: scan-fuse-elementwise: expected max-state-bytes and max-registers of at least 0 and max-recompute of at least 1, found -1, 0 and 4
// TIMES: error: scan-fuse-elementwise: expected max-state-bytes and max-registers of at least 0 and max-recompute of at least 1, found 256, 0 and 0
// REGISTERS: error: scan-fuse-elementwise: expected max-state-bytes and max-registers of at least 0 and max-recompute of at least 1, found 256, -1 and 4

func.func @nothing() {
  return
}
