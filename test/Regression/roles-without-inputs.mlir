// A schedule with stages stays possible where nothing of the input is left: what bulk copies
// would have loaded was folded away, and the kernel was refused for having no such input. A
// random program found it.
//
// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=random:i16:5x4000:1 --seed=1
// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=random:i16:5x4000:1 --schedule=adversarial --resident-blocks=3
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// CHECK: kernel = "warp-specialized-row"
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c0_i32
// CHECK-NOT: nvvm.cp.async.bulk

func.func @f(%x0_0: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x0_0, %c0 : tensor<?x?xi16>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %x0_0, %c1 : tensor<?x?xi16>
  %t0 = tensor.empty (%d0, %d1) : tensor<?x?xi16>
  %t2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x0_0 : tensor<?x?xi16>) outs(%t0 : tensor<?x?xi16>) {
  ^bb0(%t1: i16, %out3: i16):
    %t4 = arith.constant 3 : i16
    %t6 = arith.constant 0 : i16
    %t5 = arith.muli %t1, %t6 : i16
    %t7 = arith.addi %t5, %t4 : i16
    linalg.yield %t7 : i16
  } -> tensor<?x?xi16>
  %t6, %t7 = scan.associative ins(%t2 : tensor<?x?xi16>) dim = 1 attributes {schedule = #scan.schedule<strategy = row, threads = 192, scope = grid, blocks = 7, stages = 5, items = 8>} {
  ^bb0(%a0: i16, %b0: i16):
    %v0 = arith.addi %a0, %b0 : i16
    scan.yield %v0 : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %t6, %t7 : tensor<?x?xi16>, tensor<?xi16>
}
