// RUN: scan-opt %s --pass-pipeline="builtin.module(func.func(scan-fence-streams))" | FileCheck %s

// One fence behind the outermost operation with stores past the caches, and none
// behind others.

// CHECK-LABEL: func.func @two_loops(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             nontemporal = true{{.*}}
// CHECK:             nontemporal = true{{.*}}
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.fence seq_cst
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      vector.store
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @two_loops(%v: vector<16xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    scf.for %j = %c0 to %i step %c16 {
      vector.store %v, %y[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
      vector.store %v, %y[%j] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
    }
  }
  scf.for %i = %c0 to %n step %c16 {
    vector.store %v, %y[%i] : memref<?xf32>, vector<16xf32>
  }
  return
}

// CHECK-LABEL: func.func private @declared
func.func private @declared(%y: memref<?xf32>)
