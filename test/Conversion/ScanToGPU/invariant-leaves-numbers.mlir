// Decays that are the same at every step, in every kind of kernel, beside the reference:
// whole tiles and parts of tiles, orders of threads and blocks, both directions, one
// row and many.

// DEFINE: %{schedule} =
// DEFINE: %{seed} = 1
// DEFINE: %{run} = sed 's/SCHEDULE/%{schedule}/' %s | scan-run - --target=emulator --seed=%{seed} --compare=reference

// REDEFINE: %{schedule} = strategy = row, threads = 64, items = 7, scope = grid
// RUN: %{run} --entry=decay --input=random:f32:3:1:-1:1 --input=random:f32:3x2000:2
// RUN: %{run} --entry=reverse_in_order --input=random:f32:40:1:-1:1 --input=random:f32:40x1000:2
// REDEFINE: %{seed} = 2
// RUN: %{run} --entry=decay --input=random:f32:5:1:-1:1 --input=random:f32:5x257:2
// RUN: %{run} --entry=decay --input=random:f32:2:1:-1:1 --input=random:f32:2x1:2
// REDEFINE: %{schedule} = strategy = row, threads = 64, items = 4, scope = grid, blocks = 3
// RUN: %{run} --entry=decay --input=random:f32:3:1:-1:1 --input=random:f32:3x2000:2
// RUN: %{run} --entry=reverse_in_order --input=random:f32:1:1:-1:1 --input=random:f32:1x5000:2
// REDEFINE: %{schedule} = strategy = row, threads = 160, items = 4, scope = grid, blocks = 3, stages = 4
// RUN: %{run} --entry=decay --input=random:f32:3:1:-1:1 --input=random:f32:3x2000:2
// RUN: %{run} --entry=reverse_in_order --input=random:f32:2:1:-1:1 --input=random:f32:2x9000:2
// REDEFINE: %{seed} = 3
// REDEFINE: %{schedule} = strategy = column, threads = 64, items = 3, lanes = 8, vector = 1, scope = grid
// RUN: %{run} --entry=decay --input=random:f32:20:1:-1:1 --input=random:f32:20x500:2
// RUN: %{run} --entry=reverse_in_order --input=random:f32:3:1:-1:1 --input=random:f32:3x700:2
// REDEFINE: %{schedule} = strategy = column, threads = 64, items = 5, lanes = 8, vector = 2
// RUN: %{run} --entry=decay --input=random:f32:20:1:-1:1 --input=random:f32:20x500:2
// REDEFINE: %{schedule} = strategy = row, threads = 64, items = 4, rows = 2
// RUN: %{run} --entry=decay --input=random:f32:5:1:-1:1 --input=random:f32:5x500:2
// Of complex states, of which four tiles are looked at first, with the sequence in
// several windows.
// REDEFINE: %{schedule} = strategy = row, threads = 32, items = 2, scope = grid
// RUN: %{run} --entry=rotation --input=random:c128:9:1:-0.7:0.7 --input=random:c128:9x2000:2
// RUN: %{run} --entry=rotation --input=random:c128:1:1:-0.7:0.7 --input=random:c128:1x5000:2

#row = affine_map<(r, t) -> (r)>
#all = affine_map<(r, t) -> (r, t)>

func.func @decay(%a: tensor<?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %time) : tensor<?x?xf32>
  %as = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%as, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<SCHEDULE>} -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @reverse_in_order(%a: tensor<?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %time) : tensor<?x?xf32>
  %as = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%as, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 reverse
      attributes {order = #scan.order<deterministic>, schedule = #scan.schedule<SCHEDULE>} -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @rotation(%a: tensor<?xcomplex<f64>>, %x: tensor<?x?xcomplex<f64>>) -> tensor<?x?xcomplex<f64>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xcomplex<f64>>
  %time = tensor.dim %x, %c1 : tensor<?x?xcomplex<f64>>
  %empty = tensor.empty(%rows, %time) : tensor<?x?xcomplex<f64>>
  %as = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?xcomplex<f64>>) outs(%empty : tensor<?x?xcomplex<f64>>) {
  ^bb0(%e: complex<f64>, %o: complex<f64>):
    linalg.yield %e : complex<f64>
  } -> tensor<?x?xcomplex<f64>>
  %h = scan.linear_recurrence ins(%as, %x : tensor<?x?xcomplex<f64>>, tensor<?x?xcomplex<f64>>) dim = 1
      attributes {schedule = #scan.schedule<SCHEDULE>} -> tensor<?x?xcomplex<f64>>
  return %h : tensor<?x?xcomplex<f64>>
}
