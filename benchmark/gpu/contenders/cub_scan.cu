// CUB's DeviceScan behind C functions, for the benchmark: the sum; the linear pair of two
// arrays, of which the states are stored; and the linear pair of an array of pairs.
//
// Each function asks for the size of the temporary storage if `storage` is null.

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

/// The map h -> x h + y.
using Pair = float2;

namespace {
/// First `left`, then `right`.
struct Compose {
  __host__ __device__ Pair operator()(const Pair &left, const Pair &right) const {
    return {left.x * right.x, right.x * left.y + right.y};
  }
};

/// Makes a pair of two arrays' elements.
struct Load {
  const float *a, *b;
  __host__ __device__ Pair operator()(int i) const { return {a[i], b[i]}; }
};

struct State {
  __host__ __device__ float operator()(const Pair &pair) const { return pair.y; }
};
} // namespace

extern "C" int scan_sum(void *storage, size_t *bytes, const float *x, float *y, int count,
                        cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(storage, *bytes, x, y, count, stream);
}

extern "C" int scan_recurrence(void *storage, size_t *bytes, const float *a, const float *b,
                               float *h, int count, cudaStream_t stream) {
  auto pairs = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Load{a, b});
  auto states = thrust::make_transform_output_iterator(h, State{});
  return cub::DeviceScan::InclusiveScan(storage, *bytes, pairs, states, Compose{}, count, stream);
}

extern "C" int scan_pairs(void *storage, size_t *bytes, const Pair *x, Pair *y, int count,
                          cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(storage, *bytes, x, y, Compose{}, count, stream);
}
