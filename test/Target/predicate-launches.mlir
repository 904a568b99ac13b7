// RUN: scan-opt %s --scan-predicate-launches | FileCheck %s

// A kernel that is launched under the condition and without it is two kernels, and one that is launched
// twice under it is one. What the branch computes on the host is computed in any case.

// CHECK:         gpu.func @clear(%[[Y:.*]]: memref<f32>) kernel
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:      memref.store %[[ZERO]], %[[Y]][]
// CHECK-NEXT:      gpu.return
// CHECK:         gpu.func @[[$OWN:[a-z0-9_]+]](%[[Y2:.*]]: memref<f32>, %[[X:.*]]: memref<f32>) kernel
// CHECK-SAME:      {kind = "pointer", name = "y"}, {kind = "pointer", name = "predicate", operand = 1 : i64, role = "input", type = f32}
// CHECK:           %[[NUMBER:.*]] = memref.load %[[X]][]
// CHECK:           %[[ISABOVE:.*]] = arith.cmpf ugt, %[[NUMBER]]
// CHECK:           scf.if %[[ISABOVE]] {
// CHECK:             memref.store
// CHECK:           }
// CHECK-NEXT:      gpu.return
// CHECK-NOT:     gpu.func
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @clear(%y: memref<f32>) kernel attributes {scan.args = [{kind = "pointer", name = "y"}]} {
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %y[] : memref<f32>
      gpu.return
    }
  }
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:     memref.load
  // CHECK-NOT:     scf.if
  // CHECK:         gpu.launch_func{{ +}}@kernels::@clear {{.*}} args(%arg1 : memref<f32>)
  // CHECK:         %[[BLOCKS:.*]] = arith.addi
  // CHECK:         gpu.launch_func{{ +}}@kernels::@[[$OWN]] blocks in (%[[BLOCKS]], {{.*}} args(%arg1 : memref<f32>, %arg0 : memref<f32>)
  // CHECK:         gpu.launch_func{{ +}}@kernels::@[[$OWN]] {{.*}} args(%arg0 : memref<f32>, %arg1 : memref<f32>)
  // CHECK-NOT:     scf.if
  // CHECK:         return
  func.func @main(%x: memref<f32>, %y: memref<f32>, %n: index) {
    %c1 = arith.constant 1 : index
    %limit = arith.constant 1.0 : f32
    gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>)
    %number = memref.load %x[] : memref<f32>
    %isAbove = arith.cmpf ugt, %number, %limit : f32
    scf.if %isAbove {
      %blocks = arith.addi %n, %c1 : index
      gpu.launch_func @kernels::@clear blocks in (%blocks, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>)
    }
    %other = memref.load %y[] : memref<f32>
    %isOtherAbove = arith.cmpf ugt, %other, %limit : f32
    scf.if %isOtherAbove {
      gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    }
    return
  }

  // Conditions that the host knows, and buffers that the branch itself writes, stay.
  // CHECK-LABEL: func.func @stay
  // CHECK:         scf.if
  // CHECK:           gpu.launch_func
  // CHECK:         memref.load
  // CHECK:         scf.if
  // CHECK:           gpu.launch_func {{.*}} args(%arg0 : memref<f32>)
  func.func @stay(%x: memref<f32>, %n: index) {
    %c1 = arith.constant 1 : index
    %limit = arith.constant 1.0 : f32
    %isMany = arith.cmpi ugt, %n, %c1 : index
    scf.if %isMany {
      gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    }
    %number = memref.load %x[] : memref<f32>
    %isAbove = arith.cmpf ugt, %number, %limit : f32
    scf.if %isAbove {
      gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    }
    return
  }
}
