//===- ManifestValues.h - The values in a manifest --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads numbers, expressions, shapes and bytes out of a manifest's JSON.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_MANIFESTVALUES_H
#define SCAN_LIB_LAUNCHER_MANIFESTVALUES_H

#include "ManifestReader.h"
// Errors are found by asking for types first; nothing may throw.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

namespace mlir::scan::launcher {

using Json = nlohmann::json;

/// Reads the values of one manifest. The first error is kept; what is read
/// after it is thrown away.
class ManifestValues {
protected:
  void fail(const std::string &where, const std::string &what) {
    if (status.ok())
      status =
          Status::failure("the manifest is not valid: " + where + ": " + what);
  }
  /// The entry `key` of an object of kind `type`; a null value otherwise.
  const Json &get(const Json &object, const char *key, const std::string &where,
                  Json::value_t type);
  const Json &getArray(const Json &object, const char *key,
                       const std::string &where) {
    return get(object, key, where, Json::value_t::array);
  }
  std::string getString(const Json &object, const char *key,
                        const std::string &where) {
    const Json &value = get(object, key, where, Json::value_t::string);
    return value.is_string() ? value.get<std::string>() : std::string();
  }
  int64_t getCount(const Json &object, const char *key,
                   const std::string &where);
  /// An integer or an expression; or a comparison, of the entry `key`.
  Expression getExpression(const Json &value, const std::string &where,
                           bool isComparison = false, const char *key = "when");
  /// A tree, or a part of one that is `depth` levels below its root.
  Expression getTree(const Json &value, const std::string &where,
                     bool isComparison = false, int depth = 0);
  std::vector<Expression> getShape(const Json &object, const char *key,
                                   const std::string &where);
  /// Splits extents, strides or an offset into a number and a name.
  void getNumberOrName(const Json &value, const std::string &where,
                       int64_t &number, std::string &name);
  int64_t getElementBytes(const std::string &element, const std::string &where);
  std::vector<uint8_t> getHex(const Json &object, const char *key, size_t bytes,
                              const std::string &where);

  Status status;
  int64_t version = 0;

private:
  const Json null;
};

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_MANIFESTVALUES_H
