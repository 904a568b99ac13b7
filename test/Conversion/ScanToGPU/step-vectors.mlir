// Columns whose inputs have one that varies along the scan dimension alone: a thread
// loads those of all its items at once, where addresses allow it.
//
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
//
// DEFINE: %{entry} = steps
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=0 %{inputs}
//
// Less than a tile, as much, a step more, several tiles, none, one step.
// REDEFINE: %{inputs} = --input=random:i32:31:1 --input=random:i32:31x5:2
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:32:1 --input=random:i32:32x16:2
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:33:1 --input=random:i32:33x17:2
// RUN: %{run} --seed=3
// REDEFINE: %{inputs} = --input=random:i32:150:1 --input=random:i32:150x18:2
// RUN: %{run} --seed=4
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{inputs} = --input=random:i32:0:1 --input=random:i32:0x5:2
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:1:1 --input=random:i32:1x5:2
// RUN: %{run}
//
// In reverse tiles end at the last step, which need not be aligned: 128 is, 130 is not.
// REDEFINE: %{entry} = back
// REDEFINE: %{inputs} = --input=random:i16:128:1 --input=random:i32:128x18:2
// RUN: %{run} --seed=5
// REDEFINE: %{inputs} = --input=random:i16:130:1 --input=random:i32:130x18:2
// RUN: %{run} --seed=6
//
// An offset that is not aligned, and steps that are no neighbours.
// REDEFINE: %{entry} = view
// REDEFINE: %{inputs} = --input=random:i32:131:1 --input=random:i32:130x6:2
// RUN: %{run} --seed=7
// REDEFINE: %{entry} = strided
// REDEFINE: %{inputs} = --input=random:i32:80x2:1 --input=random:i32:80x6:2
// RUN: %{run} --seed=8
//
// REDEFINE: %{entry} = tiles
// REDEFINE: %{inputs} = --input=random:i32:150:1 --input=random:i32:150x18:2
// RUN: %{run} --seed=9
//
// A single scan, in a block of 32 columns: its results lie in place of what it reads.
// REDEFINE: %{entry} = alone
// REDEFINE: %{inputs} = --input=random:i32:65:1
// RUN: %{run} --seed=11
// RUN: %{run} --schedule=adversarial

#t = affine_map<(d0, d1) -> (d0)>
#tc = affine_map<(d0, d1) -> (d0, d1)>

// One access for four items; where it is not possible, each by itself.
// CHECK-LABEL: gpu.func @steps_scan0(
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         } else {
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr<1> -> i32
func.func @steps(%w: tensor<?xi32>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 ins(%w, %x : tensor<?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) maps [#t, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8>}
      load {
      ^bb0(%e0: i32, %e1: i32):
        scan.yield %e0, %e1 : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a1, %a0 : i32
        %p = arith.muli %a1, %b0 : i32
        %b = arith.addi %p, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %q: i32, %r: i32, %e0: i32, %e1: i32):
        scan.yield %b : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// Eight of 16 bits.
// CHECK-LABEL: gpu.func @back_scan0(
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
func.func @back(%w: tensor<?xi16>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 reverse ins(%w, %x : tensor<?xi16>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) maps [#t, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 8, lanes = 16>}
      load {
      ^bb0(%e0: i16, %e1: i32):
        %w0 = arith.extsi %e0 : i16 to i32
        scan.yield %w0, %e1 : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a1, %a0 : i32
        %p = arith.muli %a1, %b0 : i32
        %b = arith.addi %p, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %q: i32, %r: i32, %e0: i16, %e1: i32):
        scan.yield %b : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @view(%v: tensor<?xi32>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %w = tensor.extract_slice %v[1] [%n] [1] : tensor<?xi32> to tensor<?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 ins(%w, %x : tensor<?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) maps [#t, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8>}
      load {
      ^bb0(%e0: i32, %e1: i32):
        scan.yield %e0, %e1 : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a1, %a0 : i32
        %p = arith.muli %a1, %b0 : i32
        %b = arith.addi %p, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %q: i32, %r: i32, %e0: i32, %e1: i32):
        scan.yield %b : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @strided(%v: tensor<?x2xi32>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %w = tensor.extract_slice %v[0, 1] [%n, 1] [1, 1] : tensor<?x2xi32> to tensor<?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 ins(%w, %x : tensor<?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) maps [#t, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8>}
      load {
      ^bb0(%e0: i32, %e1: i32):
        scan.yield %e0, %e1 : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a1, %a0 : i32
        %p = arith.muli %a1, %b0 : i32
        %b = arith.addi %p, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %q: i32, %r: i32, %e0: i32, %e1: i32):
        scan.yield %b : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// Over the grid, where registers are what there is least of, item by item.
// CHECK-LABEL: gpu.func @tiles_scan0(
// CHECK-NOT:     vector<4xi32>
func.func @tiles(%w: tensor<?xi32>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 ins(%w, %x : tensor<?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) maps [#t, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, scope = grid>}
      load {
      ^bb0(%e0: i32, %e1: i32):
        scan.yield %e0, %e1 : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a1, %a0 : i32
        %p = arith.muli %a1, %b0 : i32
        %b = arith.addi %p, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %q: i32, %r: i32, %e0: i32, %e1: i32):
        scan.yield %b : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @alone_scan0(
// CHECK-NOT:     vector<4xi32>
func.func @alone(%x: tensor<?xi32>) -> tensor<?xi32> {
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %ones = tensor.splat %one[%n] : tensor<?xi32>
  %next = arith.addi %x, %ones : tensor<?xi32>
  %s = scan.associative ins(%next : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 4, lanes = 32>} {
  ^bb0(%a: i32, %b: i32):
    %m = arith.maxsi %a, %b : i32
    scan.yield %m : i32
  } -> tensor<?xi32>
  %y = arith.muli %s, %next : tensor<?xi32>
  return %y : tensor<?xi32>
}
