// RUN: not scan-opt %s --scan-assign-schedule=chip=sm_42 2>&1 | FileCheck %s
// CHECK: error: expected a known chip, found 'sm_42'; known are sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
// The suffix of a chip with architecture-specific features is no other chip.
// RUN: scan-opt %s --scan-assign-schedule=chip=sm_90a
func.func @f() {
  return
}
