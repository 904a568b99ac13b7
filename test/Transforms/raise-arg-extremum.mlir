// An extremum and where it is become one scan.

// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s --implicit-check-not=scf.for

// The first place of the least, which is carried in front of it; elements that are no numbers are passed over, also
// where a part of the sequence begins with them.
// CHECK-LABEL: @first_least(
// CHECK:         scan.associative
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: f32, %[[I0:.*]]: i64, %[[M1:.*]]: f32, %[[I1:.*]]: i64):
// CHECK-NEXT:      %[[C:.*]] = arith.cmpf ogt, %[[M0]], %[[M1]] : f32
// CHECK-NEXT:      %[[N:.*]] = arith.cmpf uno, %[[M0]], %[[M0]] : f32
// CHECK-NEXT:      %[[L:.*]] = arith.ori %[[C]], %[[N]] : i1
// CHECK-NEXT:      %[[M:.*]] = arith.select %[[L]], %[[M1]], %[[M0]] : f32
// CHECK-NEXT:      %[[I:.*]] = arith.select %[[L]], %[[I1]], %[[I0]] : i64
// CHECK-NEXT:      scan.yield %[[M]], %[[I]]
// CHECK-NOT:     scan.associative
// run: random:f32:Nx4:1:-1:1
func.func @first_least(%v: tensor<?x4xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<?x4xi64>) {
  %x = math.sqrt %v : tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %high = arith.constant dense<0x7F800000> : tensor<4xf32>
  %none = arith.constant dense<-1> : tensor<4xi64>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xi64>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%i = %none, %m = %high, %is = %e) -> (tensor<4xi64>, tensor<4xf32>, tensor<?x4xi64>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %ti = arith.index_cast %t : index to i64
    %tt = tensor.splat %ti : tensor<4xi64>
    %c = arith.cmpf ogt, %m, %xt : tensor<4xf32>
    %m1 = arith.select %c, %xt, %m : tensor<4xi1>, tensor<4xf32>
    %i1 = arith.select %c, %tt, %i : tensor<4xi1>, tensor<4xi64>
    %w = tensor.insert_slice %i1 into %is[%t, 0] [1, 4] [1, 1] : tensor<4xi64> into tensor<?x4xi64>
    scf.yield %i1, %m1, %w : tensor<4xi64>, tensor<4xf32>, tensor<?x4xi64>
  }
  return %r#1, %r#0, %r#2 : tensor<4xf32>, tensor<4xi64>, tensor<?x4xi64>
}

// The last place of the largest, and what else is there; from the last element to the first; integers that are often
// equal.
// CHECK-LABEL: @last_largest(
// CHECK:         scan.associative
// CHECK-SAME:      reverse
// CHECK-NEXT:    ^bb0(%[[M0:.*]]: i16, %{{.*}}: i64, %{{.*}}: f32, %[[M1:.*]]: i16, %{{.*}}: i64, %{{.*}}: f32):
// CHECK-NEXT:      arith.cmpi sge, %[[M1]], %[[M0]] : i16
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      arith.select
// CHECK-NOT:     scan.associative
// run: random:i16:N:1:-2:2 random:f32:N:2
func.func @last_largest(%x: tensor<?xi16>, %y: tensor<?xf32>) -> (tensor<i16>, tensor<i64>, tensor<f32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -100 : i16
  %none = arith.constant -1 : i64
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xi16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %r:4 = scf.for %s = %c0 to %n step %c1 iter_args(%m = %low, %i = %none, %v = %zero, %vs = %e) -> (i16, i64, f32, tensor<?xf32>) {
    %t = arith.subi %last, %s : index
    %xt = tensor.extract %x[%t] : tensor<?xi16>
    %yt = tensor.extract %y[%t] : tensor<?xf32>
    %ti = arith.index_cast %t : index to i64
    %c = arith.cmpi sge, %xt, %m : i16
    %m1 = arith.select %c, %xt, %m : i16
    %i1 = arith.select %c, %ti, %i : i64
    %v1 = arith.select %c, %yt, %v : f32
    %w = tensor.insert %v1 into %vs[%t] : tensor<?xf32>
    scf.yield %m1, %i1, %v1, %w : i16, i64, f32, tensor<?xf32>
  }
  %rm = tensor.from_elements %r#0 : tensor<i16>
  %ri = tensor.from_elements %r#1 : tensor<i64>
  %rv = tensor.from_elements %r#2 : tensor<f32>
  return %rm, %ri, %rv, %r#3 : tensor<i16>, tensor<i64>, tensor<f32>, tensor<?xf32>
}

// What is kept is the sum so far, another state: two scans come before it.
// CHECK-LABEL: @sum_there(
// CHECK-COUNT-3: scan.associative
// run: random:i32:N:1:-5:5
func.func @sum_there(%x: tensor<?xi32>) -> (tensor<i32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -100 : i32
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%m = %low, %s = %zero, %k = %zero) -> (i32, i32, i32) {
    %xt = tensor.extract %x[%t] : tensor<?xi32>
    %s1 = arith.addi %s, %xt : i32
    %c = arith.cmpi sgt, %xt, %m : i32
    %m1 = arith.select %c, %xt, %m : i32
    %k1 = arith.select %c, %s1, %k : i32
    scf.yield %m1, %s1, %k1 : i32, i32, i32
  }
  %rm = tensor.from_elements %r#0 : tensor<i32>
  %rk = tensor.from_elements %r#2 : tensor<i32>
  return %rm, %rk : tensor<i32>, tensor<i32>
}
