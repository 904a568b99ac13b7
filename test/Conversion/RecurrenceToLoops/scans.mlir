// RUN: scan-opt %s --convert-recurrence-to-scans | FileCheck %s
// RUN: scan-opt %s --convert-recurrence-to-scans --cse --canonicalize --scan-normalize --scan-fuse-elementwise --canonicalize | FileCheck %s --check-prefix=KERNEL

// Rows of weights and scalars are read as what is the same at each step, in room that leaves
// have or in leaves of their own; a kernel reads them as they are, and writes nothing for
// leaves that nobody asks for.
// CHECK-LABEL: func.func @cell
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>, %[[H:.+]]: tensor<1x8xf32>, %[[W:.+]]: tensor<8xf32>, %[[S:.+]]: f32)
// CHECK-DAG:     %[[INIT:.+]] = tensor.collapse_shape %[[H]] {{\[\[}}0, 1]] : tensor<1x8xf32> into tensor<8xf32>
// CHECK-DAG:     %[[WS:.+]] = linalg.broadcast ins(%[[W]] : tensor<8xf32>) {{.*}} dimensions = [0]
// CHECK-DAG:     %[[SS:.+]] = linalg.fill ins(%[[S]] : f32)
// CHECK:         %[[R:.+]]:6 = scan.associative ins(%[[X]], %[[WS]], %[[SS]] : {{.*}}) init(%[[INIT]], %{{.+}}, %{{.+}} : tensor<8xf32>, f32, f32) dim = 0 reverse attributes {order = #scan.order<sequential>} {
// CHECK-NEXT:    ^bb0(%[[BEFORE:[^ ]+]]: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %[[ROW:[^ ]+]]: f32, %[[WEIGHT:[^ ]+]]: f32, %[[GAIN:[^ ]+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[BEFORE]], %[[WEIGHT]] : f32
// CHECK-NEXT:      %[[Q:.+]] = arith.mulf %[[ROW]], %[[GAIN]] : f32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[P]], %[[Q]] : f32
// CHECK-NEXT:      %[[NEXT:.+]] = math.tanh %[[SUM]] : f32
// CHECK:         %[[LAST:.+]] = tensor.expand_shape %[[R]]#3 {{\[\[}}0, 1]] output_shape [1, 8]
// CHECK:         return %[[R]]#0, %[[LAST]]
// KERNEL-LABEL: func.func @cell
// KERNEL-NOT:     linalg.
// KERNEL:         scan.kernel
// KERNEL-NOT:     linalg.broadcast
// KERNEL:         return
func.func @cell(%x: tensor<?x8xf32>, %h0: tensor<1x8xf32>, %w: tensor<8xf32>, %s: f32) -> (tensor<?x8xf32>, tensor<1x8xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x8xf32>) init(%h0 : tensor<1x8xf32>)
      captures(%w, %s : tensor<8xf32>, f32) dim = 0 reverse {
  ^bb0(%t: index, %h1: tensor<8xf32>, %row: tensor<8xf32>, %weight: tensor<8xf32>, %gain: f32):
    %p = arith.mulf %h1, %weight : tensor<8xf32>
    %gains = tensor.splat %gain : tensor<8xf32>
    %q = arith.mulf %row, %gains : tensor<8xf32>
    %sum = arith.addf %p, %q : tensor<8xf32>
    %next = math.tanh %sum : tensor<8xf32>
    scan.yield %next : tensor<8xf32>
  } -> tensor<?x8xf32>, tensor<1x8xf32>
  return %h, %last : tensor<?x8xf32>, tensor<1x8xf32>
}

// Two states that change places, an output of another type, and the row of the init in
// front. Scalars are rows, too.
// CHECK-LABEL: func.func @states
// CHECK:         %[[R:.+]]:3 = scan.associative {{.*}} init(%{{.+}}, %{{.+}}, %{{.+}} : i32, i32, i64) dim = 0 attributes {order = #scan.order<sequential>} {
// CHECK-NEXT:    ^bb0(%[[A:[^ ]+]]: i32, %[[B:[^ ]+]]: i32, %{{[^ ]+}}: i64, %[[ROW:[^ ]+]]: i32, %{{.+}}):
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[A]], %[[ROW]] : i32
// CHECK-NEXT:      %[[WIDE:.+]] = arith.extsi %[[SUM]] : i32 to i64
// CHECK-NEXT:      %[[CLONE:.+]] = scan.clone %[[B]] : i32
// CHECK-NEXT:      scan.yield %[[CLONE]], %[[SUM]], %[[WIDE]] : i32, i32, i64
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[0] [1] [1] : tensor<1xi32> into tensor<?xi32>
// CHECK:         tensor.insert_slice %[[R]]#0 into %{{.+}}[1] [%{{.+}}] [1]
func.func @states(%x: tensor<?xi32>, %i: tensor<1xi32>, %j: tensor<1xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi64>) {
  %a, %b, %y = scan.recurrence ins(%x : tensor<?xi32>) init(%i, %j : tensor<1xi32>, tensor<1xi32>) dim = 0 init_rows {
  ^bb0(%t: index, %a1: i32, %b1: i32, %row: i32):
    %sum = arith.addi %a1, %row : i32
    %wide = arith.extsi %sum : i32 to i64
    scan.yield %b1, %sum, %wide : i32, i32, i64
  } -> tensor<?xi32>, tensor<?xi32>, tensor<?xi64>
  return %a, %b, %y : tensor<?xi32>, tensor<?xi32>, tensor<?xi64>
}

