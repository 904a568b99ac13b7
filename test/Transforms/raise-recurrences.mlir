// RUN: scan-opt %s --scan-raise-recurrence --canonicalize --cse --remarks-filter-missed=scan-raise-recurrence 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// What scans scan.recurrence becomes; numbers: raise-recurrences.test.

// A sum: the rows of the init are put in front of those of the scan, and what the
// recurrence would have checked is checked.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:      %[[X:.+]]: tensor<10x?xf32>, %[[INIT:.+]]: tensor<1x?xf32>
// CHECK:         cf.assert %{{.+}}, "{{.*}}'scan.recurrence' op the row of state #0 has other extents than its init"
// CHECK:         %[[START:.+]] = tensor.extract_slice %[[INIT]][0, 0]
// CHECK:         %[[S:.+]] = scan.associative ins(%[[X]] : tensor<10x?xf32>) init(%[[START]] : tensor<?xf32>) dim = 0 {
// CHECK:           arith.addf
// CHECK:         tensor.insert_slice %[[S]] into %{{.+}}[1, 0]
// CHECK:         tensor.insert_slice %[[INIT]] into %{{.+}}[0, 0]
func.func @sums(%x: tensor<10x?xf32>, %i: tensor<1x?xf32>) -> tensor<11x?xf32> {
  %s = scan.recurrence ins(%x : tensor<10x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %before: tensor<?xf32>, %row: tensor<?xf32>):
    %sum = arith.addf %before, %row : tensor<?xf32>
    scan.yield %sum : tensor<?xf32>
  } -> tensor<11x?xf32>
  return %s : tensor<11x?xf32>
}

// A step that spreads a * h + b, with an output and a final state, in reverse.
// CHECK-LABEL: func.func @gated(
// CHECK:         scan.linear_recurrence ins({{.+}} : tensor<4x9xf64>, tensor<4x9xf64>) init({{.+}} : tensor<4xf64>) dim = 1 reverse
// CHECK-SAME:      -> tensor<4x9xf64>, tensor<4xf64>
// CHECK-NOT:     scan.recurrence
func.func @gated(%z: tensor<4x9xf64>, %x: tensor<4x9xf64>, %i: tensor<4x1xf64>)
    -> (tensor<4x9xf64>, tensor<4x1xf64>) {
  %h, %y, %last = scan.recurrence ins(%z, %x : tensor<4x9xf64>, tensor<4x9xf64>) init(%i : tensor<4x1xf64>)
      dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<4xf64>, %gate: tensor<4xf64>, %row: tensor<4xf64>):
    %s = math.exp %gate : tensor<4xf64>
    %d = arith.subf %row, %h1 : tensor<4xf64>
    %p = arith.mulf %s, %d : tensor<4xf64>
    %next = arith.addf %h1, %p : tensor<4xf64>
    %out = arith.mulf %next, %row : tensor<4xf64>
    scan.yield %next, %out : tensor<4xf64>, tensor<4xf64>
  } -> tensor<4x9xf64>, tensor<4x9xf64>, tensor<4x1xf64>
  return %y, %last : tensor<4x9xf64>, tensor<4x1xf64>
}

// CHECK-LABEL: func.func @complex(
// CHECK:         scan.linear_recurrence ins({{.+}} : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>)
func.func @complex(%a: tensor<9xcomplex<f32>>, %x: tensor<9xcomplex<f32>>, %i: tensor<1xcomplex<f32>>)
    -> tensor<9xcomplex<f32>> {
  %h = scan.recurrence ins(%a, %x : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>) init(%i : tensor<1xcomplex<f32>>) dim = 0 {
  ^bb0(%t: index, %h1: complex<f32>, %gate: complex<f32>, %row: complex<f32>):
    %p = complex.mul %gate, %h1 : complex<f32>
    %next = complex.add %p, %row : complex<f32>
    scan.yield %next : complex<f32>
  } -> tensor<9xcomplex<f32>>
  return %h : tensor<9xcomplex<f32>>
}

// Two rows back: matrices of two by two and two numbers more.
// CHECK-LABEL: func.func @fibonacci(
// CHECK:         cf.assert %{{.+}}, "{{.*}}'scan.recurrence' op expected a number of steps of 0 or more"
// CHECK:         scan.associative ins({{.+}} : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
func.func @fibonacci(%i: tensor<2xi64>, %steps: index) -> tensor<?xi64> {
  %f = scan.recurrence init(%i : tensor<2xi64>) steps(%steps : index) dim = 0 init_rows {
  ^bb0(%t: index, %f1: i64, %f2: i64):
    %sum = arith.addi %f1, %f2 : i64
    scan.yield %sum : i64
  } -> tensor<?xi64>
  return %f : tensor<?xi64>
}

