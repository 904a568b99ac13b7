// The rules of lib/Analysis/Traffic.h, one function for each case.

// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s

// (T5) An i1 takes a byte, an index 8.
// CHECK-LABEL: @fills bytes read bytes written
// CHECK-NEXT: tensor.splat {{.*}} 0 4*arg1
// CHECK-NEXT: tensor.from_elements {{.*}} 0 4
// CHECK-NEXT: tensor.generate {{.*}} 0 64
// CHECK-NEXT: total 3 operations 0 4*arg1 + 68
// CHECK-NEXT: compulsory 0 4*arg1 + 68
// CHECK-NEXT: total / compulsory 1
func.func @fills(%v: f32, %n: index) -> (tensor<?xf32>, tensor<4xi1>, tensor<8xindex>) {
  %s = tensor.splat %v[%n] : tensor<?xf32>
  %t = arith.constant true
  %u = tensor.from_elements %t, %t, %t, %t : tensor<4xi1>
  %g = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<8xindex>
  return %s, %u, %g : tensor<?xf32>, tensor<4xi1>, tensor<8xindex>
}

// (T6) Views move nothing; a slice of them is a part of their root, whose other
// elements are not read twice for the compulsory traffic.
// CHECK-LABEL: @views bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 128 128
// CHECK-NEXT: math.exp {{.*}} 64 64
// CHECK-NEXT: total 2 operations 192 192
// CHECK-NEXT: compulsory 128 192
// CHECK-NEXT: total / compulsory 1.2
func.func @views(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<2x8xf32>) {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %y = math.exp %c : tensor<32xf32>
  %s = tensor.extract_slice %x[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %z = math.exp %s : tensor<2x8xf32>
  return %y, %z : tensor<32xf32>, tensor<2x8xf32>
}

// (T6) A splat is part of the code, a table is not.
// CHECK-LABEL: @constants bytes read bytes written
// CHECK-NEXT: arith.mulf {{.*}} 16 16
// CHECK-NEXT: arith.mulf {{.*}} 32 16
// CHECK-NEXT: total 2 operations 48 32
// CHECK-NEXT: compulsory 32 32
// CHECK-NEXT: total / compulsory 1.25
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %splat = arith.constant dense<2.0> : tensor<4xf32>
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = arith.mulf %x, %splat : tensor<4xf32>
  %b = arith.mulf %x, %table : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// (T7, T8)
// CHECK-LABEL: @insert_in_place bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 32 32
// CHECK-NEXT: tensor.insert_slice {{.*}} 8 8
// CHECK-NEXT: total 2 operations 40 40
// CHECK-NEXT: compulsory 40 32
// CHECK-NEXT: total / compulsory 1.111
func.func @insert_in_place(%x: tensor<8xf32>, %y: tensor<2xf32>) -> tensor<8xf32> {
  %e = math.exp %x : tensor<8xf32>
  %r = tensor.insert_slice %y into %e[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// (T7) Copied, as the argument is not to be written to.
// CHECK-LABEL: @insert_into_argument bytes read bytes written
// CHECK-NEXT: tensor.insert_slice {{.*}} 40 40
// CHECK-NEXT: total 1 operation 40 40
// CHECK-NEXT: compulsory 40 32
// CHECK-NEXT: total / compulsory 1.111
func.func @insert_into_argument(%x: tensor<8xf32>, %y: tensor<2xf32>) -> tensor<8xf32> {
  %r = tensor.insert_slice %y into %x[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// (T7) Copying a splat only writes.
// CHECK-LABEL: @insert_into_splat bytes read bytes written
// CHECK-NEXT: tensor.insert_slice {{.*}} 8 40
// CHECK-NEXT: total 1 operation 8 40
// CHECK-NEXT: compulsory 8 32
// CHECK-NEXT: total / compulsory 1.2
func.func @insert_into_splat(%y: tensor<2xf32>) -> tensor<8xf32> {
  %x = arith.constant dense<0.0> : tensor<8xf32>
  %r = tensor.insert_slice %y into %x[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// (T7) Copied, as the logarithm needs the old value.
// CHECK-LABEL: @insert_old_value_read_later bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 32 32
// CHECK-NEXT: tensor.insert_slice {{.*}} 40 40
// CHECK-NEXT: math.log {{.*}} 32 32
// CHECK-NEXT: total 3 operations 104 104
// CHECK-NEXT: compulsory 40 64
// CHECK-NEXT: total / compulsory 2
func.func @insert_old_value_read_later(%x: tensor<8xf32>, %y: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = math.exp %x : tensor<8xf32>
  %r = tensor.insert_slice %y into %e[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %l = math.log %e : tensor<8xf32>
  return %r, %l : tensor<8xf32>, tensor<8xf32>
}

// (T9) 5*8 of indices, 5*4*4 of elements.
// CHECK-LABEL: @gather bytes read bytes written
// CHECK-NEXT: tensor.gather {{.*}} 120 80
// CHECK-NEXT: total 1 operation 120 80
// CHECK-NEXT: compulsory 120 80
// CHECK-NEXT: total / compulsory 1
func.func @gather(%x: tensor<100x4xf32>, %i: tensor<5x1xi64>) -> tensor<5x4xf32> {
  %g = tensor.gather %x[%i] gather_dims([0]) : (tensor<100x4xf32>, tensor<5x1xi64>) -> tensor<5x4xf32>
  return %g : tensor<5x4xf32>
}

// (T10)
// CHECK-LABEL: @pad bytes read bytes written
// CHECK-NEXT: tensor.pad {{.*}} 16 28
// CHECK-NEXT: total 1 operation 16 28
// CHECK-NEXT: compulsory 16 28
// CHECK-NEXT: total / compulsory 1
func.func @pad(%x: tensor<4xf32>, %v: f32) -> tensor<7xf32> {
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<7xf32>
  return %p : tensor<7xf32>
}

// (T11) The branch that moves more, and the one that moves less.
// CHECK-LABEL: @branch bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 4*arg1_d0 4*arg1_d0
// CHECK-NEXT: math.log {{.*}} 4*arg1_d0 4*arg1_d0
// CHECK-NEXT: math.exp {{.*}} 4*arg1_d0 4*arg1_d0
// CHECK-NEXT: total 3 operations 8*arg1_d0 8*arg1_d0
// CHECK-NEXT: least by branches 4*arg1_d0 4*arg1_d0
// CHECK-NEXT: compulsory 4*arg1_d0 4*arg1_d0
// CHECK-NEXT: total / compulsory 2
// CHECK-NEXT: least / compulsory 1
func.func @branch(%c: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scf.if %c -> tensor<?xf32> {
    %a = math.exp %x : tensor<?xf32>
    %b = math.log %a : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    %a = math.exp %x : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
func.func private @other(tensor<4xf32>) -> tensor<6xf32>

// (T12)
// CHECK-LABEL: @call bytes read bytes written
// CHECK-NEXT: func.call (?) {{.*}} 16 24
// CHECK-NEXT: total 1 operation 16 24
// CHECK-NEXT: compulsory 16 24
// CHECK-NEXT: total / compulsory 1
// CHECK-NEXT: (?) taken to read its operands and write its results whole
func.func @call(%x: tensor<4xf32>) -> tensor<6xf32> {
  %y = call @other(%x) : (tensor<4xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// (T7, T11) The loop updates a copy.
// CHECK-LABEL: @loop_over_argument bytes read bytes written
// CHECK-NEXT: scf.for {{.*}} 32 32
// CHECK-NEXT: tensor.insert x 4 {{.*}} 0 16
// CHECK-NEXT: total 2 operations 32 48
// CHECK-NEXT: compulsory 32 32
// CHECK-NEXT: total / compulsory 1.25
func.func @loop_over_argument(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c2 iter_args(%t = %x) -> tensor<8xf32> {
    %u = tensor.insert %v into %t[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Compulsory traffic: an argument that is returned moves nothing, one result twice is one.
// CHECK-LABEL: @returned bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 32 32
// CHECK-NEXT: total 1 operation 32 32
// CHECK-NEXT: compulsory 32 32
// CHECK-NEXT: total / compulsory 1
func.func @returned(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  return %x, %y, %y : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// On memrefs the compulsory traffic has the arguments that are written.
// CHECK-LABEL: @buffers bytes read bytes written
// CHECK-NEXT: memref.copy {{.*}} 128 128
// CHECK-NEXT: linalg.exp {{.*}} 128 128
// CHECK-NEXT: total 2 operations 256 256
// CHECK-NEXT: compulsory 128 128
// CHECK-NEXT: total / compulsory 2
func.func @buffers(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  %z = memref.alloc() : memref<4x8xf32>
  memref.copy %x, %z : memref<4x8xf32> to memref<4x8xf32>
  linalg.exp ins(%z : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

// Broadcast coefficients are read once; extents that have to agree share a name.
// CHECK-LABEL: @recurrence bytes read bytes written
// CHECK-NEXT: scan.linear_recurrence {{.*}} 128*arg0_d1*arg1_d0 + 128*arg0_d1 + 128*arg1_d0 128*arg0_d1*arg1_d0 + 128*arg1_d0
// CHECK-NEXT: total 1 operation 128*arg0_d1*arg1_d0 + 128*arg0_d1 + 128*arg1_d0 128*arg0_d1*arg1_d0 + 128*arg1_d0
// CHECK-NEXT: compulsory 128*arg0_d1*arg1_d0 + 128*arg0_d1 + 128*arg1_d0 128*arg0_d1*arg1_d0 + 128*arg1_d0
// CHECK-NEXT: total / compulsory 1
func.func @recurrence(%a: tensor<1x?x64xbf16>, %b: tensor<?x?x64xbf16>, %h0: tensor<?x64xbf16>) -> (tensor<?x?x64xbf16>, tensor<?x64xbf16>) {
  %h, %l = scan.linear_recurrence ins(%a, %b : tensor<1x?x64xbf16>, tensor<?x?x64xbf16>) init(%h0 : tensor<?x64xbf16>) dim = 1 reverse
      -> tensor<?x?x64xbf16>, tensor<?x64xbf16>
  return %h, %l : tensor<?x?x64xbf16>, tensor<?x64xbf16>
}

// The result that nobody uses is written all the same, until fusion drops it.
// CHECK-LABEL: @matrices bytes read bytes written
// CHECK-NEXT: scan.associative {{.*}} 32*arg0_d0 32*arg0_d0 + 32
// CHECK-NEXT: total 1 operation 32*arg0_d0 32*arg0_d0 + 32
// CHECK-NEXT: compulsory 32*arg0_d0 32
func.func @matrices(%m: tensor<?x2x2xf64>) -> tensor<2x2xf64> {
  %p, %last = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>, tensor<2x2xf64>
  return %last : tensor<2x2xf64>
}

// (T8, T11)
// CHECK-LABEL: @forall bytes read bytes written
// CHECK-NEXT: math.exp x 8 {{.*}} 512 512
// CHECK-NEXT: tensor.parallel_insert_slice x 8 {{.*}} 512 512
// CHECK-NEXT: total 2 operations 1024 1024
// CHECK-NEXT: compulsory 512 512
// CHECK-NEXT: total / compulsory 2
func.func @forall(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %empty = tensor.empty() : tensor<8x16xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %empty) -> tensor<8x16xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
    %e = math.exp %s : tensor<1x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<8x16xf32>
    }
  }
  return %r : tensor<8x16xf32>
}

// (T2) Not what lies between them.
// CHECK-LABEL: @disjoint bytes read bytes written
// CHECK-NEXT: arith.addf {{.*}} 32 16
// CHECK-NEXT: total 1 operation 32 16
// CHECK-NEXT: compulsory 32 16
// CHECK-NEXT: total / compulsory 1
func.func @disjoint(%x: tensor<1000xf32>) -> tensor<4xf32> {
  %a = tensor.extract_slice %x[0] [4] [1] : tensor<1000xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[500] [4] [1] : tensor<1000xf32> to tensor<4xf32>
  %y = arith.addf %a, %b : tensor<4xf32>
  return %y : tensor<4xf32>
}

// (T11) How often it runs is not known. The compulsory traffic reads what the loop starts from.
// CHECK-LABEL: @while bytes read bytes written
// CHECK-NEXT: math.exp x n0 {{.*}} 32*n0 32*n0
// CHECK-NEXT: total 1 operation 32*n0 32*n0
// CHECK-NEXT: compulsory 32*n0 32
func.func @while(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %r = scf.while (%t = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %e = math.exp %t : tensor<8xf32>
    scf.condition(%c) %e : tensor<8xf32>
  } do {
  ^bb0(%t: tensor<8xf32>):
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// (T13) What is returned has memory of its own.
// CHECK-LABEL: @last bytes read bytes written
// CHECK-NEXT: math.exp {{.*}} 32*arg0_d0 32*arg0_d0
// CHECK-NEXT: func.return {{.*}} 32 32
// CHECK-NEXT: total 2 operations 32*arg0_d0 + 32 32*arg0_d0 + 32
// CHECK-NEXT: compulsory 32*arg0_d0 32*arg0_d0 + 32
func.func @last(%x: tensor<?x8xf32>, %t: index) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<?x8xf32>
  %l = tensor.extract_slice %y[%t, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
  return %y, %l : tensor<?x8xf32>, tensor<8xf32>
}

// (T13) Of an argument, too, where nothing else can be done.
// CHECK-LABEL: @first bytes read bytes written
// CHECK-NEXT: func.return {{.*}} 32 32
// CHECK-NEXT: total 1 operation 32 32
// CHECK-NEXT: compulsory 32 32
// CHECK-NEXT: total / compulsory 1
func.func @first(%x: tensor<?x8xf32>) -> (tensor<1x8xf32>, tensor<?x8xf32>) {
  %l = tensor.extract_slice %x[0, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
  return %l, %x : tensor<1x8xf32>, tensor<?x8xf32>
}
