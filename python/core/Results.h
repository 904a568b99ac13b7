//===- Results.h - Arrays that the library owns ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_RESULTS_H
#define MLIR_SCAN_PYTHON_RESULTS_H

#include "DLPack.h"
#include "Support.h"

namespace mlir_scan {

/// The results of one run, each of which is freed when nobody has it any more.
class ResultSet : public std::enable_shared_from_this<ResultSet> {
public:
  explicit ResultSet(MlirScanResults results) : results(results) {}
  ~ResultSet() { mlirScanResultsDestroy(results); }
  ResultSet(const ResultSet &) = delete;

  intptr_t size() const { return mlirScanResultsGetNum(results); }

private:
  friend class Result;
  MlirScanResults results;
};

/// One of them. Needs no GIL.
class Result {
public:
  Result(std::shared_ptr<ResultSet> set, intptr_t index)
      : set(std::move(set)), index(index),
        buffer(mlirScanResultsGet(this->set->results, index)),
        strides(buffer.rank) {
    int64_t stride = 1;
    for (int64_t i = buffer.rank; i-- > 0;) {
      strides[i] = stride;
      stride *= buffer.shape[i] > 0 ? buffer.shape[i] : 1;
    }
  }
  ~Result() { mlirScanResultsDiscard(set->results, index); }
  Result(const Result &) = delete;

  const MlirScanBuffer &getBuffer() const { return buffer; }
  const int64_t *getStrides() const { return strides.data(); }
  int64_t getNumElements() const;
  /// With pointers into this object.
  dlpack::DLTensor getTensor() const;

private:
  std::shared_ptr<ResultSet> set;
  intptr_t index;
  MlirScanBuffer buffer;
  std::vector<int64_t> strides;
};

/// A result as a tensor of DLPack that keeps it alive.
dlpack::DLManagedTensorVersioned *
makeManagedTensor(std::shared_ptr<Result> result);

/// A result as the object that Python sees.
struct Array {
  std::shared_ptr<Result> result;
  /// The type that the elements are shown as: the result's, or that of integers
  /// of the same size.
  MlirScanElementType element;
};

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_RESULTS_H
