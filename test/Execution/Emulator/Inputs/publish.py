"""Writes a program in which blocks hand a value on, in one of several ways.

usage: publish.py WRITER READER [PAYLOAD_ORDER]

Block b writes cell b, and then sets flag b. Block b + 1 waits for flag b, reads
cell b, and adds 1. The blocks take their numbers from a counter, so that no
block waits for one that has not started. Each block has two warps; one thread
publishes, one thread waits, and a barrier is between it and the others.

WRITER and READER name how the flag is written and read; with the PAYLOAD_ORDER
`late` the cell is written after the flag.
"""

import sys

WRITERS = {
    # name: (before the store, the store)
    "release": ("", 'llvm.store %one, %flag atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>'),
    "relaxed": ("", 'llvm.store %one, %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>'),
    "plain": ("", "llvm.store %one, %flag : i32, !llvm.ptr<1>"),
    "block": ("", 'llvm.store %one, %flag atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>'),
    "fence": ('llvm.fence syncscope("device") release', 'llvm.store %one, %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>'),
    "block-fence": ('llvm.fence syncscope("block") release', 'llvm.store %one, %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>'),
    "rmw": ("", '%was = llvm.atomicrmw _or %flag, %one syncscope("device") acq_rel : !llvm.ptr<1>, i32'),
    "cas": ("", '%was = llvm.cmpxchg %flag, %zero, %one syncscope("device") release monotonic : !llvm.ptr<1>, i32'),
    "volatile": ("", "llvm.store volatile %one, %flag : i32, !llvm.ptr<1>"),
}
READERS = {
    # name: (the load, after the loop)
    "acquire": ('%v = llvm.load %flag atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32', ""),
    "system": ('%v = llvm.load %flag atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32', ""),
    "relaxed": ('%v = llvm.load %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32', ""),
    "plain": ("%v = llvm.load %flag : !llvm.ptr<1> -> i32", ""),
    "block": ('%v = llvm.load %flag atomic syncscope("block") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32', ""),
    "fence": ('%v = llvm.load %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32', 'llvm.fence syncscope("device") acquire'),
    "rmw": ('%v = llvm.atomicrmw add %flag, %zero syncscope("device") acq_rel : !llvm.ptr<1>, i32', ""),
    "volatile": ("%v = llvm.load volatile %flag : !llvm.ptr<1> -> i32", ""),
}

PROGRAM = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @publish(%cells: memref<?xi32>, %flags: memref<?xi32>, %counter: memref<1xi32>)
        workgroup(%number: memref<1xi32, #gpu.address_space<workgroup>>,
                  %got: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %four = arith.constant 4 : i64
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %n = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
        memref.store %n, %number[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %n = memref.load %number[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %b = arith.index_cast %n : i32 to index
      %waits = arith.cmpi ne, %b, %c0 : index
      %before = arith.subi %b, %c1 : index
      %i = memref.extract_aligned_pointer_as_index %flags : memref<?xi32> -> index
      %base = arith.index_cast %i : index to i64
      scf.if %first {
        %got0 = scf.if %waits -> i32 {
          %m = arith.index_cast %before : index to i64
          %offset = arith.muli %m, %four : i64
          %address = arith.addi %base, %offset : i64
          %flag = llvm.inttoptr %address : i64 to !llvm.ptr<1>
          scf.while : () -> () {
            LOAD
            %unset = arith.cmpi eq, %v, %zero : i32
            scf.condition(%unset)
          } do {
            scf.yield
          }
          AFTER
          %w = memref.load %cells[%before] : memref<?xi32>
          scf.yield %w : i32
        } else {
          scf.yield %zero : i32
        }
        memref.store %got0, %got[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      // A thread of the other warp writes what thread 0 publishes.
      %n_threads = gpu.block_dim x
      %last = arith.subi %n_threads, %c1 : index
      %is_last = arith.cmpi eq, %t, %last : index
      EARLY
      gpu.barrier
      scf.if %first {
        %m = arith.index_cast %b : index to i64
        %offset = arith.muli %m, %four : i64
        %address = arith.addi %base, %offset : i64
        %flag = llvm.inttoptr %address : i64 to !llvm.ptr<1>
        BEFORE
        STORE
      }
      LATE
      gpu.return
    }
  }
  func.func @main(%blocks: index) -> memref<?xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %cells = memref.alloc(%blocks) : memref<?xi32>
    %flags = memref.alloc(%blocks) : memref<?xi32>
    %counter = memref.alloc() : memref<1xi32>
    memref.store %zero, %counter[%c0] : memref<1xi32>
    scf.for %i = %c0 to %blocks step %c1 {
      memref.store %zero, %flags[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@publish blocks in (%blocks, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%cells : memref<?xi32>, %flags : memref<?xi32>, %counter : memref<1xi32>)
    return %cells : memref<?xi32>
  }
}
"""

WRITE = """scf.if %is_last {
        %w = memref.load %got[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
        %next = arith.addi %w, %one : i32
        memref.store %next, %cells[%b] : memref<?xi32>
      }"""


def main():
    writer, reader, *rest = sys.argv[1:]
    before, store = WRITERS[writer]
    load, after = READERS[reader]
    late = rest == ["late"]
    text = PROGRAM
    for name, code in [("LOAD", load), ("AFTER", after), ("BEFORE", before), ("STORE", store),
                       ("EARLY", "" if late else WRITE), ("LATE", WRITE if late else "")]:
        text = text.replace(name + "\n", code + "\n")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
