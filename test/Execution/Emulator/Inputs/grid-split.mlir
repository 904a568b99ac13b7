// A scan of rows by many blocks in one pass (decoupled look-back), where value
// and state do not fit one atomic access: the pair of i64 is written plainly,
// and then the flag is released.
//
// The operator is (a0, b0) . (a1, b1) = (a0 * a1, b0 * a1 + b1): it does not
// commute, and with wrapping arithmetic it is exact.
//
// Each block takes the next tile of 64 elements. It publishes the total of its
// tile (the aggregate) at once, then walks back over its predecessors, adding
// their aggregates on the left, to the first one that knows the total of all
// tiles up to it (the prefix). Then it publishes its own prefix.
//
// A flag holds 2 * epoch + 1 with the aggregate, 2 * epoch + 2 with the prefix.
// Flags of former launches are smaller, so that nobody has to reset them.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @combine(%a0: i64, %b0: i64, %a1: i64, %b1: i64) -> (i64, i64) {
      %a = arith.muli %a0, %a1 : i64
      %m = arith.muli %b0, %a1 : i64
      %b = arith.addi %m, %b1 : i64
      return %a, %b : i64, i64
    }

    func.func @flag_of(%flags: memref<?xi32>, %tile: index) -> !llvm.ptr<1> {
      %four = arith.constant 4 : index
      %base = memref.extract_aligned_pointer_as_index %flags : memref<?xi32> -> index
      %offset = arith.muli %tile, %four : index
      %at = arith.addi %base, %offset : index
      %address = arith.index_cast %at : index to i64
      %flag = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      return %flag : !llvm.ptr<1>
    }

    gpu.func @scan(%a: memref<?x?xi64>, %b: memref<?x?xi64>,
                   %p: memref<?x?xi64>, %h: memref<?x?xi64>, %row: index,
                   %tickets: memref<?xi32>, %first_ticket: i32, %epoch: i32,
                   %flags: memref<?xi32>, %aggregates: memref<?x2xi64>,
                   %prefixes: memref<?x2xi64>)
        workgroup(%tile_of_block: memref<1xi32, #gpu.address_space<workgroup>>,
                  %totals: memref<2x2xi64, #gpu.address_space<workgroup>>,
                  %carry: memref<2xi64, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c31 = arith.constant 31 : index
      %c64 = arith.constant 64 : index
      %c1_i32 = arith.constant 1 : i32
      %c2_i32 = arith.constant 2 : i32
      %c32_i32 = arith.constant 32 : i32
      %c0_i64 = arith.constant 0 : i64
      %false = arith.constant false
      %true = arith.constant true
      %t = gpu.thread_id x
      %lane = gpu.lane_id
      %warp = gpu.subgroup_id : index
      %is_first = arith.cmpi eq, %t, %c0 : index
      %old_flag = arith.muli %epoch, %c2_i32 : i32
      %has_aggregate = arith.addi %old_flag, %c1_i32 : i32
      %has_prefix = arith.addi %old_flag, %c2_i32 : i32

      // Tiles are taken in the order in which blocks start: a block waits only
      // for blocks that run already.
      scf.if %is_first {
        %counter = func.call @flag_of(%tickets, %c0) : (memref<?xi32>, index) -> !llvm.ptr<1>
        %ticket = llvm.atomicrmw add %counter, %c1_i32 syncscope("device") monotonic : !llvm.ptr<1>, i32
        %taken = arith.subi %ticket, %first_ticket : i32
        memref.store %taken, %tile_of_block[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %tile_i32 = memref.load %tile_of_block[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %tile = arith.index_cast %tile_i32 : i32 to index
      %is_later_tile = arith.cmpi ne, %tile, %c0 : index

      // Threads behind the end repeat the last element: nobody needs the total
      // of the last tile.
      %n = memref.dim %a, %c1 : memref<?x?xi64>
      %start = arith.muli %tile, %c64 : index
      %i = arith.addi %start, %t : index
      %end = arith.subi %n, %c1 : index
      %from = arith.minui %i, %end : index
      %a_i = memref.load %a[%row, %from] : memref<?x?xi64>
      %b_i = memref.load %b[%row, %from] : memref<?x?xi64>

      // The scan of a warp.
      %w:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%x = %a_i, %y = %b_i) -> (i64, i64) {
        %d = arith.shli %c1, %k : index
        %distance = arith.index_cast %d : index to i32
        %xs, %valid = gpu.shuffle up %x, %distance, %c32_i32 : i64
        %ys, %valid_y = gpu.shuffle up %y, %distance, %c32_i32 : i64
        %sum:2 = func.call @combine(%xs, %ys, %x, %y) : (i64, i64, i64, i64) -> (i64, i64)
        %x_next = arith.select %valid, %sum#0, %x : i64
        %y_next = arith.select %valid, %sum#1, %y : i64
        scf.yield %x_next, %y_next : i64, i64
      }
      %is_last_lane = arith.cmpi eq, %lane, %c31 : index
      scf.if %is_last_lane {
        memref.store %w#0, %totals[%warp, %c0] : memref<2x2xi64, #gpu.address_space<workgroup>>
        memref.store %w#1, %totals[%warp, %c1] : memref<2x2xi64, #gpu.address_space<workgroup>>
      }
      gpu.barrier

      %t0a = memref.load %totals[%c0, %c0] : memref<2x2xi64, #gpu.address_space<workgroup>>
      %t0b = memref.load %totals[%c0, %c1] : memref<2x2xi64, #gpu.address_space<workgroup>>
      scf.if %is_first {
        %t1a = memref.load %totals[%c1, %c0] : memref<2x2xi64, #gpu.address_space<workgroup>>
        %t1b = memref.load %totals[%c1, %c1] : memref<2x2xi64, #gpu.address_space<workgroup>>
        %own:2 = func.call @combine(%t0a, %t0b, %t1a, %t1b) : (i64, i64, i64, i64) -> (i64, i64)
        %own_flag = func.call @flag_of(%flags, %tile) : (memref<?xi32>, index) -> !llvm.ptr<1>
        %prefix:2 = scf.if %is_later_tile -> (i64, i64) {
          memref.store %own#0, %aggregates[%tile, %c0] : memref<?x2xi64>
          memref.store %own#1, %aggregates[%tile, %c1] : memref<?x2xi64>
          llvm.store %has_aggregate, %own_flag atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>

          // The look-back: what is found further left is combined on the left.
          %before = arith.subi %tile, %c1 : index
          %sum:3 = scf.while (%k = %before, %any = %false, %x = %c0_i64, %y = %c0_i64)
              : (index, i1, i64, i64) -> (index, i64, i64) {
            %flag = func.call @flag_of(%flags, %k) : (memref<?xi32>, index) -> !llvm.ptr<1>
            %state = scf.while : () -> i32 {
              %s = llvm.load %flag atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
              %unset = arith.cmpi sle, %s, %old_flag : i32
              scf.condition(%unset) %s : i32
            } do {
            ^bb0(%s: i32):
              scf.yield
            }
            %is_prefix = arith.cmpi eq, %state, %has_prefix : i32
            %found:2 = scf.if %is_prefix -> (i64, i64) {
              %fa = memref.load %prefixes[%k, %c0] : memref<?x2xi64>
              %fb = memref.load %prefixes[%k, %c1] : memref<?x2xi64>
              scf.yield %fa, %fb : i64, i64
            } else {
              %fa = memref.load %aggregates[%k, %c0] : memref<?x2xi64>
              %fb = memref.load %aggregates[%k, %c1] : memref<?x2xi64>
              scf.yield %fa, %fb : i64, i64
            }
            %added:2 = func.call @combine(%found#0, %found#1, %x, %y) : (i64, i64, i64, i64) -> (i64, i64)
            %x_next = arith.select %any, %added#0, %found#0 : i64
            %y_next = arith.select %any, %added#1, %found#1 : i64
            %goes_on = arith.xori %is_prefix, %true : i1
            scf.condition(%goes_on) %k, %x_next, %y_next : index, i64, i64
          } do {
          ^bb0(%k: index, %x: i64, %y: i64):
            %k_next = arith.subi %k, %c1 : index
            scf.yield %k_next, %true, %x, %y : index, i1, i64, i64
          }
          memref.store %sum#1, %carry[%c0] : memref<2xi64, #gpu.address_space<workgroup>>
          memref.store %sum#2, %carry[%c1] : memref<2xi64, #gpu.address_space<workgroup>>
          %all:2 = func.call @combine(%sum#1, %sum#2, %own#0, %own#1) : (i64, i64, i64, i64) -> (i64, i64)
          scf.yield %all#0, %all#1 : i64, i64
        } else {
          scf.yield %own#0, %own#1 : i64, i64
        }
        memref.store %prefix#0, %prefixes[%tile, %c0] : memref<?x2xi64>
        memref.store %prefix#1, %prefixes[%tile, %c1] : memref<?x2xi64>
        llvm.store %has_prefix, %own_flag atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
      gpu.barrier

      // What comes before the warp in the tile, and before the tile.
      %is_later_warp = arith.cmpi ne, %warp, %c0 : index
      %in_tile:2 = scf.if %is_later_warp -> (i64, i64) {
        %v:2 = func.call @combine(%t0a, %t0b, %w#0, %w#1) : (i64, i64, i64, i64) -> (i64, i64)
        scf.yield %v#0, %v#1 : i64, i64
      } else {
        scf.yield %w#0, %w#1 : i64, i64
      }
      %value:2 = scf.if %is_later_tile -> (i64, i64) {
        %ca = memref.load %carry[%c0] : memref<2xi64, #gpu.address_space<workgroup>>
        %cb = memref.load %carry[%c1] : memref<2xi64, #gpu.address_space<workgroup>>
        %v:2 = func.call @combine(%ca, %cb, %in_tile#0, %in_tile#1) : (i64, i64, i64, i64) -> (i64, i64)
        scf.yield %v#0, %v#1 : i64, i64
      } else {
        scf.yield %in_tile#0, %in_tile#1 : i64, i64
      }
      %is_inside = arith.cmpi ult, %i, %n : index
      scf.if %is_inside {
        memref.store %value#0, %p[%row, %i] : memref<?x?xi64>
        memref.store %value#1, %h[%row, %i] : memref<?x?xi64>
      }
      gpu.return
    }
  }

  // One launch for each row, all with the same workspace.
  func.func @main(%a_in: tensor<?x?xi64>, %b_in: tensor<?x?xi64>) -> (memref<?x?xi64>, memref<?x?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0_i32 = arith.constant 0 : i32
    %a = bufferization.to_buffer %a_in read_only : tensor<?x?xi64> to memref<?x?xi64>
    %b = bufferization.to_buffer %b_in read_only : tensor<?x?xi64> to memref<?x?xi64>
    %rows = memref.dim %a, %c0 : memref<?x?xi64>
    %n = memref.dim %a, %c1 : memref<?x?xi64>
    %p = memref.alloc(%rows, %n) : memref<?x?xi64>
    %h = memref.alloc(%rows, %n) : memref<?x?xi64>
    %tiles = arith.ceildivui %n, %c64 : index
    %tickets = memref.alloc(%c1) : memref<?xi32>
    memref.store %c0_i32, %tickets[%c0] : memref<?xi32>
    %flags = memref.alloc(%tiles) : memref<?xi32>
    scf.for %tile = %c0 to %tiles step %c1 {
      memref.store %c0_i32, %flags[%tile] : memref<?xi32>
    }
    %aggregates = memref.alloc(%tiles) : memref<?x2xi64>
    %prefixes = memref.alloc(%tiles) : memref<?x2xi64>
    scf.for %row = %c0 to %rows step %c1 {
      %epoch = arith.index_cast %row : index to i32
      %taken = arith.muli %row, %tiles : index
      %first_ticket = arith.index_cast %taken : index to i32
      gpu.launch_func @kernels::@scan blocks in (%tiles, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%a : memref<?x?xi64>, %b : memref<?x?xi64>, %p : memref<?x?xi64>, %h : memref<?x?xi64>,
               %row : index, %tickets : memref<?xi32>, %first_ticket : i32, %epoch : i32,
               %flags : memref<?xi32>, %aggregates : memref<?x2xi64>, %prefixes : memref<?x2xi64>)
    }
    return %p, %h : memref<?x?xi64>, memref<?x?xi64>
  }
}
