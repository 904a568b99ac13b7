// Loops whose updates have none of the forms that --scan-raise-recurrence knows become scans
// if z3 proves them associative, and only if it is asked.

// REQUIRES: z3
// RUN: scan-opt %s --scan-raise-recurrence="prove timeout=30" --canonicalize | FileCheck %s
// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s --check-prefix=UNASKED
// RUN: scan-opt %s --scan-raise-recurrence="prove z3=%t.none" | FileCheck %s --check-prefix=UNASKED
// RUN: scan-run %s --entry=saturating --input=random:i32:500:1 --output=%t.expected.npy
// RUN: scan-opt %s --scan-raise-recurrence="prove timeout=30" -o %t.mlir
// RUN: scan-run %t.mlir --entry=saturating --input=random:i32:500:1 --target=cpu --output=%t.found.npy
// RUN: cmp %t.expected.npy %t.found.npy
// RUN: scan-run %s --entry=largest --input=random:i32:3x200:2 --input=random:i32:3x200:3 --output=%t.expected.npy --output=%t.expected1.npy
// RUN: scan-run %t.mlir --entry=largest --input=random:i32:3x200:2 --input=random:i32:3x200:3 --target=emulator --output=%t.found.npy --output=%t.found1.npy
// RUN: scan-run %t.mlir --entry=carry --input=random:i32:500:4 --target=emulator --compare=reference --output=%t.carry.npy
// RUN: scan-run %s --entry=carry --input=random:i32:500:4 --output=%t.carry1.npy && cmp %t.carry.npy %t.carry1.npy
// RUN: cmp %t.expected.npy %t.found.npy && cmp %t.expected1.npy %t.found1.npy

// UNASKED-NOT: scan.associative
// UNASKED-COUNT-4: scf.for

// CHECK-LABEL: func @saturating
// CHECK-NOT: scf.for
// CHECK: scan.associative ins(%{{.*}} : tensor<?xi8>) init(%{{.*}} : i8) dim = 0
// CHECK-NEXT: ^bb0(%[[H:.*]]: i8, %[[X:.*]]: i8):
// CHECK: arith.minui
// CHECK: scan.yield
func.func @saturating(%n: tensor<?xi32>) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %n, %c0 : tensor<?xi32>
  %e = tensor.empty(%d) : tensor<?xi8>
  %z = arith.constant 3 : i8
  %y, %l = scf.for %t = %c0 to %d step %c1 iter_args(%o = %e, %h = %z) -> (tensor<?xi8>, i8) {
    %w = tensor.extract %n[%t] : tensor<?xi32>
    %x = arith.trunci %w : i32 to i8
    // min(h + x, 255), without an overflow.
    %ones = arith.constant -1 : i8
    %rest = arith.subi %ones, %x : i8
    %least = arith.minui %h, %rest : i8
    %s = arith.addi %least, %x : i8
    %u = tensor.insert %s into %o[%t] : tensor<?xi8>
    scf.yield %u, %s : tensor<?xi8>, i8
  }
  return %y : tensor<?xi8>
}

// Two states, updated from each other, in reverse: the largest pair.
// CHECK-LABEL: func @largest
// CHECK-NOT: scf.for
// CHECK: scan.associative ins(%{{.*}}, %{{.*}} : tensor<3x200xi32>, tensor<3x200xi32>) init(%{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>) dim = 1 reverse
func.func @largest(%keys: tensor<3x200xi32>, %values: tensor<3x200xi32>) -> (tensor<3x200xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %last = arith.constant 199 : index
  %e = tensor.empty() : tensor<3x200xi32>
  %k0 = arith.constant dense<-5> : tensor<3xi32>
  %v0 = arith.constant dense<7> : tensor<3xi32>
  %y:3 = scf.for %t = %c0 to %n step %c1 iter_args(%o = %e, %k = %k0, %v = %v0)
      -> (tensor<3x200xi32>, tensor<3xi32>, tensor<3xi32>) {
    %at = arith.subi %last, %t : index
    %p = tensor.extract_slice %keys[0, %at] [3, 1] [1, 1] : tensor<3x200xi32> to tensor<3xi32>
    %q = tensor.extract_slice %values[0, %at] [3, 1] [1, 1] : tensor<3x200xi32> to tensor<3xi32>
    %larger = arith.cmpi sgt, %p, %k : tensor<3xi32>
    %equal = arith.cmpi eq, %p, %k : tensor<3xi32>
    %second = arith.cmpi sgt, %q, %v : tensor<3xi32>
    %both = arith.andi %equal, %second : tensor<3xi1>
    %c = arith.ori %larger, %both : tensor<3xi1>
    %nk = arith.select %c, %p, %k : tensor<3xi1>, tensor<3xi32>
    %nv = arith.select %c, %q, %v : tensor<3xi1>, tensor<3xi32>
    %u = tensor.insert_slice %nv into %o[0, %at] [3, 1] [1, 1] : tensor<3xi32> into tensor<3x200xi32>
    scf.yield %u, %nk, %nv : tensor<3x200xi32>, tensor<3xi32>, tensor<3xi32>
  }
  return %y#0, %y#1 : tensor<3x200xi32>, tensor<3xi32>
}

// Carries of a sum, bit 0 whether there is one, bit 1 whether it goes on: the order matters.
// CHECK-LABEL: func @carry
// CHECK-NOT: scf.for
// CHECK: scan.associative ins(%{{.*}} : tensor<500xi8>) init(%{{.*}} : i8) dim = 0
func.func @carry(%n: tensor<500xi32>) -> tensor<500xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = arith.constant 500 : index
  %e = tensor.empty() : tensor<500xi8>
  %z = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %y, %l = scf.for %t = %c0 to %d step %c1 iter_args(%o = %e, %h = %z) -> (tensor<500xi8>, i8) {
    %w = tensor.extract %n[%t] : tensor<500xi32>
    %b = arith.trunci %w : i32 to i8
    %three = arith.constant 3 : i8
    %x = arith.andi %b, %three : i8
    %p = arith.andi %h, %x : i8
    %goes = arith.andi %p, %two : i8
    %there = arith.andi %x, %one : i8
    %half = arith.shrui %x, %one : i8
    %before = arith.andi %half, %h : i8
    %passed = arith.andi %before, %one : i8
    %g = arith.ori %there, %passed : i8
    %s = arith.ori %goes, %g : i8
    %u = tensor.insert %s into %o[%t] : tensor<500xi8>
    scf.yield %u, %s : tensor<500xi8>, i8
  }
  return %y : tensor<500xi8>
}

// (h + x)^2 is not associative, and stays.
// CHECK-LABEL: func @square
// CHECK: scf.for
// CHECK-NOT: scan.associative
func.func @square(%x: tensor<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xi32>
  %z = arith.constant 3 : i32
  %l = scf.for %t = %c0 to %d step %c1 iter_args(%h = %z) -> (i32) {
    %w = tensor.extract %x[%t] : tensor<?xi32>
    %s = arith.addi %h, %w : i32
    %q = arith.muli %s, %s : i32
    scf.yield %q : i32
  }
  return %l : i32
}
