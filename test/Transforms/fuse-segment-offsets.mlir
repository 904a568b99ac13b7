// RUN: scan-opt %s --split-input-file --scan-normalize --canonicalize --scan-fuse-segment-offsets | FileCheck %s
// RUN: scan-opt %s --split-input-file --scan-normalize --canonicalize --scan-fuse-segment-offsets=max-scans=0 | FileCheck %s --check-prefix=NONE
// RUN: scan-opt %s --split-input-file --scan-normalize --canonicalize --scan-fuse-segment-offsets=max-scans=3 | FileCheck %s --check-prefix=FEW
// RUN: scan-opt %s --split-input-file --scan-normalize --canonicalize --scan-fuse-segment-offsets --scan-fuse-elementwise | FileCheck %s --check-prefix=COMPUTED
// RUN: not scan-opt %s --split-input-file --scan-fuse-segment-offsets=max-scans=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: scan-fuse-segment-offsets: expected max-scans of at least 0, found -1

// NONE-NOT: segment_offsets = array
// NONE-NOT: scan.head_flags

// The offsets in place of flags.
// CHECK-DAG:     #[[$STEP:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG:     #[[$LIST:.+]] = affine_map<(d0) -> (0)>
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[S:.+]]: tensor<?xi32>)
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:        ins(%[[X]], %[[S]] : tensor<?xf32>, tensor<?xi32>)
// CHECK-NEXT:        maps [#[[$STEP]], #[[$LIST]], #[[$STEP]]] attributes {segment_offsets = array<i1: false, true>}
// CHECK:             ^bb0(%{{.+}}: f32, %{{.+}}: i1):
// CHECK-NOT:     scan.head_flags
func.func @row(%x: tensor<?xf32>, %s: tensor<?xi32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Few rows, backwards; with max-scans=3 four are too many.
// CHECK-LABEL: func.func @few_rows(
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:        ins(%{{.+}}, %{{.+}} : tensor<4x9xf32>, tensor<3xindex>)
// CHECK:             segment_offsets = array<i1: false, true>
// FEW-LABEL:   func.func @few_rows(
// FEW-NOT:       segment_offsets = array
func.func @few_rows(%x: tensor<4x9xf32>, %s: tensor<3xindex>) -> tensor<4x9xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<4x9xf32>, tensor<4x9xf32>) segments(%s : tensor<3xindex>) dim = 1 reverse -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// -----

// Rows of a number that is not known, where the schedule says that blocks walk them.
// CHECK-LABEL: func.func @scheduled(
// CHECK:         segment_offsets = array<i1: false, true>
// FEW-LABEL:   func.func @scheduled(
// FEW:           segment_offsets = array<i1: false, true>
func.func @scheduled(%x: tensor<?x9xf32>, %s: tensor<?xi64>) -> tensor<?x9xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?x9xf32>, tensor<?x9xf32>) segments(%s : tensor<?xi64>) dim = 1
    attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2, rows = 8>} -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

// What is left alone: the starts of a step by bisection of the offsets.
// CHECK-LABEL: func.func @many_rows(
// CHECK-SAME:    %{{.+}}: tensor<?x9xf32>, %[[S:.+]]: tensor<?xi64>)
// CHECK:         %[[F:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<9xi1>)
// CHECK:           %[[T:.+]] = linalg.index 0
// CHECK:           %[[N:.+]]:2 = scf.while
// CHECK:             tensor.extract %[[S]]
// CHECK:           %[[E:.+]] = tensor.extract %[[S]][%[[N]]#0]
// CHECK:           %[[O:.+]] = arith.index_cast %[[E]]
// CHECK:           arith.cmpi eq, %[[O]], %[[T]]
// CHECK-NOT:     segment_offsets = array
func.func @many_rows(%x: tensor<?x9xf32>, %s: tensor<?xi64>) -> tensor<?x9xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?x9xf32>, tensor<?x9xf32>) segments(%s : tensor<?xi64>) dim = 1 -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