// Rows that have nothing to do with each other may be of different widths.
// CHECK-LABEL: func.func @widths
// CHECK-NOT:     scan.associative
// CHECK:         scan.recurrence
func.func @widths(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>, %j: tensor<1x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %h, %g = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i, %j : tensor<1x?xf32>, tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %g1: tensor<?xf32>, %row: tensor<?xf32>):
    %s = arith.addf %h1, %row : tensor<?xf32>
    %n = arith.negf %g1 : tensor<?xf32>
    scan.yield %s, %n : tensor<?xf32>, tensor<?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %h, %g : tensor<?x?xf32>, tensor<?x?xf32>
}

// Nor has an input that is not read a width that matters.
// CHECK-LABEL: func.func @unread
// CHECK:         scan.associative
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @unread(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %n = arith.negf %h1 : tensor<?xf32>
    scan.yield %n : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// Without a step there is no place for rows behind the row of the init.
// CHECK-LABEL: func.func @no_steps
// CHECK-NOT:     scan.associative
// CHECK:         scan.recurrence
func.func @no_steps(%x: tensor<1x0xf32>, %i: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %h = scan.recurrence ins(%x : tensor<1x0xf32>) init(%i : tensor<1x1xf32>) dim = 1 init_rows {
  ^bb0(%t: index, %h1: tensor<1xf32>, %row: tensor<1xf32>):
    scan.yield %row : tensor<1xf32>
  } -> tensor<1x1xf32>
  return %h : tensor<1x1xf32>
}

// What is not pointwise, and what looks further back.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     scan.associative
// CHECK-COUNT-5: scan.recurrence
// CHECK:         return
func.func @others(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>, %j: tensor<2x4xf32>, %n: index)
    -> (tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32>) {
  %window = scan.recurrence ins(%x : tensor<9x4xf32>) init(%j : tensor<2x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %h2: tensor<4xf32>, %row: tensor<4xf32>):
    %s = arith.addf %h2, %row : tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<9x4xf32>
  %lane = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<4xf32>
    %all = tensor.splat %first : tensor<4xf32>
    %s = arith.addf %all, %row : tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<9x4xf32>
  %flipped = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%h1 : tensor<4xf32>) outs(%row : tensor<4xf32>) {
    ^bb0(%e: f32, %out: f32):
      %d = arith.addf %e, %out : f32
      linalg.yield %d : f32
    } -> tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<9x4xf32>
  %numbered = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %number = arith.index_cast %t : index to i32
    %float = arith.sitofp %number : i32 to f32
    %all = tensor.splat %float : tensor<4xf32>
    %s = arith.addf %all, %h1 : tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<9x4xf32>
  %steps = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %s = arith.addf %row, %h1 : tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %window, %lane, %flipped, %numbered, %steps : tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32>
}

// Previous rows are those of 16 bits.
// CHECK-LABEL: func.func @rounded(
// CHECK:         scan.associative {{.*}}accumulators = [f16, f16]
func.func @rounded(%x: tensor<9x4xf16>, %i: tensor<1x4xf16>) -> (tensor<9x4xf16>, tensor<9x4xf16>) {
  %g, %h = scan.recurrence ins(%x : tensor<9x4xf16>) init(%i, %i : tensor<1x4xf16>, tensor<1x4xf16>) dim = 0 {
  ^bb0(%t: index, %g1: tensor<4xf16>, %h1: tensor<4xf16>, %row: tensor<4xf16>):
    %p = arith.mulf %h1, %row : tensor<4xf16>
    %m = arith.minimumf %p, %row : tensor<4xf16>
    scan.yield %h1, %m : tensor<4xf16>, tensor<4xf16>
  } -> tensor<9x4xf16>, tensor<9x4xf16>
  return %g, %h : tensor<9x4xf16>, tensor<9x4xf16>
}
