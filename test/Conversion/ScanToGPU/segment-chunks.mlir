// Blocks that share the steps of packed sequences: each from the head flag nearest to the
// beginning of its share to the one nearest to its end. Where sequences are too long for that
// they share the columns.
//
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
//
// DEFINE: %{entry} = packed
// DEFINE: %{inputs} =
// DEFINE: %{steps} = 300
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=0 --input=random:i32:%{steps}x20:1:-3:3 --input=random:i32:%{steps}x20:2:-9:9 %{inputs}
//
// Flags in each of the three shares; at their borders, and on either side of these.
// REDEFINE: %{inputs} = --input=values:i32:6:0,5,150,151,250,300
// RUN: %{run} --seed=1
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{inputs} = --input=values:i32:5:0,100,200,200,300
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=values:i32:6:0,99,101,199,201,300
// RUN: %{run} --seed=3
// A share without a flag; two; none but the first one, so that columns are shared; one step
// for a sequence.
// REDEFINE: %{inputs} = --input=values:i32:4:0,20,280,300
// RUN: %{run} --seed=4
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{inputs} = --input=values:i32:3:0,299,300
// RUN: %{run} --seed=5
// REDEFINE: %{inputs} = --input=values:i32:2:0,300
// RUN: %{run} --seed=6
// REDEFINE: %{steps} = 3
// REDEFINE: %{inputs} = --input=values:i32:4:0,1,2,3
// RUN: %{run} --seed=7
// Flags farther away than a warp looks at once, on either side; no steps.
// REDEFINE: %{steps} = 2100
// REDEFINE: %{inputs} = --input=values:i32:4:0,200,1000,2100
// RUN: %{run} --seed=8
// REDEFINE: %{inputs} = --input=values:i32:3:0,1050,2100
// RUN: %{run} --seed=9
// REDEFINE: %{steps} = 0
// REDEFINE: %{inputs} = --input=values:i32:2:0,0
// RUN: %{run}
//
// In reverse, with an extent that is known and a step for each item.
// REDEFINE: %{entry} = reversed
// REDEFINE: %{steps} = 300
// REDEFINE: %{inputs} = --input=values:i32:6:0,5,150,151,250,300
// RUN: %{run} --seed=10
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{inputs} = --input=values:i32:4:0,20,280,300
// RUN: %{run} --seed=11
//
// Exclusive, from an init of each sequence, with the states behind the last steps.
// REDEFINE: %{entry} = inits
// REDEFINE: %{inputs} = --input=random:i32:5x20:3:-9:9 --input=values:i32:6:0,5,150,151,250,300
// RUN: %{run} --seed=12
// RUN: %{run} --schedule=adversarial
//
// Flags that need not have one at the first step, and the states behind the last one.
// REDEFINE: %{entry} = filled
// REDEFINE: %{inputs} = --input=random:i1:300:5
// RUN: %{run} --seed=13
// REDEFINE: %{steps} = 8
// REDEFINE: %{inputs} = --input=values:i1:8:0,0,0,1,0,0,0,0
// RUN: %{run} --seed=14
// REDEFINE: %{inputs} = --input=values:i1:8:0,0,0,0,0,0,0,0
// RUN: %{run} --seed=15
// REDEFINE: %{steps} = 0
// REDEFINE: %{inputs} = --input=random:i1:0:5
// RUN: %{run}