// Columns. Backwards a walk starts at the last step of a segment.
// CHECK-LABEL: func.func @columns(
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<9xi1>)
// CHECK:           scf.while
// CHECK:           %[[NEXT:.+]] = arith.addi %{{.+}}#0
// CHECK:           tensor.extract %{{.+}}[%[[NEXT]]]
// CHECK-NOT:     segment_offsets = array
func.func @columns(%x: tensor<9x4xf32>, %s: tensor<?xi64>) -> tensor<9x4xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<9x4xf32>, tensor<9x4xf32>) segments(%s : tensor<?xi64>) dim = 0 reverse -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// Other schedules and the sequential order.
// CHECK-LABEL: func.func @sequential(
// CHECK-NOT:     segment_offsets = array
func.func @sequential(%x: tensor<9xf32>, %s: tensor<?xi32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %y = scan.linear_recurrence ins(%x, %x : tensor<9xf32>, tensor<9xf32>) segments(%s : tensor<?xi32>) dim = 0
    attributes {order = #scan.order<sequential>} -> tensor<9xf32>
  %z = scan.linear_recurrence ins(%x, %x : tensor<9xf32>, tensor<9xf32>) segments(%s : tensor<?xi32>) dim = 0
    attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>} -> tensor<9xf32>
  return %y, %z : tensor<9xf32>, tensor<9xf32>
}

// -----

// Other readers of the head flags still find them in memory.
// CHECK-LABEL: func.func @also_read(
// CHECK:         %[[F:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi1>)
// CHECK:         segment_offsets = array<i1: false, true>
// CHECK:         return %{{.+}}, %[[F]]
func.func @also_read(%x: tensor<?xf32>, %s: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi1>) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %f = scan.head_flags %s extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %y = scan.associative ins(%x : tensor<?xf32>) segments(%f : tensor<?xi1>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y, %f : tensor<?xf32>, tensor<?xi1>
}

// -----

// The head flags of the other direction.
// CHECK-LABEL: func.func @other_way(
// CHECK-NOT:     segment_offsets = array
func.func @other_way(%x: tensor<9xf32>, %s: tensor<?xi32>) -> tensor<9xf32> {
  %f = scan.head_flags %s : tensor<?xi32> -> tensor<9xi1>
  %y = scan.linear_recurrence ins(%x, %x : tensor<9xf32>, tensor<9xf32>) segments(%f : tensor<9xi1>) dim = 0 reverse -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// Only the flags tell how many steps there are.
// CHECK-LABEL: func.func @only_flags(
// CHECK-NOT:     segment_offsets = array
func.func @only_flags(%s: tensor<?xi32>, %n: index, %y: tensor<i32>) -> tensor<i32> {
  %f = scan.head_flags %s extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %0 = scan.kernel dim = 0
      ins(%f : tensor<?xi1>) finals(%y : tensor<i32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
      load {
      ^bb0(%start: i1):
        %c = arith.extui %start : i1 to i32
        scan.yield %c : i32
      } combine {
      ^bb0(%x0: i32, %x1: i32):
        %a = arith.addi %x0, %x1 : i32
        scan.yield %a : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %start: i1):
        scan.yield
      } finalize {
      ^bb0(%last: i32):
        scan.yield %last : i32
      } -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Many steps of one element each share bisections: each starts from the segments of
// the steps before and behind it whose number is a multiple of 64.
// NONE-LABEL:  func.func @alone(
// NONE:          %[[K:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<1563xi32>)
// NONE:            scf.while
// NONE:          linalg.generic {{.*}} outs(%{{.+}} : tensor<100000xi1>)
// NONE:            %[[LOW:.+]] = tensor.extract %[[K]]
// NONE:            %[[HIGH:.+]] = tensor.extract %[[K]]
// NONE:            scf.while
// NONE-NOT:      segment_offsets = array
// CHECK-LABEL: func.func @alone(
// CHECK:         segment_offsets = array<i1: false, true>
func.func @alone(%x: tensor<100000xf32>, %s: tensor<?xi32>) -> tensor<100000xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<100000xf32>, tensor<100000xf32>) segments(%s : tensor<?xi32>) dim = 0 -> tensor<100000xf32>
  return %y : tensor<100000xf32>
}

