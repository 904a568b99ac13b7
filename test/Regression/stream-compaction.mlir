// Stream compaction: the exclusive sum of flags says where each element goes. It was
// refused for a GPU.

// RUN: scan-translate %s --scan-to-ptx --chip=sm_90 -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --input-file=%t.ptx
// CHECK-DAG: .entry compact_
// CHECK-DAG: .entry listed_
// CHECK-DAG: atom.max.s64
// RUN: scan-run %s --entry=compact --input=random:f32:37:1 --input=random:i1:37:2 --target=emulator --compare=reference --tolerance=0
// RUN: scan-run %s --entry=compact --input=random:f32:1:1 --input=ones:i1:1 --target=emulator --compare=reference --tolerance=0
// RUN: scan-run %s --entry=compact --input=zeros:f32:0 --input=zeros:i1:0 --target=emulator --compare=reference --tolerance=0
// RUN: scan-run %s --entry=compact --input=random:f32:37:1 --input=random:i1:37:2 --target=cpu --compare=reference --tolerance=0
// RUN: scan-run %s --entry=compact --input=values:f32:6:1,2,3,4,5,6 --input=values:i1:6:0,1,1,0,0,1 --target=emulator | FileCheck %s --check-prefix=OUT
// OUT: [2, 3, 6, 0, 0, 0]
// OUT: {{^}}3{{$}}
// RUN: scan-run %s --entry=listed --input=random:f32:64:1 --input=random:i32:64:2:0:2 --target=emulator --compare=reference --tolerance=0

func.func @compact(%x: tensor<?xf32>, %flags: tensor<?xi1>) -> (tensor<?xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %zero = arith.constant dense<0> : tensor<i32>
  %none = arith.constant -1 : i32
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xi32>
  %ones = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flags : tensor<?xi1>) outs(%e : tensor<?xi32>) {
  ^bb0(%f: i1, %o: i32):
    %w = arith.extui %f : i1 to i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  %at, %count = scan.associative ins(%ones : tensor<?xi32>) init(%zero : tensor<i32>) dim = 0 exclusive {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    scan.yield %s : i32
  } -> tensor<?xi32>, tensor<i32>
  %where = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flags, %at : tensor<?xi1>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%f: i1, %p: i32, %o: i32):
    %w = arith.select %f, %p, %none : i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  %d = tensor.empty(%n) : tensor<?xf32>
  %dest = linalg.fill ins(%f0 : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %y = scan.scatter %x into %dest at %where dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %y, %count : tensor<?xf32>, tensor<i32>
}

// As a front end prints it: elements that are left out go behind the end.
func.func @listed(%x: tensor<64xf32>, %ones: tensor<64xi32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %none = arith.constant dense<64> : tensor<64xi32>
  %no = arith.constant dense<0> : tensor<64xi32>
  %dest = arith.constant dense<0.0> : tensor<65xf32>
  %at = scan.associative ins(%ones : tensor<64xi32>) init(%zero : tensor<i32>) dim = 0 exclusive {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    scan.yield %s : i32
  } -> tensor<64xi32>
  %left = arith.cmpi eq, %ones, %no : tensor<64xi32>
  %place = arith.select %left, %none, %at : tensor<64xi1>, tensor<64xi32>
  %i = arith.index_cast %place : tensor<64xi32> to tensor<64xindex>
  %c = tensor.expand_shape %i [[0, 1]] output_shape [64, 1] : tensor<64xindex> into tensor<64x1xindex>
  %y = tensor.scatter %x into %dest[%c] scatter_dims([0]) unique : (tensor<64xf32>, tensor<65xf32>, tensor<64x1xindex>) -> tensor<65xf32>
  %kept = tensor.extract_slice %y[0] [64] [1] : tensor<65xf32> to tensor<64xf32>
  return %kept : tensor<64xf32>
}
