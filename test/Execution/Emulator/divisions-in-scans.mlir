// Kernels that the compiler makes divide nothing but elements: neither what takes
// the place of those beyond the end, nor what lanes have that nobody uses.
//
// DEFINE: %{run} = scan-run %s --target=emulator
// DEFINE: %{products} = --compare=reference --input=random:i32:3x300:1:1:9000 --input=const:i32:3x300:97
// DEFINE: %{wrong} = --input=ones:i32:3x5 --input=values:i32:3x5:1,2,3,4,5,1,2,0,3,4,5,4,3,2,1
// RUN: %{run} --entry=sequential %{products}
// RUN: not %{run} --entry=sequential %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=sequential_reverse %{products}
// RUN: not %{run} --entry=sequential_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=row %{products}
// RUN: not %{run} --entry=row %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=row_reverse %{products}
// RUN: not %{run} --entry=row_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=rows %{products}
// RUN: not %{run} --entry=rows %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=rows_reverse %{products}
// RUN: not %{run} --entry=rows_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=column %{products}
// RUN: not %{run} --entry=column %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=column_reverse %{products}
// RUN: not %{run} --entry=column_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=grid_row %{products}
// RUN: not %{run} --entry=grid_row %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=grid_row_reverse %{products}
// RUN: not %{run} --entry=grid_row_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=persistent %{products}
// RUN: not %{run} --entry=persistent %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=persistent_reverse %{products}
// RUN: not %{run} --entry=persistent_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=grid_column %{products}
// RUN: not %{run} --entry=grid_column %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %{run} --entry=grid_column_reverse %{products}
// RUN: not %{run} --entry=grid_column_reverse %{wrong} 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}} failed: kernel '{{.*}}': block ({{[0-9]+}}, {{[0-9]+}}, 0), thread ({{[0-9]+}}, 0, 0): arith.{{div[su]i|remsi|ceildivsi}} at {{.*}}divisions-in-scans.mlir:{{[0-9]+:[0-9]+}}: division by zero{{$}}

func.func @sequential(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @sequential_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @row(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @row_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @rows(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 1, rows = 2>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @rows_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 1, rows = 2>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @column(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @column_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @grid_row(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2, scope = grid>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @grid_row_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2, scope = grid>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @persistent(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2, scope = grid, blocks = 3>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @persistent_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2, scope = grid, blocks = 3>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @grid_column(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8, scope = grid>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @grid_column_reverse(%x: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %q = arith.divsi %x, %d : tensor<?x?xi32>
  %r:2 = scan.associative ins(%q, %d : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8, scope = grid>} {
  ^bb0(%x0: i32, %m0: i32, %x1: i32, %m1: i32):
    %product = arith.muli %x0, %x1 : i32
    %times = arith.divui %product, %m1 : i32
    %whole = arith.muli %times, %m1 : i32
    %rest = arith.subi %product, %whole : i32
    %h = arith.remsi %rest, %m0 : i32
    %m = scan.clone %m0 : i32
    scan.yield %h, %m : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %z = arith.ceildivsi %r#0, %d : tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}
