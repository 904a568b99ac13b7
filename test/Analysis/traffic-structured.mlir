// Bytes that structured operations and scatters move.

// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#col = affine_map<(i, j) -> (i, 0)>
#transposed = affine_map<(i, j) -> (j, i)>

// (T1) 64*128*4 of x, 128*4 of the bias, 64*2 of the scale.
// CHECK-LABEL: @broadcast bytes read bytes written
// CHECK-NEXT: linalg.generic {{.*}} 33408 32768
// CHECK-NEXT: total 1 operation 33408 32768
// CHECK-NEXT: compulsory 33408 32768
// CHECK-NEXT: total / compulsory 1
func.func @broadcast(%x: tensor<64x128xf32>, %bias: tensor<128xf32>, %scale: tensor<64x1xf16>) -> tensor<64x128xf32> {
  %empty = tensor.empty() : tensor<64x128xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias, %scale : tensor<64x128xf32>, tensor<128xf32>, tensor<64x1xf16>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f16, %o: f32):
    %s = arith.addf %a, %b : f32
    %e = arith.extf %c : f16 to f32
    %m = arith.mulf %s, %e : f32
    linalg.yield %m : f32
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// (T1, T2) A tensor and its transpose are one tensor; what the body ignores is
// not read.
// CHECK-LABEL: @read_twice bytes read bytes written
// CHECK-NEXT: linalg.generic {{.*}} 4096 4096
// CHECK-NEXT: total 1 operation 4096 4096
// CHECK-NEXT: compulsory 4096 4096
// CHECK-NEXT: total / compulsory 1
func.func @read_twice(%x: tensor<32x32xf32>, %ignored: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %empty = tensor.empty() : tensor<32x32xf32>
  %y = linalg.generic {indexing_maps = [#id, #transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %ignored : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) outs(%empty : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

// (T2) All but the last row and all but the first are all rows.
// CHECK-LABEL: @shifts bytes read bytes written
// CHECK-NEXT: arith.subf {{.*}} 64*arg0_d0 64*arg0_d0 - 64
// CHECK-NEXT: total 1 operation 64*arg0_d0 64*arg0_d0 - 64
// CHECK-NEXT: compulsory 64*arg0_d0 64*arg0_d0 - 64
// CHECK-NEXT: total / compulsory 1
func.func @shifts(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %m = arith.subi %n, %c1 : index
  %a = tensor.extract_slice %x[0, 0] [%m, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %b = tensor.extract_slice %x[1, 0] [%m, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %y = arith.subf %b, %a : tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// (T1) One element for each point of the loop.
// CHECK-LABEL: @diag bytes read bytes written
// CHECK-NEXT: linalg.generic {{.*}} 128 128
// CHECK-NEXT: total 1 operation 128 128
// CHECK-NEXT: compulsory 128 128
// CHECK-NEXT: total / compulsory 1
func.func @diag(%x: tensor<32x32xf32>) -> tensor<32xf32> {
  %empty = tensor.empty() : tensor<32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<32x32xf32>) outs(%empty : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// (T4) The destination is read, as the products are added to it: 4*(8*16 + 16*4 +
// 8*4).
// CHECK-LABEL: @matmul bytes read bytes written
// CHECK-NEXT: linalg.fill {{.*}} 0 128
// CHECK-NEXT: linalg.matmul {{.*}} 896 128
// CHECK-NEXT: total 2 operations 896 256
// CHECK-NEXT: compulsory 768 128
// CHECK-NEXT: total / compulsory 1.286
func.func @matmul(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// (T9) 64*2*8 of indices, 64*4 of values, and 64 elements read and written.
// CHECK-LABEL: @scatter_stays bytes read bytes written
// CHECK-NEXT: linalg.fill {{.*}} 0 32768
// CHECK-NEXT: linalg.generic {{.*}} 512 1024
// CHECK-NEXT: tensor.scatter {{.*}} 1536 256
// CHECK-NEXT: total 3 operations 2048 34048
// CHECK-NEXT: compulsory 768 32768
// CHECK-NEXT: total / compulsory 1.076
func.func @scatter_stays(%index: tensor<64x1xi64>, %value: tensor<64xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %idx = tensor.empty() : tensor<64x2xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%index : tensor<64x1xi64>) outs(%idx : tensor<64x2xi64>) {
  ^bb0(%v: i64, %o: i64):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %c, %c0 : index
    %ri = arith.index_cast %r : index to i64
    %w = arith.select %is, %ri, %v : i64
    linalg.yield %w : i64
  } -> tensor<64x2xi64>
  %e = tensor.expand_shape %value [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
  %s = tensor.scatter %e into %f[%i] scatter_dims([0, 1]) unique : (tensor<64x1x1xf32>, tensor<64x128xf32>, tensor<64x2xi64>) -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}

// (T7) An argument is copied first.
// CHECK-LABEL: @scatter_argument bytes read bytes written
// CHECK-NEXT: tensor.scatter {{.*}} 34048 33024
// CHECK-NEXT: total 1 operation 34048 33024
// CHECK-NEXT: compulsory 34048 32768
// CHECK-NEXT: total / compulsory 1.004
func.func @scatter_argument(%d: tensor<64x128xf32>, %i: tensor<64x2xi64>, %e: tensor<64x1x1xf32>) -> tensor<64x128xf32> {
  %s = tensor.scatter %e into %d[%i] scatter_dims([0, 1]) unique : (tensor<64x1x1xf32>, tensor<64x128xf32>, tensor<64x2xi64>) -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}

// (T11) The loop form.
// CHECK-LABEL: @scatter_loop bytes read bytes written
// CHECK-NEXT: linalg.fill {{.*}} 0 512*arg0_d0
// CHECK-NEXT: tensor.extract x arg0_d0 {{.*}} 8*arg0_d0 0
// CHECK-NEXT: tensor.insert x arg0_d0 {{.*}} 0 4*arg0_d0
// CHECK-NEXT: total 3 operations 8*arg0_d0 516*arg0_d0
// CHECK-NEXT: compulsory 8*arg0_d0 512*arg0_d0
// CHECK-NEXT: total / compulsory 1.008
func.func @scatter_loop(%index: tensor<?xi64>, %value: f32) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %index, %c0 : tensor<?xi64>
  %empty = tensor.empty(%n) : tensor<?x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %f) -> tensor<?x128xf32> {
    %j = tensor.extract %index[%i] : tensor<?xi64>
    %k = arith.index_cast %j : i64 to index
    %u = tensor.insert %value into %t[%i, %k] : tensor<?x128xf32>
    scf.yield %u : tensor<?x128xf32>
  }
  return %r : tensor<?x128xf32>
}

// The same as selection: M*N*4 + M*8 bytes, with [M, N] = [64, 128].
// CHECK-LABEL: @scatter_select bytes read bytes written
// CHECK-NEXT: linalg.generic {{.*}} 512 32768
// CHECK-NEXT: total 1 operation 512 32768
// CHECK-NEXT: compulsory 512 32768
// CHECK-NEXT: total / compulsory 1
func.func @scatter_select(%index: tensor<64x1xi64>, %value: f32) -> tensor<64x128xf32> {
  %empty = tensor.empty() : tensor<64x128xf32>
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%index : tensor<64x1xi64>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%i: i64, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %i : i64 to index
    %is = arith.cmpi eq, %j, %k : index
    %v = arith.select %is, %value, %zero : f32
    linalg.yield %v : f32
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// (T4) A reduction output, 128*4, is read and written once; so is what it starts
// from written.
// CHECK-LABEL: @sum bytes read bytes written
// CHECK-NEXT: linalg.fill {{.*}} 0 512
// CHECK-NEXT: scan.kernel {{.*}} 33280 512
// CHECK-NEXT: total 2 operations 33280 1024
// CHECK-NEXT: compulsory 32768 512
func.func @sum(%x: tensor<64x128xf32>) -> tensor<128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %0 = scan.kernel dim = 0
      ins(%x : tensor<64x128xf32>) outs(%fill : tensor<128xf32>) maps [#id, #row]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<128xf32>
  return %0 : tensor<128xf32>
}
