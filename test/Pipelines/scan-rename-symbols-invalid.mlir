// RUN: scan-opt %s --scan-rename-symbols --split-input-file --verify-diagnostics
// RUN: not scan-opt %s --scan-to-cpu --split-input-file 2>&1 | FileCheck %s
// CHECK-COUNT-8: expected a name that no library has which compiled code calls, found

// expected-error @below {{expected a name that no library has which compiled code calls, found 'expf'; rename it, or make it private if nothing else calls it}}
func.func @expf(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @below {{found 'malloc'}}
func.func @malloc(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{found 'abort'}}
func.func @abort() {
  return
}

// -----

// expected-error @below {{found 'memrefCopy'}}
func.func @memrefCopy() {
  return
}

// -----

// Of the compiler's run-time library.
// expected-error @below {{found '__truncsfhf2'}}
func.func @__truncsfhf2(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @below {{found 'llvm.exp.f32'}}
func.func @llvm.exp.f32(%x: f32) -> f32 {
  return %x : f32
}

// -----

// LLVM takes it for malloc.
// expected-error @below {{found '}}
func.func @"\01malloc"() {
  return
}

// -----

// expected-error @below {{found 'puts'}}
memref.global @puts : memref<4xf32> = dense<1.0>
