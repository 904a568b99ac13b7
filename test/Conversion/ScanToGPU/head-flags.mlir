// Columns of packed sequences: warps at whose items no segment starts take code without
// selects; what the others compute is the same.
//
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
//
// DEFINE: %{entry} = packed
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=0 %{inputs}
//
// Most warps without a start, some with one, and with several.
// REDEFINE: %{inputs} = --input=random:i32:300x20:1:-3:3 --input=random:i32:300x20:2:-9:9 --input=values:i32:5:0,5,150,151,300
// RUN: %{run} --seed=1
// RUN: %{run} --schedule=adversarial
// No start but the first one, and a start at each step.
// REDEFINE: %{inputs} = --input=random:i32:65x6:1:-3:3 --input=random:i32:65x6:2:-9:9 --input=values:i32:2:0,65
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:3x6:1:-3:3 --input=random:i32:3x6:2:-9:9 --input=values:i32:4:0,1,2,3
// RUN: %{run}
//
// The same in reverse, in tiles of the grid.
// REDEFINE: %{entry} = tiles
// REDEFINE: %{inputs} = --input=random:i32:300x20:1:-3:3 --input=random:i32:300x20:2:-9:9 --input=values:i32:6:0,5,150,151,152,300
// RUN: %{run} --seed=3 --resident-blocks=2
// RUN: %{run} --schedule=adversarial
//
// The value of the last step with a flag, and the last one of all.
// REDEFINE: %{entry} = filled
// REDEFINE: %{inputs} = --input=random:i1:300:1 --input=random:i32:300x20:2:-9:9
// RUN: %{run} --seed=7
// REDEFINE: %{inputs} = --input=values:i1:3:0,0,0 --input=random:i32:3x4:2:-9:9
// RUN: %{run} --seed=8
//
// Flags that differ from column to column, for which there is one walk.
// REDEFINE: %{entry} = flags
// REDEFINE: %{inputs} = --input=random:i1:300x20:1 --input=random:i32:300x20:2:-9:9
// RUN: %{run} --seed=4
// REDEFINE: %{inputs} = --input=values:i1:2x2:0,0,0,1 --input=random:i32:2x2:2:-9:9
// RUN: %{run} --seed=5
//
// Many warps, whose totals one of them walks: each of its groups one column of a thread's,
// and several.
// REDEFINE: %{entry} = warps
// REDEFINE: %{inputs} = --input=random:i32:700x20:1:-3:3 --input=random:i32:700x20:2:-9:9 --input=values:i32:6:0,5,150,151,152,700
// RUN: %{run} --seed=9
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{entry} = many
// RUN: %{run} --seed=10
// RUN: %{run} --schedule=adversarial
//
// A total over the steps of a column, which is kept from tile to tile.
// REDEFINE: %{entry} = reduced
// REDEFINE: %{inputs} = --input=random:i32:300x20:1:-3:3 --input=values:i32:3:0,150,300
// RUN: %{run} --seed=6

// CHECK-LABEL: gpu.func @packed_scan0(
// All four flags of a thread, and of its warp.
// CHECK:         arith.ori {{.*}} : i1
// CHECK-NEXT:    arith.ori {{.*}} : i1
// CHECK-NEXT:    %[[SOME:.*]] = arith.ori {{.*}} : i1
// CHECK-NEXT:    %[[NONE:.*]] = arith.xori %[[SOME]], %true
// CHECK-NEXT:    %[[CLEAR:.*]] = nvvm.vote.sync all %{{.*}}, %[[NONE]] -> i1
// The totals of two columns.
// CHECK:         %{{.*}}:4 = scf.if %[[CLEAR]]
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK-NEXT:    } else {
// CHECK-COUNT-12:  arith.select %{{.*}} : i32
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// What is stored: of each step one leaf. The very first state of a column is none.
// CHECK:         gpu.barrier
// CHECK:         %{{.*}}:8 = scf.if %[[CLEAR]]
// CHECK-COUNT-2:   arith.select %{{.*}} : i32
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK-NEXT:    } else {
// CHECK-COUNT-10:  arith.select %{{.*}} : i32
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
func.func @packed(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 2>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}

// Two groups of the first warp, one for each column of its lanes, leave their results in place
// of the totals.
// CHECK-LABEL: gpu.func @warps_scan0(
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %c2
// CHECK:           scf.if %[[FIRST]]
// CHECK:             memref.store
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK-LABEL: gpu.func @many_scan0(
func.func @warps(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 4, lanes = 8, vector = 2>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}
func.func @many(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 reverse attributes {schedule = #scan.schedule<strategy = column, threads = 128, items = 4, lanes = 16, vector = 4>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}

func.func @tiles(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 reverse attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 2, scope = grid>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}

// Without flags a step does nothing. (Stores in both branches made millions of block
// arguments of that.)
#flag = affine_map<(t, c) -> (t)>
#step = affine_map<(t, c) -> (t, c)>
func.func @filled(%flags: tensor<?xi1>, %x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tensor.dim %x, %c0 : tensor<?x?xi32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%steps, %columns) : tensor<?x?xi1>
  %heads = linalg.generic {indexing_maps = [#flag, #step], iterator_types = ["parallel", "parallel"]}
      ins(%flags : tensor<?xi1>) outs(%empty : tensor<?x?xi1>) {
  ^bb0(%f: i1, %out: i1):
    linalg.yield %f : i1
  } -> tensor<?x?xi1>
  %any, %y, %last_flag, %last = scan.associative ins(%heads, %x : tensor<?x?xi1>, tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 4>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %f = arith.ori %f0, %f1 : i1
    %value = arith.select %f1, %x1, %x0 : i32
    scan.yield %f, %value : i1, i32
  } -> tensor<?x?xi1>, tensor<?x?xi32>, tensor<?xi1>, tensor<?xi32>
  return %y, %last : tensor<?x?xi32>, tensor<?xi32>
}

func.func @flags(%f: tensor<?x?xi1>, %x: tensor<?x?xi32>) -> (tensor<?x?xi1>, tensor<?x?xi32>) {
  %g, %y = scan.associative ins(%f, %x : tensor<?x?xi1>, tensor<?x?xi32>) dim = 0 attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 16, vector = 1>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %any = arith.ori %f0, %f1 : i1
    %sum = arith.addi %x0, %x1 : i32
    %value = arith.select %f1, %x1, %sum : i32
    scan.yield %any, %value : i1, i32
  } -> tensor<?x?xi1>, tensor<?x?xi32>
  return %g, %y : tensor<?x?xi1>, tensor<?x?xi32>
}

#steps = affine_map<(t, c) -> (t, c)>
#columns = affine_map<(t, c) -> (c)>
func.func @reduced(%x: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %y = scan.associative ins(%x : tensor<?x?xi32>) segments(%offsets : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 2>} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n) : tensor<?xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
  %total = linalg.generic {indexing_maps = [#steps, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<?x?xi32>) outs(%zeros : tensor<?xi32>) {
  ^bb0(%e: i32, %acc: i32):
    %s = arith.addi %e, %acc : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %total : tensor<?xi32>
}
