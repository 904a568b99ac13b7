// RUN: scan-opt %s --scan-assign-schedule > %t
// RUN: %python -c "either, together, three = [f.count('scan.kernel dim') for f in open(r'%t').read().split('func.func')[1:]]; assert 2 < together < either and together <= 10 and 3 < three <= 9, (either, together, three)"

// Each of several scans that run together has to gain more by a variant than the only scan
// of a program has, and all of them together have so many. Of scans in two branches one runs:
// these are alone.

func.func @either(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %z: memref<?x?xf64>, %which: i1) {
  scf.if %which {
    scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
  } else {
    scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%z : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
  }
  return
}

func.func @together(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %z: memref<?x?xf64>) {
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%z : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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

func.func @three(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %z: memref<?x?xf64>) {
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%z : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%z : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