// Three rows back in each lane, in reverse, of which the last three are returned: what
// is in front of the last rows does not exist as a tensor.
// CHECK-LABEL: func.func @third(
// CHECK:         scan.associative {{.*}} dim = 1 reverse
// CHECK-NOT:     scan.recurrence
func.func @third(%x: tensor<5x?xi32>, %i: tensor<5x3xi32>) -> (tensor<5x?xi32>, tensor<5x3xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<5x?xi32>) init(%i : tensor<5x3xi32>) dim = 1 reverse init_rows {
  ^bb0(%t: index, %h1: tensor<5xi32>, %h2: tensor<5xi32>, %h3: tensor<5xi32>, %row: tensor<5xi32>):
    %three = arith.constant dense<3> : tensor<5xi32>
    %p = arith.muli %three, %h3 : tensor<5xi32>
    %q = arith.muli %row, %h2 : tensor<5xi32>
    %r = arith.subi %p, %q : tensor<5xi32>
    %s = arith.addi %r, %h1 : tensor<5xi32>
    %number = arith.index_cast %t : index to i32
    %numbers = tensor.splat %number : tensor<5xi32>
    %next = arith.addi %s, %numbers : tensor<5xi32>
    scan.yield %next : tensor<5xi32>
  } -> tensor<5x?xi32>, tensor<5x3xi32>
  return %h, %last : tensor<5x?xi32>, tensor<5x3xi32>
}

// Integers and maxima are the same in any order.
// CHECK-LABEL: func.func @same_bits(
// CHECK:         scan.associative {{.*}} attributes {order = #scan.order<sequential>}
// CHECK-NOT:     scan.recurrence
func.func @same_bits(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0
      attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %next = arith.maximumf %h1, %row : tensor<4xf32>
    scan.yield %next : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}

// Each lane of many walks by itself.
// CHECK-LABEL: func.func @many_lanes(
// CHECK:         scan.recurrence
// REMARK: Function=many_lanes | Reason="states that are updated together, 2 of them, would be a scan of 6 numbers per lane, which pays for few lanes: expected max-matrix-lanes=4096 at most, found rows of type tensor<4097xf32>", Remark="a recurrence stays"
func.func @many_lanes(%x: tensor<9x4097xf32>, %i: tensor<2x4097xf32>) -> tensor<9x4097xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4097xf32>) init(%i : tensor<2x4097xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4097xf32>, %h2: tensor<4097xf32>, %row: tensor<4097xf32>):
    %s = arith.addf %h1, %h2 : tensor<4097xf32>
    %next = arith.subf %row, %s : tensor<4097xf32>
    scan.yield %next : tensor<4097xf32>
  } -> tensor<9x4097xf32>
  return %h : tensor<9x4097xf32>
}

// CHECK-LABEL: func.func @nonlinear(
// CHECK:         scan.recurrence
// REMARK: raise-recurrences.mlir:[[#@LINE + 5]]:{{.*}}Function=nonlinear | Reason="the update of a carried value h is none of
func.func @nonlinear(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %s = arith.addf %h1, %row : tensor<4xf32>
    %next = math.tanh %s : tensor<4xf32>
    scan.yield %next : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}

// CHECK-LABEL: func.func @rounded(
// CHECK:         scan.recurrence
// REMARK: Function=rounded | Reason="the scan of the update rounds otherwise than the loop: order = sequential asks for the same numbers"
func.func @rounded(%z: tensor<9xf32>, %x: tensor<9xf32>, %i: tensor<1xf32>) -> tensor<9xf32> {
  %h = scan.recurrence ins(%z, %x : tensor<9xf32>, tensor<9xf32>) init(%i : tensor<1xf32>) dim = 0
      attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %h1: f32, %gate: f32, %row: f32):
    %d = arith.subf %row, %h1 : f32
    %p = arith.mulf %gate, %d : f32
    %next = arith.addf %h1, %p : f32
    scan.yield %next : f32
  } -> tensor<9xf32>
  return %h : tensor<9xf32>
}

// CHECK-LABEL: func.func @scheduled(
// CHECK:         scan.recurrence
// REMARK: Function=scheduled | Reason="its schedule walks step by step"
func.func @scheduled(%x: tensor<9x4xi32>, %i: tensor<1x4xi32>) -> tensor<9x4xi32> {
  %h = scan.recurrence ins(%x : tensor<9x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64>} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %next = arith.addi %h1, %row : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<9x4xi32>
  return %h : tensor<9x4xi32>
}

// A schedule that splits time is that of the scan.
// CHECK-LABEL: func.func @time_split(
// CHECK:         scan.{{.*}}schedule = #scan.schedule<strategy = column, threads = 64, items = 4>
func.func @time_split(%x: tensor<9x4xi32>, %i: tensor<1x4xi32>) -> tensor<9x4xi32> {
  %h = scan.recurrence ins(%x : tensor<9x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = column, threads = 64, items = 4>} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %next = arith.addi %h1, %row : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<9x4xi32>
  return %h : tensor<9x4xi32>
}

