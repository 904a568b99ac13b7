// What is made of the states is a constant: no leaf is carried, by many warps either.

// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=random:i16:2500x3:1 --input=random:i16:2500x3:2 --input=random:i1:2500x1:3
// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 -o %t.ptx

func.func @f(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>, %starts: tensor<?x1xi1>) -> tensor<?x?xi16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %b, %c0 : tensor<?x?xi16>
  %d1 = tensor.dim %b, %c1 : tensor<?x?xi16>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>)
      segments(%starts : tensor<?x1xi1>) dim = 0 -> tensor<?x?xi16>
  %zero = arith.constant 0 : i16
  %zeros = tensor.splat %zero[%d0, %d1] : tensor<?x?xi16>
  %y = arith.andi %h, %zeros : tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}
