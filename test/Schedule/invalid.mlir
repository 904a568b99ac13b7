// RUN: scan-opt %s --scan-assign-schedule --split-input-file --verify-diagnostics

#m = affine_map<(d0) -> (d0)>
func.func @order(%x: memref<?xf64>, %y: memref<?xf64>) {
  // expected-error @+1 {{'scan.kernel' op C12: 'order = sequential' needs the strategy 'sequential', or 'row' with as many rows as threads, found 'row', which reassociates; drop the schedule or relax the order}}
  scan.kernel dim = 0 ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) maps [#m, #m]
      attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = row>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// -----

#m = affine_map<(d0) -> (d0)>
func.func @threads(%x: memref<?xf64>, %y: memref<?xf64>) {
  scan.kernel dim = 0 ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) maps [#m, #m]
      // expected-error @+1 {{expected threads to be a multiple of 32 between 32 and 1024, found 2048}}
      attributes {schedule = #scan.schedule<strategy = row, threads = 2048>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @shared_memory_of_columns(%x: memref<?x?xf64>, %y: memref<?x?xf64>) {
  // expected-error @+1 {{'scan.kernel' op expected a schedule with at most 49152 bytes of shared memory per block for sm_90, found 1024 threads in 32 lanes with 4 columns each, which take 65536 bytes; lower threads, lanes or vector}}
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = column, threads = 1024, vector = 4>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}
