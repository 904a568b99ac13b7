// Integer divisions that have no result stop compiled code with the reference
// interpreter's words, wherever in the program they are: in elementwise code, in
// what goes into a scan, in its combine region, in vectors and in what is left
// over. All others have the interpreter's results.
//
// DEFINE: %{cpu} = scan-run %s --target=cpu
//
// Each operation, by zero, and the smallest integer by -1:
// DEFINE: %{by-zero} = --input=values:i8:3:7,-128,1 --input=values:i8:3:2,1,0
// DEFINE: %{overflow} = --input=values:i8:2:-127,-128 --input=values:i8:2:-1,-1
// RUN: not %{cpu} --entry=divsi %{by-zero} 2>&1 | FileCheck %s --check-prefix=DIVSI
// RUN: not %{cpu} --entry=divsi %{overflow} 2>&1 | FileCheck %s --check-prefix=DIVSI-OVERFLOW
// RUN: not %{cpu} --entry=divui %{by-zero} 2>&1 | FileCheck %s --check-prefix=DIVUI
// RUN: not %{cpu} --entry=remsi %{by-zero} 2>&1 | FileCheck %s --check-prefix=REMSI
// RUN: not %{cpu} --entry=remui %{by-zero} 2>&1 | FileCheck %s --check-prefix=REMUI
// RUN: not %{cpu} --entry=ceildivsi %{by-zero} 2>&1 | FileCheck %s --check-prefix=CEILDIVSI
// RUN: not %{cpu} --entry=ceildivsi %{overflow} 2>&1 | FileCheck %s --check-prefix=CEILDIVSI-OVERFLOW
// RUN: not %{cpu} --entry=ceildivui %{by-zero} 2>&1 | FileCheck %s --check-prefix=CEILDIVUI
// RUN: not %{cpu} --entry=floordivsi %{by-zero} 2>&1 | FileCheck %s --check-prefix=FLOORDIVSI
// RUN: not %{cpu} --entry=floordivsi %{overflow} 2>&1 | FileCheck %s --check-prefix=FLOORDIVSI-OVERFLOW
// DIVSI: {{^}}scan-run: error: {{.*}}: 'divsi' failed: {{.*}}cpu-divisions.mlir:{{[0-9]+}}:8: 'arith.divsi' op division by zero{{$}}
// DIVSI-NOT: {{.}}
// DIVSI-OVERFLOW: 'divsi' failed: {{.*}}: 'arith.divsi' op signed division overflows: the smallest integer over -1
// DIVUI: 'divui' failed: {{.*}}: 'arith.divui' op division by zero
// REMSI: 'remsi' failed: {{.*}}: 'arith.remsi' op division by zero
// REMUI: 'remui' failed: {{.*}}: 'arith.remui' op division by zero
// CEILDIVSI: 'ceildivsi' failed: {{.*}}: 'arith.ceildivsi' op division by zero
// CEILDIVSI-OVERFLOW: 'ceildivsi' failed: {{.*}}: 'arith.ceildivsi' op signed division overflows: the smallest integer over -1
// CEILDIVUI: 'ceildivui' failed: {{.*}}: 'arith.ceildivui' op division by zero
// FLOORDIVSI: 'floordivsi' failed: {{.*}}: 'arith.floordivsi' op division by zero
// FLOORDIVSI-OVERFLOW: 'floordivsi' failed: {{.*}}: 'arith.floordivsi' op signed division overflows: the smallest integer over -1
//
// What has a result, the smallest integer over 1 and its remainder by -1 among it:
// DEFINE: %{fine} = --compare=reference --input=values:i8:9:-128,-128,-128,127,-7,7,0,-1,1 --input=values:i8:9:1,2,-128,-1,2,-2,-3,-1,-128
// RUN: %{cpu} --entry=divsi %{fine}
// RUN: %{cpu} --entry=divui %{fine}
// RUN: %{cpu} --entry=remsi %{fine}
// RUN: %{cpu} --entry=remui %{fine}
// RUN: %{cpu} --entry=ceildivsi %{fine}
// RUN: %{cpu} --entry=ceildivui %{fine}
// RUN: %{cpu} --entry=floordivsi %{fine}
// RUN: %{cpu} --entry=remsi --compare=reference --input=values:i8:2:-128,-127 --input=values:i8:2:-1,-1
// RUN: %{cpu} --entry=remainders --compare=reference --input=values:i32:2:-2147483648,5 --input=values:i64:2:-9223372036854775808,5 --input=values:index:2:-9223372036854775808,5 --input=values:i16:2:-32768,5 --input=values:i8:2:-1,-1
//
// Every type:
// RUN: not %{cpu} --entry=i1 --input=values:i1:2:0,1 --input=values:i1:2:1,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{cpu} --entry=i16 --input=values:i16:2:7,7 --input=values:i16:2:1,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{cpu} --entry=i32 --input=values:i32:2:7,7 --input=values:i32:2:1,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{cpu} --entry=i64 --input=values:i64:2:7,7 --input=values:i64:2:1,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{cpu} --entry=index --input=values:index:2:7,7 --input=values:index:2:1,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{cpu} --entry=i16 --input=values:i16:2:7,-32768 --input=values:i16:2:1,-1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %{cpu} --entry=i32 --input=values:i32:2:7,-2147483648 --input=values:i32:2:1,-1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %{cpu} --entry=i64 --input=values:i64:2:7,-9223372036854775808 --input=values:i64:2:1,-1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %{cpu} --entry=index --input=values:index:2:7,-9223372036854775808 --input=values:index:2:1,-1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// ZERO: error: {{.*}}cpu-divisions.mlir:{{[0-9]+}}:8: 'arith.divsi' op division by zero
// OVERFLOW: error: {{.*}}cpu-divisions.mlir:{{[0-9]+}}:8: 'arith.divsi' op signed division overflows
//
// In scans along the columns, in vectors and in the columns left over, and along
// the rows, in both directions; of nothing, of one step.
// DEFINE: %{x} = --input=random:i32:5x19:1:-1000:1000
// DEFINE: %{d} = --input=random:i32:5x19:2:1:9
// RUN: %{cpu} --entry=columns --compare=reference %{x} %{d}
// RUN: %{cpu} --entry=rows --compare=reference %{x} %{d}
// RUN: %{cpu} --entry=columns --compare=reference --input=random:i32:1x19:1 --input=zeros:i32:1x19
// RUN: %{cpu} --entry=rows --compare=reference --input=random:i32:5x1:1 --input=zeros:i32:5x1
// RUN: %{cpu} --entry=columns --compare=reference --input=zeros:i32:0x19 --input=zeros:i32:0x19
// RUN: %{cpu} --entry=rows --compare=reference --input=zeros:i32:5x0 --input=zeros:i32:5x0
// RUN: not %{cpu} --entry=columns --input=ones:i32:2x9 --input=values:i32:2x9:1,1,1,1,1,1,1,1,1,1,1,1,0,1,1,1,1,1 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not %{cpu} --entry=columns --input=ones:i32:2x9 --input=values:i32:2x9:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not %{cpu} --entry=rows --input=ones:i32:9x2 --input=values:i32:9x2:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %{cpu} --entry=rows --input=ones:i32:9x2 --input=values:i32:9x2:1,1,1,1,0,1,1,1,1,1,1,1,1,1,1,1,1,1 2>&1 | FileCheck %s --check-prefix=ROWS
// Nothing is divided by the first element, which in one of the directions is the
// last one.
// RUN: %{cpu} --entry=columns --compare=reference --input=ones:i32:2x9 --input=values:i32:2x9:0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1
// RUN: not %{cpu} --entry=columns --input=ones:i32:2x9 --input=values:i32:2x9:1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: %{cpu} --entry=rows --compare=reference --input=ones:i32:9x2 --input=values:i32:9x2:1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0
// COLUMNS: 'columns' failed: {{.*}}cpu-divisions.mlir:[[#@LINE+7]]:{{[0-9]+}}: 'arith.divsi' op division by zero
// ROWS: 'rows' failed: {{.*}}cpu-divisions.mlir:[[#@LINE+16]]:{{[0-9]+}}: 'arith.divsi' op division by zero