// CHECK-LABEL: func.func @time_split_in_order(
// CHECK:         scan.recurrence
// REMARK: Function=time_split_in_order | Reason="order = sequential asks for steps one after the other"
func.func @time_split_in_order(%x: tensor<9x4xi32>, %i: tensor<1x4xi32>) -> tensor<9x4xi32> {
  %h = scan.recurrence ins(%x : tensor<9x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {order = #scan.order<sequential>, scan.schedule = #scan.schedule<strategy = column, threads = 64, items = 4>} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %next = arith.addi %h1, %row : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<9x4xi32>
  return %h : tensor<9x4xi32>
}

// CHECK-LABEL: func.func @as_loops(
// CHECK:         scan.recurrence
// REMARK: Function=as_loops | Reason="its steps are scheduled as loops"
func.func @as_loops(%x: tensor<9x4xi32>, %i: tensor<1x4xi32>) -> tensor<9x4xi32> {
  %h = scan.recurrence ins(%x : tensor<9x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 1>} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %next = arith.addi %h1, %row : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<9x4xi32>
  return %h : tensor<9x4xi32>
}

// Lanes of which nobody knows how many there are, and not each by itself.
// CHECK-LABEL: func.func @across(
// CHECK:         scan.recurrence
// REMARK: Function=across | Reason="{{.*}}, and extents of rows are not static"
func.func @across(%x: tensor<9x?xi32>, %i: tensor<1x?xi32>) -> tensor<9xi32> {
  %h, %y = scan.recurrence ins(%x : tensor<9x?xi32>) init(%i : tensor<1x?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xi32>, %row: tensor<?xi32>):
    %next = arith.addi %h1, %row : tensor<?xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %total = linalg.reduce { arith.addi } ins(%next : tensor<?xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    %sum = tensor.extract %total[] : tensor<i32>
    scan.yield %next, %sum : tensor<?xi32>, i32
  } -> tensor<9x?xi32>, tensor<9xi32>
  return %y : tensor<9xi32>
}

// Segments are those of the scan.
// CHECK-LABEL: func.func @packed(
// CHECK:         scan.linear_recurrence ins({{.+}}) init({{.+}}) segments(%{{.+}} : tensor<?xi32>) dim = 0
// CHECK-NOT:     scan.recurrence
func.func @packed(%a: tensor<?x4xf32>, %x: tensor<?x4xf32>, %i: tensor<1x4xf32>, %s: tensor<?xi32>) -> tensor<?x4xf32> {
  %h = scan.recurrence ins(%a, %x : tensor<?x4xf32>, tensor<?x4xf32>) init(%i : tensor<1x4xf32>)
      segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %gate: tensor<4xf32>, %row: tensor<4xf32>):
    %p = arith.mulf %gate, %h1 : tensor<4xf32>
    %next = arith.addf %p, %row : tensor<4xf32>
    scan.yield %next : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @packed_final(
// CHECK:         scan.recurrence
// REMARK: Function=packed_final | Reason="final states of segments are its results", Remark="a recurrence stays"
func.func @packed_final(%x: tensor<?x4xf32>, %i: tensor<1x4xf32>, %s: tensor<3xi32>) -> tensor<2x4xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<?x4xf32>) init(%i : tensor<1x4xf32>)
      segments(%s : tensor<3xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %next = arith.addf %h1, %row : tensor<4xf32>
    scan.yield %next : tensor<4xf32>
  } -> tensor<?x4xf32>, tensor<2x4xf32>
  return %last : tensor<2x4xf32>
}

// A sum of what is a sum: each is one over all steps.
// CHECK-LABEL: func.func @sum_of_sums(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:     scan.recurrence
func.func @sum_of_sums(%x: tensor<4x9xi64>, %i: tensor<4x1xi64>, %m: tensor<4x4xi64>) -> tensor<4x9xi64> {
  %h = scan.recurrence ins(%x : tensor<4x9xi64>) init(%i : tensor<4x1xi64>) captures(%m : tensor<4x4xi64>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<4xi64>, %row: tensor<4xi64>, %w: tensor<4x4xi64>):
    %v = linalg.matvec ins(%w, %row : tensor<4x4xi64>, tensor<4xi64>) outs(%row : tensor<4xi64>) -> tensor<4xi64>
    %zero = arith.constant dense<0> : tensor<i64>
    %sum = linalg.reduce { arith.addi } ins(%v : tensor<4xi64>) outs(%zero : tensor<i64>) dimensions = [0]
    %s = tensor.extract %sum[] : tensor<i64>
    %all = tensor.splat %s : tensor<4xi64>
    %a = arith.addi %all, %v : tensor<4xi64>
    %next = arith.addi %h1, %a : tensor<4xi64>
    scan.yield %next : tensor<4xi64>
  } -> tensor<4x9xi64>
  return %h : tensor<4x9xi64>
}