// -----

// What computes a list is not what computes flags: it stays in front of the kernel.
// COMPUTED-LABEL:  func.func @computed_list(
// COMPUTED:          %[[S:.+]] = linalg.map { arith.addi
// COMPUTED:          scan.kernel
// COMPUTED-NEXT:       ins(%{{.+}}, %[[S]] : tensor<?xf32>, tensor<5xi32>)
// COMPUTED:            segment_offsets = array<i1: false, true>
func.func @computed_list(%x: tensor<?xf32>, %s: tensor<5xi32>) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<5xi32>
  %t = linalg.map { arith.addi } ins(%s, %s : tensor<5xi32>, tensor<5xi32>) outs(%e : tensor<5xi32>)
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) segments(%t : tensor<5xi32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Of a list that may leave out steps, both offsets of the nearest segment are compared.
// CHECK-LABEL: func.func @some_steps(
// CHECK:         linalg.generic
// CHECK:           %[[W:.+]]:2 = scf.while
// CHECK:             scf.yield %{{.+}}, %{{.+}} : index, index
// CHECK-NEXT:      }
// CHECK:           %[[LEAST:.+]] = arith.constant 0 : index
// CHECK-NEXT:      %[[ANY:.+]] = arith.cmpi sge, %{{.+}}, %[[LEAST]]
// CHECK-NEXT:      scf.if %[[ANY]]
// CHECK:             arith.minsi
// CHECK:             %[[B:.+]] = tensor.extract %{{.+}}[%[[W]]#0]
// CHECK:             %[[E:.+]] = tensor.extract
// CHECK:             %[[P:.+]] = arith.cmpi eq
// CHECK:             %[[Q:.+]] = arith.cmpi eq
// CHECK:             arith.ori %[[P]], %[[Q]]
func.func @some_steps(%s: tensor<?xi32>) -> tensor<9xi1> {
  %f = scan.head_flags %s : tensor<?xi32> -> tensor<9xi1>
  return %f : tensor<9xi1>
}

// -----

// Of one that has all of them, the offset where the segment starts.
// CHECK-LABEL: func.func @all_steps(
// CHECK:         linalg.generic
// CHECK:           scf.while
// CHECK:             scf.yield %{{.+}}, %{{.+}} : index, index
// CHECK-NEXT:      }
// CHECK:           %[[LEAST:.+]] = arith.constant 1 : index
// CHECK-NEXT:      %[[ANY:.+]] = arith.cmpi sge, %{{.+}}, %[[LEAST]]
// CHECK-NEXT:      scf.if %[[ANY]]
// CHECK-NOT:         arith.minsi
// CHECK:             tensor.extract
// CHECK-NOT:         tensor.extract
// CHECK:             %[[P:.+]] = arith.cmpi eq
// CHECK-NEXT:        scf.yield %[[P]]
func.func @all_steps(%s: tensor<?xi32>) -> tensor<9xi1> {
  %f = scan.head_flags %s reverse {scan.covers_steps} : tensor<?xi32> -> tensor<9xi1>
  return %f : tensor<9xi1>
}

// -----

// A segment has the step if its other offset says so.
// CHECK-LABEL: func.func @numbers(
// CHECK:             arith.cmpi eq
// CHECK-NEXT:        arith.cmpi sgt
// CHECK-NEXT:        arith.andi
// CHECK:             arith.cmpi eq
// CHECK-NEXT:        arith.cmpi sle
// CHECK-NEXT:        arith.andi
func.func @numbers(%s: tensor<?xindex>) -> (tensor<9xi32>, tensor<9xi64>) {
  %0 = scan.head_flags %s : tensor<?xindex> -> tensor<9xi32>
  %1 = scan.head_flags %s reverse : tensor<?xindex> -> tensor<9xi64>
  return %0, %1 : tensor<9xi32>, tensor<9xi64>
}
