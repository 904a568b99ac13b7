// RUN: not scan-opt %s --scan-fuse-elementwise=max-state-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not scan-opt %s --scan-fuse-elementwise=max-recompute=0 2>&1 | FileCheck %s --check-prefix=TIMES
// BYTES: error: scan-fuse-elementwise: expected max-state-bytes of at least 0 and max-recompute of at least 1, found -1 and 4
// TIMES: error: scan-fuse-elementwise: expected max-state-bytes of at least 0 and max-recompute of at least 1, found 256 and 0

func.func @nothing() {
  return
}
