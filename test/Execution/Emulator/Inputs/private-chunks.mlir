// A scan of rows, each by one thread, four elements at a time in private memory.
//
// The operator is (a0, b0) . (a1, b1) = (a0 * a1, b0 * a1 + b1) on i32: it does
// not commute, and with wrapping arithmetic it is exact.
//
// A chunk is read, scanned in place, and written with the state before it on the
// left. That of the first one is (1, 0), which changes nothing.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @combine(%a0: i32, %b0: i32, %a1: i32, %b1: i32) -> (i32, i32) {
      %a = arith.muli %a0, %a1 : i32
      %m = arith.muli %b0, %a1 : i32
      %b = arith.addi %m, %b1 : i32
      return %a, %b : i32, i32
    }

    gpu.func @scan(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %p: memref<?x?xi32>, %h: memref<?x?xi32>,
                   %rows: index, %n: index)
        private(%u: memref<4xi32, #gpu.address_space<private>>,
                %v: memref<4xi32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c0_i32 = arith.constant 0 : i32
      %c1_i32 = arith.constant 1 : i32
      %row = gpu.global_id x
      %is_inside = arith.cmpi ult, %row, %rows : index
      scf.if %is_inside {
        %end:2 = scf.for %chunk = %c0 to %n step %c4 iter_args(%x = %c1_i32, %y = %c0_i32) -> (i32, i32) {
          %left = arith.subi %n, %chunk : index
          %count = arith.minui %left, %c4 : index
          scf.for %k = %c0 to %count step %c1 {
            %i = arith.addi %chunk, %k : index
            %ai = memref.load %a[%row, %i] : memref<?x?xi32>
            %bi = memref.load %b[%row, %i] : memref<?x?xi32>
            memref.store %ai, %u[%k] : memref<4xi32, #gpu.address_space<private>>
            memref.store %bi, %v[%k] : memref<4xi32, #gpu.address_space<private>>
          }
          scf.for %k = %c1 to %count step %c1 {
            %before = arith.subi %k, %c1 : index
            %u0 = memref.load %u[%before] : memref<4xi32, #gpu.address_space<private>>
            %v0 = memref.load %v[%before] : memref<4xi32, #gpu.address_space<private>>
            %u1 = memref.load %u[%k] : memref<4xi32, #gpu.address_space<private>>
            %v1 = memref.load %v[%k] : memref<4xi32, #gpu.address_space<private>>
            %w:2 = func.call @combine(%u0, %v0, %u1, %v1) : (i32, i32, i32, i32) -> (i32, i32)
            memref.store %w#0, %u[%k] : memref<4xi32, #gpu.address_space<private>>
            memref.store %w#1, %v[%k] : memref<4xi32, #gpu.address_space<private>>
          }
          scf.for %k = %c0 to %count step %c1 {
            %i = arith.addi %chunk, %k : index
            %uk = memref.load %u[%k] : memref<4xi32, #gpu.address_space<private>>
            %vk = memref.load %v[%k] : memref<4xi32, #gpu.address_space<private>>
            %w:2 = func.call @combine(%x, %y, %uk, %vk) : (i32, i32, i32, i32) -> (i32, i32)
            memref.store %w#0, %p[%row, %i] : memref<?x?xi32>
            memref.store %w#1, %h[%row, %i] : memref<?x?xi32>
          }
          %last = arith.subi %count, %c1 : index
          %ul = memref.load %u[%last] : memref<4xi32, #gpu.address_space<private>>
          %vl = memref.load %v[%last] : memref<4xi32, #gpu.address_space<private>>
          %next:2 = func.call @combine(%x, %y, %ul, %vl) : (i32, i32, i32, i32) -> (i32, i32)
          scf.yield %next#0, %next#1 : i32, i32
        }
      }
      gpu.return
    }
  }

  func.func @main(%a_in: tensor<?x?xi32>, %b_in: tensor<?x?xi32>) -> (memref<?x?xi32>, memref<?x?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = bufferization.to_buffer %a_in read_only : tensor<?x?xi32> to memref<?x?xi32>
    %b = bufferization.to_buffer %b_in read_only : tensor<?x?xi32> to memref<?x?xi32>
    %rows = memref.dim %a, %c0 : memref<?x?xi32>
    %n = memref.dim %a, %c1 : memref<?x?xi32>
    %p = memref.alloc(%rows, %n) : memref<?x?xi32>
    %h = memref.alloc(%rows, %n) : memref<?x?xi32>
    %blocks = arith.ceildivui %rows, %c32 : index
    gpu.launch_func @kernels::@scan blocks in (%blocks, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<?x?xi32>, %b : memref<?x?xi32>, %p : memref<?x?xi32>, %h : memref<?x?xi32>,
             %rows : index, %n : index)
    return %p, %h : memref<?x?xi32>, memref<?x?xi32>
  }
}