// A share is a third of the steps. Two warps find the four borders: a lane reads eight flags on
// either side of one.
// CHECK-LABEL: gpu.func @packed_scan0(
// CHECK:         %[[BLOCKS:.*]] = arith.muli %[[GROUPS:.*]], %c3 : index
// CHECK:         arith.cmpi ult, %[[NUMBER:.*]], %[[BLOCKS]] : index
// CHECK:           %[[GROUP:.*]] = arith.remui %[[NUMBER]], %[[GROUPS]] : index
// CHECK:           %[[CHUNK:.*]] = arith.divui %[[NUMBER]], %[[GROUPS]] : index
// CHECK:           arith.cmpi ne, %[[STEPS:.*]], %c0 : index
// CHECK:             %[[SHARE:.*]] = arith.ceildivui %[[STEPS]], %c3 : index
// CHECK:             scf.for %[[BORDER:.*]] = %{{.*}} to %c4 step %c2
// CHECK:               arith.muli %[[BORDER]], %[[SHARE]] : index
// CHECK:               scf.while
// CHECK-COUNT-16:        memref.load {{.*}} : memref<?xi1
// CHECK-COUNT-5:         gpu.shuffle xor
// CHECK-NOT:             memref.load {{.*}} : memref<?xi1
// CHECK:                 scf.yield
// CHECK:               memref.store {{.*}} : memref<4xi64, #gpu.address_space<workgroup>>
// CHECK:             gpu.barrier
// The longest chunk has at most 7/4 of the steps of a share.
// CHECK:             %[[LONGEST:.*]] = scf.for
// CHECK:               arith.maxui
// CHECK:             %[[FOUR:.*]] = arith.muli %[[LONGEST]], %c12 : index
// CHECK:             %[[SEVEN:.*]] = arith.muli %[[STEPS]], %c7 : index
// CHECK:             arith.cmpi ule, %[[FOUR]], %[[SEVEN]] : index
// CHECK:           scf.if
// Tiles begin where the items of a thread are aligned as in a walk over all steps.
// CHECK:             %[[BEFORE:.*]] = arith.remui %[[FOUND:[0-9]+]]#0, %c4 : index
// CHECK:             arith.subi %[[FOUND]]#0, %[[BEFORE]] : index
// CHECK:             scf.for
// Of the sixteen columns of three blocks each has eight, one for a lane.
// CHECK:           } else {
// CHECK:             %[[IN_ROW:.*]] = arith.remui %[[GROUP]], %[[GROUPS]] : index
// CHECK:             %[[FIRST_PART:.*]] = arith.muli %[[IN_ROW]], %c2 : index
// CHECK:             arith.addi %[[FIRST_PART]], %[[CHUNK]] : index
// CHECK:             arith.cmpi ult, %[[CHUNK]], %c2 : index
// CHECK:             scf.for
func.func @packed(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 2, blocks = 3>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @reversed_scan0(
func.func @reversed(%a: tensor<300x20xi32>, %b: tensor<300x20xi32>, %offsets: tensor<?xi32>) -> tensor<300x20xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<300x20xi32>, tensor<300x20xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 reverse attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 1, lanes = 16, blocks = 4>} -> tensor<300x20xi32>
  return %h : tensor<300x20xi32>
}

func.func @inits(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %h0: tensor<?x?xi32>, %offsets: tensor<?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%h0 : tensor<?x?xi32>)
      segments(%offsets : tensor<?xi32>)
      dim = 0 exclusive attributes {schedule = #scan.schedule<strategy = column, threads = 96, items = 3, lanes = 4, vector = 4, blocks = 5>}
      -> tensor<?x?xi32>, tensor<?x?xi32>
  return %h, %last : tensor<?x?xi32>, tensor<?x?xi32>
}

#flag = affine_map<(t, c) -> (t)>
#step = affine_map<(t, c) -> (t, c)>
func.func @filled(%x: tensor<?x?xi32>, %unused: tensor<?x?xi32>, %flags: tensor<?xi1>) -> (tensor<?x?xi32>, tensor<?xi32>) {
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
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8, vector = 4, blocks = 2>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %f = arith.ori %f0, %f1 : i1
    %value = arith.select %f1, %x1, %x0 : i32
    scan.yield %f, %value : i1, i32
  } -> tensor<?x?xi1>, tensor<?x?xi32>, tensor<?xi1>, tensor<?xi32>
  return %y, %last : tensor<?x?xi32>, tensor<?xi32>
}
