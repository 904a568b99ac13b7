// Every mode of gpu.shuffle for every width that a warp can have, every offset
// and every type that it lowers for. Kernels assert what they receive; the value
// of a lane is a different number in each lane.
//
// RUN: scan-run %s --entry=main --target=emulator
// RUN: scan-run %s --entry=main --target=emulator --schedule=in-order
// RUN: scan-run %s --entry=main --target=emulator --seed=7
// RUN: not scan-run %s --entry=wrong --target=emulator 2>&1 | FileCheck %s
//
// An assertion that does not hold is an error.
// CHECK: scan-run: error: {{.*}}shuffle.mlir:[[#@LINE+161]]:3: 'wrong' failed: kernel 'kernels::wrong': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): assertion: wrong value

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Threads below the width shuffle 3 * lane + 1.
    gpu.func @i32(%width: i32, %offset: i32) kernel {
      %lane = gpu.lane_id
      %l = arith.index_cast %lane : index to i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c32 = arith.constant 32 : i32
      %in = arith.cmpi slt, %l, %width : i32
      scf.if %in {
        %scaled = arith.muli %l, %c3 : i32
        %v = arith.addi %scaled, %c1 : i32

        %x, %xv = gpu.shuffle xor %v, %offset, %width : i32
        %from_x = arith.xori %l, %offset : i32
        func.call @check(%from_x, %width, %x, %xv) : (i32, i32, i32, i1) -> ()

        %d, %dv = gpu.shuffle down %v, %offset, %width : i32
        %from_d = arith.addi %l, %offset : i32
        func.call @check(%from_d, %width, %d, %dv) : (i32, i32, i32, i1) -> ()

        %i, %iv = gpu.shuffle idx %v, %offset, %width : i32
        func.call @check(%offset, %width, %i, %iv) : (i32, i32, i32, i1) -> ()

        %full = arith.cmpi eq, %width, %c32 : i32
        scf.if %full {
          %u, %uv = gpu.shuffle up %v, %offset, %c32 : i32
          %from_u = arith.subi %l, %offset : i32
          func.call @check(%from_u, %width, %u, %uv) : (i32, i32, i32, i1) -> ()
        }
      }
      gpu.return
    }

    // A value from a lane in range is that lane's; else it is poison.
    func.func @check(%from: i32, %width: i32, %value: i32, %valid: i1) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %poison = arith.constant 0xFFFBFFFB : i32
      %ge = arith.cmpi sge, %from, %c0 : i32
      %lt = arith.cmpi slt, %from, %width : i32
      %in = arith.andi %ge, %lt : i1
      %same = arith.cmpi eq, %in, %valid : i1
      cf.assert %same, "wrong valid bit"
      %scaled = arith.muli %from, %c3 : i32
      %v = arith.addi %scaled, %c1 : i32
      %expected = arith.select %in, %v, %poison : i32
      %ok = arith.cmpi eq, %value, %expected : i32
      cf.assert %ok, "wrong value"
      return
    }

    // The other types: all bits have to arrive, and poison is a NaN.
    gpu.func @others(%offset: i32) kernel {
      %lane = gpu.lane_id
      %l = arith.index_cast %lane : index to i32
      %l64 = arith.index_cast %lane : index to i64
      %c32 = arith.constant 32 : i32
      %big = arith.constant 0x0123456789ABCDEF : i64
      %third = arith.constant 0.333333333333333333 : f64
      %from = arith.addi %l, %offset : i32
      %in = arith.cmpi slt, %from, %c32 : i32
      %from64 = arith.extsi %from : i32 to i64
      %fromf = arith.sitofp %from : i32 to f32
      %fromd = arith.sitofp %from : i32 to f64

      %vi = arith.muli %l64, %big : i64
      %ri, %validi = gpu.shuffle down %vi, %offset, %c32 : i64
      %ei = arith.muli %from64, %big : i64
      %poison = arith.constant 0xFFFBFFFBFFFBFFFB : i64
      %ei2 = arith.select %in, %ei, %poison : i64
      %oki = arith.cmpi eq, %ri, %ei2 : i64
      cf.assert %oki, "wrong i64"

      %vf = arith.sitofp %l : i32 to f32
      %rf, %validf = gpu.shuffle down %vf, %offset, %c32 : f32
      %eqf = arith.cmpf oeq, %rf, %fromf : f32
      %nanf = arith.cmpf uno, %rf, %rf : f32
      %okf = arith.select %in, %eqf, %nanf : i1
      cf.assert %okf, "wrong f32"

      %ld = arith.sitofp %l : i32 to f64
      %vd = arith.mulf %ld, %third : f64
      %rd, %validd = gpu.shuffle down %vd, %offset, %c32 : f64
      %ed = arith.mulf %fromd, %third : f64
      %eqd = arith.cmpf oeq, %rd, %ed : f64
      %nand = arith.cmpf uno, %rd, %rd : f64
      %okd = arith.select %in, %eqd, %nand : i1
      cf.assert %okd, "wrong f64"
      gpu.return
    }

    // Two warps and a part of a third: lanes count from 0 in each.
    gpu.func @warps() kernel {
      %c32 = arith.constant 32 : i32
      %c0 = arith.constant 0 : i32
      %warp_size = gpu.subgroup_size : index
      %t = gpu.thread_id x
      %lane = gpu.lane_id
      %warp = gpu.subgroup_id : index
      %start = arith.muli %warp, %warp_size : index
      %sum = arith.addi %start, %lane : index
      %ok = arith.cmpi eq, %t, %sum : index
      cf.assert %ok, "wrong lane or warp"
      %v = arith.index_cast %t : index to i32
      %first, %valid = gpu.shuffle idx %v, %c0, %c32 : i32
      %expected = arith.index_cast %start : index to i32
      %ok2 = arith.cmpi eq, %first, %expected : i32
      cf.assert %ok2, "wrong broadcast"
      // Lane 31 is in range, but the third warp has 6 lanes only.
      %c31 = arith.constant 31 : i32
      %last, %valid31 = gpu.shuffle idx %v, %c31, %c32 : i32
      cf.assert %valid31, "wrong valid bit"
      %c2 = arith.constant 2 : index
      %short = arith.cmpi eq, %warp, %c2 : index
      %last_full = arith.addi %expected, %c31 : i32
      %poison = arith.constant 0xFFFBFFFB : i32
      %expected_last = arith.select %short, %poison, %last_full : i32
      %ok3 = arith.cmpi eq, %last, %expected_last : i32
      cf.assert %ok3, "wrong value of a lane that does not exist"
      %n = gpu.num_subgroups : index
      %c3 = arith.constant 3 : index
      %ok4 = arith.cmpi eq, %n, %c3 : index
      cf.assert %ok4, "wrong number of warps"
      gpu.return
    }

    gpu.func @wrong() kernel {
      %c32 = arith.constant 32 : i32
      %c1 = arith.constant 1 : i32
      %r, %valid = gpu.shuffle xor %c1, %c1, %c32 : i32
      func.call @check(%c1, %c32, %r, %valid) : (i32, i32, i32, i1) -> ()
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c70 = arith.constant 70 : index
    scf.for %offset = %c0 to %c32 step %c1 {
      %o = arith.index_cast %offset : index to i32
      scf.for %width = %c1 to %c33 step %c1 {
        %w = arith.index_cast %width : index to i32
        gpu.launch_func @kernels::@i32 blocks in (%c1, %c1, %c1)
            threads in (%c32, %c1, %c1) args(%w : i32, %o : i32)
      }
      gpu.launch_func @kernels::@others blocks in (%c1, %c1, %c1)
          threads in (%c32, %c1, %c1) args(%o : i32)
    }
    gpu.launch_func @kernels::@warps blocks in (%c1, %c1, %c1)
        threads in (%c70, %c1, %c1)
    return
  }

  func.func @wrong() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@wrong blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1)
    return
  }
}
