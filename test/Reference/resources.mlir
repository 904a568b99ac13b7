// Constants that a program carries as a blob of bytes.

// RUN: scan-run %s --entry=blob | FileCheck %s
// CHECK: result 0: 2xf32
// CHECK-NEXT: {{^}}[1, -2.5]{{$}}
func.func @blob() -> tensor<2xf32> {
  %r = arith.constant dense_resource<two> : tensor<2xf32>
  return %r : tensor<2xf32>
}

// RUN: not scan-run %s --entry=short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{^}}scan-run: error: {{.*}}resources.mlir:{{[0-9]+:[0-9]+}}: only dense constants are supported by the reference interpreter{{$}}
func.func @short() -> tensor<3xf32> {
  %r = arith.constant dense_resource<two> : tensor<3xf32>
  return %r : tensor<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      two: "0x040000000000803F000020C0"
    }
  }
#-}
