// RUN: scan-opt %s --convert-gpu-to-fibers --split-input-file --verify-diagnostics

// Of mbarriers, bulk copies and fences between proxies the emulator knows one form
// each.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @init_predicate(%m: !llvm.ptr<3>, %n: i32, %p: i1) kernel {
      // expected-error @below {{'nvvm.mbarrier.init' is not supported by the SIMT emulator: expected no predicate; use 'scf.if'}}
      nvvm.mbarrier.init %m, %n, predicate = %p : !llvm.ptr<3>, i32, i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @init_generic(%m: !llvm.ptr, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.init' is not supported by the SIMT emulator: expected an mbarrier at an address of type '!llvm.ptr<3>', found '!llvm.ptr'; only mbarriers of the thread's own block are emulated}}
      nvvm.mbarrier.init %m, %n : !llvm.ptr, i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_count(%m: !llvm.ptr<3>, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive' is not supported by the SIMT emulator: expected one arrival, found a count; let it be executed that many times}}
      nvvm.mbarrier.arrive %m, %n : !llvm.ptr<3>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_cluster(%m: !llvm.ptr<3>) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive' is not supported by the SIMT emulator: expected the scope 'cta', found 'cluster'; clusters are not emulated, use the scope 'cta'}}
      nvvm.mbarrier.arrive %m {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_relaxed(%m: !llvm.ptr<3>) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive' is not supported by the SIMT emulator: expected an operation that releases or acquires, found 'relaxed'; leave that out}}
      nvvm.mbarrier.arrive %m {relaxed = true} : !llvm.ptr<3>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_generic(%m: !llvm.ptr) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive' is not supported by the SIMT emulator: expected an mbarrier at an address of type '!llvm.ptr<3>', found '!llvm.ptr'; only mbarriers of the thread's own block are emulated}}
      nvvm.mbarrier.arrive %m : !llvm.ptr
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_state(%m: !llvm.ptr<3>, %y: memref<1xi64>) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive' is not supported by the SIMT emulator: expected a result without uses; wait by the parity of the phase instead}}
      %state = nvvm.mbarrier.arrive %m : !llvm.ptr<3> -> i64
      %c0 = arith.constant 0 : index
      memref.store %state, %y[%c0] : memref<1xi64>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @expect_predicate(%m: !llvm.ptr<3>, %n: i32, %p: i1) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive.expect_tx' is not supported by the SIMT emulator: expected no predicate; use 'scf.if'}}
      nvvm.mbarrier.arrive.expect_tx %m, %n, predicate = %p : !llvm.ptr<3>, i32, i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @expect_relaxed(%m: !llvm.ptr<3>, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.arrive.expect_tx' is not supported by the SIMT emulator: expected an operation that releases or acquires, found 'relaxed'; leave that out}}
      nvvm.mbarrier.arrive.expect_tx %m, %n {relaxed = true} : !llvm.ptr<3>, i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @wait_state(%m: !llvm.ptr<3>, %n: i64) kernel {
      // expected-error @below {{'nvvm.mbarrier.try_wait' is not supported by the SIMT emulator: expected the parity of a phase, of type i32, found the state of an arrival, of type 'i64'; wait by the parity of the phase}}
      %r = nvvm.mbarrier.try_wait %m, %n : !llvm.ptr<3>, i64 -> i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @wait_ticks(%m: !llvm.ptr<3>, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.try_wait' is not supported by the SIMT emulator: expected no time limit; leave it out, nothing here takes time}}
      %r = nvvm.mbarrier.try_wait %m, %n, %n : !llvm.ptr<3>, i32, i32 -> i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @wait_cluster(%m: !llvm.ptr<3>, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.try_wait' is not supported by the SIMT emulator: expected the scope 'cta', found 'cluster'; clusters are not emulated, use the scope 'cta'}}
      %r = nvvm.mbarrier.try_wait %m, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @test_wait(%m: !llvm.ptr<3>, %n: i32) kernel {
      // expected-error @below {{'nvvm.mbarrier.test.wait' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %r = nvvm.mbarrier.test.wait %m, %n : !llvm.ptr<3>, i32 -> i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @invalidate(%m: !llvm.ptr<3>) kernel {
      // expected-error @below {{'nvvm.mbarrier.inval' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      nvvm.mbarrier.inval %m : !llvm.ptr<3>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @multicast(%s: !llvm.ptr<3>, %x: !llvm.ptr<1>, %m: !llvm.ptr<3>, %n: i32, %k: i16) kernel {
      %d = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
      // expected-error @below {{'nvvm.cp.async.bulk.shared.cluster.global' is not supported by the SIMT emulator: expected no multicast mask; clusters are not emulated, let each block copy for itself}}
      nvvm.cp.async.bulk.shared.cluster.global %d, %x, %m, %n multicast_mask = %k : !llvm.ptr<7>, !llvm.ptr<1>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @cache_hint(%s: !llvm.ptr<3>, %x: !llvm.ptr<1>, %m: !llvm.ptr<3>, %n: i32, %k: i64) kernel {
      // expected-error @below {{'nvvm.cp.async.bulk.shared.cluster.global' is not supported by the SIMT emulator: expected no cache hint; leave it out, there is no cache here}}
      nvvm.cp.async.bulk.shared.cluster.global %s, %x, %m, %n l2_cache_hint = %k : !llvm.ptr<3>, !llvm.ptr<1>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @proxy() kernel {
      // expected-error @below {{'nvvm.fence.proxy' is not supported by the SIMT emulator: expected the kind 'async.shared' and the space 'cta', found the kind 'async.shared' and the space 'cluster'; other proxies are not emulated}}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @alias() kernel {
      // expected-error @below {{'nvvm.fence.proxy' is not supported by the SIMT emulator: expected the kind 'async.shared' and the space 'cta', found the kind 'alias'; other proxies are not emulated}}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @to_cluster(%x: !llvm.ptr<1>) kernel {
      // expected-error @below {{'llvm.addrspacecast' is not supported by the SIMT emulator: expected a pointer of type '!llvm.ptr<7>' to be an 'llvm.addrspacecast' of one of type '!llvm.ptr<3>': memory of other blocks cannot be reached}}
      %r = llvm.addrspacecast %x : !llvm.ptr<1> to !llvm.ptr<7>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @int_to_cluster(%x: i64) kernel {
      // expected-error @below {{'llvm.inttoptr' is not supported by the SIMT emulator: expected a pointer of type '!llvm.ptr<7>' to be an 'llvm.addrspacecast' of one of type '!llvm.ptr<3>': memory of other blocks cannot be reached}}
      %r = llvm.inttoptr %x : i64 to !llvm.ptr<7>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected a pointer of type '!llvm.ptr<7>' to be an 'llvm.addrspacecast' of one of type '!llvm.ptr<3>': memory of other blocks cannot be reached, found an argument}}
    gpu.func @argument(%x: !llvm.ptr<7>) kernel {
      gpu.return
    }
  }
}
