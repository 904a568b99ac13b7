// The schedule of kernels that were fused into no scan: how many elements a thread has, at most.
//
// RUN: scan-translate --scan-to-ptx %s -o %t.ptx --manifest=- | tr -d ' \n' | FileCheck %s

// CHECK: "name":"groups"
// CHECK-SAME: "strategy":"elementwise","schedule":{"strategy":"elementwise","threads":256,"items":4}
func.func @groups(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.map { math.exp } ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>)
  return %y : tensor<?x?xf32>
}

// A thread that walks a reduction has one; the result begins as a copy.
// CHECK-SAME: "name":"columns"
// CHECK-SAME: "strategy":"elementwise","schedule":{"strategy":"elementwise","threads":{{[0-9]+}},"items":1}
func.func @columns(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) dimensions = [1]
  return %s : tensor<?xf32>
}