func.func @columns(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r:2 = scan.associative ins(%x, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 {
  ^bb0(%x0: i32, %d0: i32, %x1: i32, %d1: i32):
    %s = arith.addi %x0, %x1 : i32
    %q = arith.divsi %s, %d1 : i32
    %d2 = scan.clone %d1 : i32
    scan.yield %q, %d2 : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  return %r#0 : tensor<?x?xi32>
}
func.func @rows(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r:2 = scan.associative ins(%x, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse {
  ^bb0(%x0: i32, %d0: i32, %x1: i32, %d1: i32):
    %s = arith.addi %x0, %x1 : i32
    %q = arith.divsi %s, %d1 : i32
    %d2 = scan.clone %d1 : i32
    scan.yield %q, %d2 : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  return %r#0 : tensor<?x?xi32>
}

// In elementwise code that goes into a scan, and that comes out of it.
// RUN: %{cpu} --entry=fused --compare=reference %{x} %{d}
// RUN: not %{cpu} --entry=fused --input=ones:i32:2x9 --input=values:i32:2x9:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0 2>&1 | FileCheck %s --check-prefix=PRODUCER
// RUN: not %{cpu} --entry=fused --input=values:i32:2x9:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,-1,1 --input=ones:i32:2x9 2>&1 | FileCheck %s --check-prefix=CONSUMER
// PRODUCER: 'fused' failed: {{.*}}cpu-divisions.mlir:[[#@LINE+3]]:{{[0-9]+}}: 'arith.floordivsi' op division by zero
// CONSUMER: 'fused' failed: {{.*}}cpu-divisions.mlir:[[#@LINE+8]]:{{[0-9]+}}: 'arith.remui' op division by zero
func.func @fused(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.floordivsi %x, %d : tensor<?x?xi32>
  %h = scan.associative ins(%q : tensor<?x?xi32>) dim = 0 reverse {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %r = arith.remui %x, %h : tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// A divisor that was replaced, and a branch that is not taken.
// RUN: %{cpu} --entry=guarded --compare=reference --input=values:i32:4:7,8,-2147483648,-9 --input=values:i32:4:2,0,-1,0
// RUN: %{cpu} --entry=branch --compare=reference --input=const:i32::7 --input=const:i32::0
func.func @guarded(%x: tensor<?xi32>, %d: tensor<?xi32>) -> tensor<?xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %d : tensor<?xi32>, tensor<?xi32>) outs(%x : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %positive = arith.cmpi sgt, %b, %zero : i32
    %divisor = arith.select %positive, %b, %one : i32
    %q = arith.divsi %a, %divisor : i32
    linalg.yield %q : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @branch(%x: i32, %d: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %isZero = arith.cmpi eq, %d, %zero : i32
  %r = scf.if %isZero -> i32 {
    scf.yield %x : i32
  } else {
    %q = arith.divsi %x, %d : i32
    scf.yield %q : i32
  }
  return %r : i32
}

// In functions on buffers: of vectors, of the index dialect.
// RUN: not %{cpu} --entry=vectors --input=ones:i32:8 --input=values:i32:8:1,1,1,1,1,1,1,0 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not %{cpu} --entry=index_dialect --input=values:index:1:-9223372036854775808 --input=values:index:1:-1 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %{cpu} --entry=vectors --input=values:i32:8:7,8,9,10,11,12,13,14 --input=values:i32:8:1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=QUOTIENTS
// QUOTIENTS: [7, 4, 3, 2, 2, 2, 1, 1]
// VECTORS: 'vectors' failed: {{.*}}: 'arith.divui' op division by zero
// INDEX: 'index_dialect' failed: {{.*}}: 'index.floordivs' op signed division overflows
func.func @vectors(%x: memref<8xi32>, %d: memref<8xi32>) -> memref<8xi32> {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<8xi32>, vector<8xi32>
  %b = vector.load %d[%c0] : memref<8xi32>, vector<8xi32>
  %q = arith.divui %a, %b : vector<8xi32>
  vector.store %q, %x[%c0] : memref<8xi32>, vector<8xi32>
  return %x : memref<8xi32>
}
func.func @index_dialect(%x: memref<1xindex>, %d: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<1xindex>
  %b = memref.load %d[%c0] : memref<1xindex>
  %q = index.floordivs %a, %b
  memref.store %q, %x[%c0] : memref<1xindex>
  return
}

func.func @divsi(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.divsi %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @divui(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.divui %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @remsi(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.remsi %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @remui(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.remui %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @ceildivsi(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.ceildivsi %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @ceildivui(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.ceildivui %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @floordivsi(%x: tensor<?xi8>, %d: tensor<?xi8>) -> tensor<?xi8> {
  %r = arith.floordivsi %x, %d : tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @remainders(%x: tensor<?xi32>, %y: tensor<?xi64>, %z: tensor<?xindex>, %w: tensor<?xi16>, %d: tensor<?xi8>)
    -> (tensor<?xi32>, tensor<?xi64>, tensor<?xindex>, tensor<?xi16>) {
  %d0 = arith.extsi %d : tensor<?xi8> to tensor<?xi32>
  %d1 = arith.extsi %d : tensor<?xi8> to tensor<?xi64>
  %d2 = arith.index_cast %d : tensor<?xi8> to tensor<?xindex>
  %d3 = arith.extsi %d : tensor<?xi8> to tensor<?xi16>
  %0 = arith.remsi %x, %d0 : tensor<?xi32>
  %1 = arith.remsi %y, %d1 : tensor<?xi64>
  %2 = arith.remsi %z, %d2 : tensor<?xindex>
  %3 = arith.remsi %w, %d3 : tensor<?xi16>
  return %0, %1, %2, %3 : tensor<?xi32>, tensor<?xi64>, tensor<?xindex>, tensor<?xi16>
}

func.func @i1(%x: tensor<?xi1>, %d: tensor<?xi1>) -> tensor<?xi1> {
  %r = arith.divsi %x, %d : tensor<?xi1>
  return %r : tensor<?xi1>
}
func.func @i16(%x: tensor<?xi16>, %d: tensor<?xi16>) -> tensor<?xi16> {
  %r = arith.divsi %x, %d : tensor<?xi16>
  return %r : tensor<?xi16>
}
func.func @i32(%x: tensor<?xi32>, %d: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divsi %x, %d : tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @i64(%x: tensor<?xi64>, %d: tensor<?xi64>) -> tensor<?xi64> {
  %r = arith.divsi %x, %d : tensor<?xi64>
  return %r : tensor<?xi64>
}
func.func @index(%x: tensor<?xindex>, %d: tensor<?xindex>) -> tensor<?xindex> {
  %r = arith.divsi %x, %d : tensor<?xindex>
  return %r : tensor<?xindex>
}
