//===- ManifestReader.h - A manifest in memory ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of docs/manifest.md that a launch needs, checked against each
// other, with names resolved to numbers of arguments and buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_MANIFESTREADER_H
#define SCAN_LIB_LAUNCHER_MANIFESTREADER_H

#include "Expression.h"
#include "Scan/Launcher/Launcher.h"
#include <optional>

namespace mlir::scan::launcher {

struct ArgumentDescription {
  std::string name;
  ValueType type;
  /// Per dimension the name of its extent or stride, empty where it is static.
  std::vector<std::string> extentNames;
  bool isStrided = false;
  /// The static strides, where the name is empty; likewise the offset.
  std::vector<int64_t> strides;
  std::vector<std::string> strideNames;
  int64_t offset = 0;
  std::string offsetName;
};

enum class BufferKind { Argument, Result, Temporary, Constant };

struct BufferDescription {
  std::string name;
  BufferKind kind;
  /// Of the argument, result, temporary or constant.
  size_t index;
  std::string element;
  int64_t elementBytes;
  std::vector<Expression> shape;
  /// Of constants.
  std::vector<uint8_t> data;
};

struct ResultDescription {
  size_t buffer;
  std::string element;
  int64_t elementBytes;
  std::vector<Expression> shape;
};

enum class ParameterKind {
  Pointer,
  Number,
  ScalarArgument,
  Constant,
  Workspace,
  Status
};

struct ParameterDescription {
  std::string name;
  ParameterKind kind;
  /// Bytes of the parameter.
  int64_t size = 8;
  /// Of a pointer: the buffer; of a scalar argument: the argument; of a status:
  /// its number.
  size_t index = 0;
  /// Of a number: its value, and whether the grid may refer to it.
  Expression value;
  bool isSize = false;
  /// Of a constant: the bytes.
  std::array<uint8_t, 16> bytes = {};
};

struct KernelDescription {
  std::string entry;
  std::vector<ParameterDescription> parameters;
  /// In the names of the parameters that are sizes.
  std::array<Expression, 3> grid, block;
  /// Comparisons in the names of the function, all of which have to hold for
  /// the kernel to be launched.
  std::vector<Expression> conditions;
  /// Of a kernel that is one of several for a scan: the number of the scan, and
  /// which of its variants the kernel belongs to; else -1.
  int64_t scan = -1, variant = -1;
  unsigned dynamicSharedBytes;
  /// In the names of the parameters that are sizes.
  Expression workspaceBytes;
  bool isWorkspaceZeroed = false;
};

/// `count` kernels, from number `first` on, that are launched in this order
/// `steps` times, with the number of the repetition as `name`.
struct RepeatDescription {
  size_t first, count;
  std::string name;
  Expression steps;
};

/// A buffer whose bytes become zero in front of kernel number `before`.
struct ClearedDescription {
  size_t buffer, before;
};

/// Where kernels report what is wrong with segment offsets.
struct StatusDescription {
  /// The number of the argument that these are; none if they are computed.
  std::optional<size_t> argument;
};

struct FunctionDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;
  std::vector<ValueType> argumentTypes;
  std::vector<ResultDescription> results;
  std::vector<BufferDescription> buffers;
  std::vector<KernelDescription> kernels;
  /// In the order of the kernels, of which none is in two of them.
  std::vector<RepeatDescription> repeats;
  std::vector<ClearedDescription> cleared;
  std::vector<StatusDescription> statuses;
  /// Comparisons in the names of the function, all of which have to hold.
  std::vector<Expression> requirements;
};

struct ManifestDescription {
  std::string chip;
  /// The SHA-256 of the PTX; empty in manifests that do not say it.
  std::vector<uint8_t> hash;
  std::vector<FunctionDescription> functions;
};

/// Reads the text of a manifest. The failure names the entry that is not as
/// expected.
Status readManifest(const std::string &text, ManifestDescription &manifest);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_MANIFESTREADER_H
