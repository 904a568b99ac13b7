// A state-space layer over bf16, from the last step to the first: a channel has eight
// states, and all channels have the same rows of B and C. SCHEDULE stands for a schedule.

#btc = affine_map<(b, t, c) -> (b, t, c)>
#steps = affine_map<(b, t, c, n) -> (b, t, c, n)>
#channels = affine_map<(b, t, c, n) -> (b, t, c)>
#states = affine_map<(b, t, c, n) -> (b, t, n)>
#fixed = affine_map<(b, t, c, n) -> (c, n)>

func.func @layer(%u: tensor<?x?x?xbf16>, %a: tensor<?x8xf32>, %b: tensor<?x?x8xbf16>,
                 %c: tensor<?x?x8xbf16>) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %u, %c0 : tensor<?x?x?xbf16>
  %time = tensor.dim %u, %c1 : tensor<?x?x?xbf16>
  %channels = tensor.dim %u, %c2 : tensor<?x?x?xbf16>
  %states = tensor.empty(%batch, %time, %channels) : tensor<?x?x?x8xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [#channels, #fixed, #states, #steps, #steps],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%u, %a, %b : tensor<?x?x?xbf16>, tensor<?x8xf32>, tensor<?x?x8xbf16>)
      outs(%states, %states : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  ^bb0(%ut: bf16, %an: f32, %bn: bf16, %o0: f32, %o1: f32):
    %x = arith.extf %ut : bf16 to f32
    %bx = arith.extf %bn : bf16 to f32
    %e = math.exp %x : f32
    %d = arith.mulf %e, %an : f32
    %p = arith.mulf %x, %bx : f32
    linalg.yield %d, %p : f32, f32
  } -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
  %zero = arith.constant 0.0 : f32
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      init(%zero : f32) dim = 1 reverse
      attributes {schedule = #scan.schedule<SCHEDULE>} -> tensor<?x?x?x8xf32>
  %out = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = linalg.generic {indexing_maps = [#steps, #states, #channels],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x?x8xf32>, tensor<?x?x8xbf16>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%hn: f32, %cn: bf16, %acc: f32):
    %cx = arith.extf %cn : bf16 to f32
    %p = arith.mulf %cx, %hn : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %y = arith.truncf %sum : tensor<?x?x?xf32> to tensor<?x?x?xbf16>
  return %y : tensor<?x?x?xbf16>
}
