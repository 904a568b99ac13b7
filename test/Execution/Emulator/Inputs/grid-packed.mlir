// A scan of rows by many blocks in one pass (decoupled look-back), where value
// and state fit one word of 16 bytes: relaxed accesses suffice, since a word is
// read as it was written by one store.
//
// The operator is (a0, b0) . (a1, b1) = (a0 * a1, b0 * a1 + b1) on i32: it does
// not commute, and with wrapping arithmetic it is exact.
//
// Each block takes the next tile of 64 elements. It publishes the total of its
// tile (the aggregate) at once. Then the first warp looks at 32 predecessors at
// a time, and adds up, on the left, what they have published, to the nearest one
// that knows the total of all tiles up to it (the prefix). Then it publishes its
// own prefix.
//
// A descriptor is, from the lowest bits: i32 flag, i32 a, i32 b, nothing. The
// flag is 2 * epoch + 1 with the aggregate, 2 * epoch + 2 with the prefix. Flags
// of former launches are smaller, so that nobody has to reset them.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @combine(%a0: i32, %b0: i32, %a1: i32, %b1: i32) -> (i32, i32) {
      %a = arith.muli %a0, %a1 : i32
      %m = arith.muli %b0, %a1 : i32
      %b = arith.addi %m, %b1 : i32
      return %a, %b : i32, i32
    }

    func.func @pack(%flag: i32, %a: i32, %b: i32) -> i128 {
      %c32 = arith.constant 32 : i128
      %c64 = arith.constant 64 : i128
      %flag_w = arith.extui %flag : i32 to i128
      %a_w = arith.extui %a : i32 to i128
      %b_w = arith.extui %b : i32 to i128
      %a_s = arith.shli %a_w, %c32 : i128
      %b_s = arith.shli %b_w, %c64 : i128
      %ab = arith.ori %a_s, %b_s : i128
      %word = arith.ori %ab, %flag_w : i128
      return %word : i128
    }

    func.func @unpack(%word: i128) -> (i32, i32, i32) {
      %c32 = arith.constant 32 : i128
      %c64 = arith.constant 64 : i128
      %a_s = arith.shrui %word, %c32 : i128
      %b_s = arith.shrui %word, %c64 : i128
      %flag = arith.trunci %word : i128 to i32
      %a = arith.trunci %a_s : i128 to i32
      %b = arith.trunci %b_s : i128 to i32
      return %flag, %a, %b : i32, i32, i32
    }

    func.func @descriptor_of(%descriptors: memref<?xi128>, %tile: index) -> !llvm.ptr<1> {
      %sixteen = arith.constant 16 : index
      %base = memref.extract_aligned_pointer_as_index %descriptors : memref<?xi128> -> index
      %offset = arith.muli %tile, %sixteen : index
      %at = arith.addi %base, %offset : index
      %address = arith.index_cast %at : index to i64
      %descriptor = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      return %descriptor : !llvm.ptr<1>
    }

    func.func @publish(%descriptors: memref<?xi128>, %tile: index, %flag: i32, %a: i32, %b: i32) {
      %word = func.call @pack(%flag, %a, %b) : (i32, i32, i32) -> i128
      %to = func.call @descriptor_of(%descriptors, %tile) : (memref<?xi128>, index) -> !llvm.ptr<1>
      llvm.store %word, %to atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
      return
    }

    // Waits for the tile to publish something in this launch.
    func.func @observe(%descriptors: memref<?xi128>, %tile: index, %old_flag: i32) -> (i32, i32, i32) {
      %from = func.call @descriptor_of(%descriptors, %tile) : (memref<?xi128>, index) -> !llvm.ptr<1>
      %seen:3 = scf.while : () -> (i32, i32, i32) {
        %word = llvm.load %from atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
        %parts:3 = func.call @unpack(%word) : (i128) -> (i32, i32, i32)
        %unset = arith.cmpi sle, %parts#0, %old_flag : i32
        scf.condition(%unset) %parts#0, %parts#1, %parts#2 : i32, i32, i32
      } do {
      ^bb0(%flag: i32, %a: i32, %b: i32):
        scf.yield
      }
      return %seen#0, %seen#1, %seen#2 : i32, i32, i32
    }

    gpu.func @scan(%a: memref<?x?xi32>, %b: memref<?x?xi32>,
                   %p: memref<?x?xi32>, %h: memref<?x?xi32>, %row: index,
                   %tickets: memref<1xi32>, %first_ticket: i32, %epoch: i32,
                   %descriptors: memref<?xi128>)
        workgroup(%tile_of_block: memref<1xi32, #gpu.address_space<workgroup>>,
                  %totals: memref<2x2xi32, #gpu.address_space<workgroup>>,
                  %carry: memref<2xi32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c0_i32 = arith.constant 0 : i32
      %c1_i32 = arith.constant 1 : i32
      %c2_i32 = arith.constant 2 : i32
      %c32_i32 = arith.constant 32 : i32
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
        %ticket = memref.atomic_rmw addi %c1_i32, %tickets[%c0] : (i32, memref<1xi32>) -> i32
        %taken = arith.subi %ticket, %first_ticket : i32
        memref.store %taken, %tile_of_block[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %tile_i32 = memref.load %tile_of_block[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %tile = arith.index_cast %tile_i32 : i32 to index
      %is_later_tile = arith.cmpi ne, %tile, %c0 : index

      // Threads behind the end repeat the last element: nobody needs the total
      // of the last tile.
      %n = memref.dim %a, %c1 : memref<?x?xi32>
      %start = arith.muli %tile, %c64 : index
      %i = arith.addi %start, %t : index
      %end = arith.subi %n, %c1 : index
      %from = arith.minui %i, %end : index
      %a_i = memref.load %a[%row, %from] : memref<?x?xi32>
      %b_i = memref.load %b[%row, %from] : memref<?x?xi32>

      // The scan of a warp.
      %w:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%x = %a_i, %y = %b_i) -> (i32, i32) {
        %d = arith.shli %c1, %k : index
        %distance = arith.index_cast %d : index to i32
        %xs, %valid = gpu.shuffle up %x, %distance, %c32_i32 : i32
        %ys, %valid_y = gpu.shuffle up %y, %distance, %c32_i32 : i32
        %sum:2 = func.call @combine(%xs, %ys, %x, %y) : (i32, i32, i32, i32) -> (i32, i32)
        %x_next = arith.select %valid, %sum#0, %x : i32
        %y_next = arith.select %valid, %sum#1, %y : i32
        scf.yield %x_next, %y_next : i32, i32
      }
      %is_last_lane = arith.cmpi eq, %lane, %c31 : index
      scf.if %is_last_lane {
        memref.store %w#0, %totals[%warp, %c0] : memref<2x2xi32, #gpu.address_space<workgroup>>
        memref.store %w#1, %totals[%warp, %c1] : memref<2x2xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier

      %t0a = memref.load %totals[%c0, %c0] : memref<2x2xi32, #gpu.address_space<workgroup>>
      %t0b = memref.load %totals[%c0, %c1] : memref<2x2xi32, #gpu.address_space<workgroup>>
      %is_first_warp = arith.cmpi eq, %warp, %c0 : index
      scf.if %is_first_warp {
        %t1a = memref.load %totals[%c1, %c0] : memref<2x2xi32, #gpu.address_space<workgroup>>
        %t1b = memref.load %totals[%c1, %c1] : memref<2x2xi32, #gpu.address_space<workgroup>>
        %own:2 = func.call @combine(%t0a, %t0b, %t1a, %t1b) : (i32, i32, i32, i32) -> (i32, i32)
        %own_flag = arith.select %is_later_tile, %has_aggregate, %has_prefix : i32
        scf.if %is_first {
          func.call @publish(%descriptors, %tile, %own_flag, %own#0, %own#1) : (memref<?xi128>, index, i32, i32, i32) -> ()
        }
        scf.if %is_later_tile {
          // The look-back. Lane 0 is at the nearest tile that is left.
          %before = arith.subi %tile, %c1 : index
          %sum:3 = scf.while (%nearest = %before, %any = %false, %x = %c0_i32, %y = %c0_i32)
              : (index, i1, i32, i32) -> (index, i32, i32) {
            %k = arith.subi %nearest, %lane : index
            %exists = arith.cmpi sge, %k, %c0 : index
            // Tile 0 has a prefix, which ends every sum before what is not there.
            %seen:3 = scf.if %exists -> (i32, i32, i32) {
              %parts:3 = func.call @observe(%descriptors, %k, %old_flag) : (memref<?xi128>, index, i32) -> (i32, i32, i32)
              scf.yield %parts#0, %parts#1, %parts#2 : i32, i32, i32
            } else {
              scf.yield %has_prefix, %c0_i32, %c0_i32 : i32, i32, i32
            }
            %is_prefix = arith.cmpi eq, %seen#0, %has_prefix : i32

            // Each lane adds what lies further left, to the nearest prefix.
            %sums:3 = scf.for %step = %c0 to %c5 step %c1
                iter_args(%ends = %is_prefix, %u = %seen#1, %v = %seen#2) -> (i1, i32, i32) {
              %d = arith.shli %c1, %step : index
              %distance = arith.index_cast %d : index to i32
              %ends_i32 = arith.extui %ends : i1 to i32
              %far_ends_i32, %valid = gpu.shuffle down %ends_i32, %distance, %c32_i32 : i32
              %far_u, %valid_u = gpu.shuffle down %u, %distance, %c32_i32 : i32
              %far_v, %valid_v = gpu.shuffle down %v, %distance, %c32_i32 : i32
              %added:2 = func.call @combine(%far_u, %far_v, %u, %v) : (i32, i32, i32, i32) -> (i32, i32)
              %open = arith.xori %ends, %true : i1
              %adds = arith.andi %valid, %open : i1
              %far_ends = arith.trunci %far_ends_i32 : i32 to i1
              %ends_next = arith.select %adds, %far_ends, %ends : i1
              %u_next = arith.select %adds, %added#0, %u : i32
              %v_next = arith.select %adds, %added#1, %v : i32
              scf.yield %ends_next, %u_next, %v_next : i1, i32, i32
            }
            %ends_i32 = arith.extui %sums#0 : i1 to i32
            %all_ends_i32, %valid = gpu.shuffle idx %ends_i32, %c0_i32, %c32_i32 : i32
            %all_u, %valid_u = gpu.shuffle idx %sums#1, %c0_i32, %c32_i32 : i32
            %all_v, %valid_v = gpu.shuffle idx %sums#2, %c0_i32, %c32_i32 : i32
            %added:2 = func.call @combine(%all_u, %all_v, %x, %y) : (i32, i32, i32, i32) -> (i32, i32)
            %x_next = arith.select %any, %added#0, %all_u : i32
            %y_next = arith.select %any, %added#1, %all_v : i32
            %goes_on = arith.cmpi eq, %all_ends_i32, %c0_i32 : i32
            scf.condition(%goes_on) %nearest, %x_next, %y_next : index, i32, i32
          } do {
          ^bb0(%nearest: index, %x: i32, %y: i32):
            %nearest_next = arith.subi %nearest, %c32 : index
            scf.yield %nearest_next, %true, %x, %y : index, i1, i32, i32
          }
          scf.if %is_first {
            memref.store %sum#1, %carry[%c0] : memref<2xi32, #gpu.address_space<workgroup>>
            memref.store %sum#2, %carry[%c1] : memref<2xi32, #gpu.address_space<workgroup>>
            %all:2 = func.call @combine(%sum#1, %sum#2, %own#0, %own#1) : (i32, i32, i32, i32) -> (i32, i32)
            func.call @publish(%descriptors, %tile, %has_prefix, %all#0, %all#1) : (memref<?xi128>, index, i32, i32, i32) -> ()
          }
        }
      }
      gpu.barrier

      // What comes before the warp in the tile, and before the tile.
      %in_tile:2 = scf.if %is_first_warp -> (i32, i32) {
        scf.yield %w#0, %w#1 : i32, i32
      } else {
        %v:2 = func.call @combine(%t0a, %t0b, %w#0, %w#1) : (i32, i32, i32, i32) -> (i32, i32)
        scf.yield %v#0, %v#1 : i32, i32
      }
      %value:2 = scf.if %is_later_tile -> (i32, i32) {
        %ca = memref.load %carry[%c0] : memref<2xi32, #gpu.address_space<workgroup>>
        %cb = memref.load %carry[%c1] : memref<2xi32, #gpu.address_space<workgroup>>
        %v:2 = func.call @combine(%ca, %cb, %in_tile#0, %in_tile#1) : (i32, i32, i32, i32) -> (i32, i32)
        scf.yield %v#0, %v#1 : i32, i32
      } else {
        scf.yield %in_tile#0, %in_tile#1 : i32, i32
      }
      %is_inside = arith.cmpi ult, %i, %n : index
      scf.if %is_inside {
        memref.store %value#0, %p[%row, %i] : memref<?x?xi32>
        memref.store %value#1, %h[%row, %i] : memref<?x?xi32>
      }
      gpu.return
    }
  }

  // One launch for each row, all with the same workspace.
  func.func @main(%a_in: tensor<?x?xi32>, %b_in: tensor<?x?xi32>) -> (memref<?x?xi32>, memref<?x?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0_i32 = arith.constant 0 : i32
    %c0_i128 = arith.constant 0 : i128
    %a = bufferization.to_buffer %a_in read_only : tensor<?x?xi32> to memref<?x?xi32>
    %b = bufferization.to_buffer %b_in read_only : tensor<?x?xi32> to memref<?x?xi32>
    %rows = memref.dim %a, %c0 : memref<?x?xi32>
    %n = memref.dim %a, %c1 : memref<?x?xi32>
    %p = memref.alloc(%rows, %n) : memref<?x?xi32>
    %h = memref.alloc(%rows, %n) : memref<?x?xi32>
    %tiles = arith.ceildivui %n, %c64 : index
    %tickets = memref.alloc() : memref<1xi32>
    memref.store %c0_i32, %tickets[%c0] : memref<1xi32>
    %descriptors = memref.alloc(%tiles) : memref<?xi128>
    scf.for %tile = %c0 to %tiles step %c1 {
      memref.store %c0_i128, %descriptors[%tile] : memref<?xi128>
    }
    scf.for %row = %c0 to %rows step %c1 {
      %epoch = arith.index_cast %row : index to i32
      %taken = arith.muli %row, %tiles : index
      %first_ticket = arith.index_cast %taken : index to i32
      gpu.launch_func @kernels::@scan blocks in (%tiles, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%a : memref<?x?xi32>, %b : memref<?x?xi32>, %p : memref<?x?xi32>, %h : memref<?x?xi32>,
               %row : index, %tickets : memref<1xi32>, %first_ticket : i32, %epoch : i32,
               %descriptors : memref<?xi128>)
    }
    return %p, %h : memref<?x?xi32>, memref<?x?xi32>
  }
}
