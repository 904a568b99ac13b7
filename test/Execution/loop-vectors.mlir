// What emitters have made vectors of is left as it is: of the columns that are left over, and
// of steps that follow each other, LLVM makes no vectors. All loops say so, and its
// vectorisers do not run.

// RUN: scan-opt %s --scan-to-cpu="vector-bits=256" | FileCheck %s --check-prefix=LOOPS
// LOOPS:     #[[DISABLE:.*]] = #llvm.loop_vectorize<disable = true>
// LOOPS:     #[[KEEP:.*]] = #llvm.loop_annotation<vectorize = #[[DISABLE]]>
// LOOPS:     llvm.func @columns
// LOOPS:     llvm.fadd {{.*}} : vector<8xf32>
// LOOPS:     llvm.br ^{{.*}} {loop_annotation = #[[KEEP]]}
// LOOPS:     llvm.fadd {{.*}} : f32
// LOOPS:     llvm.br ^{{.*}} {loop_annotation = #[[KEEP]]}

// Four steps at a time and one at a time, of eight columns each.

// RUN: scan-translate %s --scan-to-object -o %t.o --header=%t.h --target-triple=x86_64-linux-gnu --cpu=x86-64-v3 && llvm-objdump -d %t.o --disassemble-symbols=columns | FileCheck %s --check-prefix=CODE
// CODE-COUNT-5: vaddps {{.*}}%ymm
// CODE-NOT:     vaddps

// RUN: scan-run %s --entry=columns --target=cpu --compare=reference --tolerance=0 --input=random:f32:15x29:1
func.func @columns(%x: tensor<15x29xf32>) -> tensor<15x29xf32> {
  %y = scan.associative ins(%x : tensor<15x29xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<15x29xf32>
  return %y : tensor<15x29xf32>
}

// Loops that no emitter has made vectors of become vectors as before.

// RUN: llvm-objdump -d %t.o --disassemble-symbols=elements | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: vsubps {{.*}}%ymm
func.func @elements(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = scf.for %i = %c0 to %n step %c1 iter_args(%z = %e) -> tensor<?xf32> {
    %a = tensor.extract %x[%i] : tensor<?xf32>
    %b = tensor.extract %y[%i] : tensor<?xf32>
    %d = arith.subf %a, %b : f32
    %next = tensor.insert %d into %z[%i] : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %z : tensor<?xf32>
}
