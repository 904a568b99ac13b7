//===- MutateBytes.cpp - Random edits of a file's bytes -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileMutation.h"
#include "Random.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

/// Numbers at which something overflows, wraps around or is of another sign.
static uint64_t pickExtreme(fuzz::Random &random) {
  static const uint64_t numbers[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff,
                                     0xfffffffffffffff0,
                                     1000000};
  return random.pick(numbers);
}

/// The same for texts, with what is no number at all.
static std::string pickManifestWord(fuzz::Random &random) {
  static const StringRef words[] = {"-1",
                                    "0",
                                    "1",
                                    "7",
                                    "65536",
                                    "4294967295",
                                    "4294967296",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "-9223372036854775808",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "99999999999999999999999999",
                                    "1e3",
                                    "1e400",
                                    "-0.5",
                                    "null",
                                    "true",
                                    "False",
                                    "\"\"",
                                    "\"d0\"",
                                    "\"1 - 2\"",
                                    "\"1 mod 0\"",
                                    "\"-9223372036854775808 floordiv -1\"",
                                    "\"9223372036854775807 * 2\"",
                                    "\"min(\"",
                                    "\"\\u0000\"",
                                    "\"\\ud800\"",
                                    "[]",
                                    "[[]]",
                                    "{}",
                                    "()",
                                    "(3,)",
                                    "'<f4'",
                                    "'|V2'",
                                    "NaN",
                                    "Infinity"};
  if (random.chance(3))
    return "\"" + std::string(random.pick({100, 1000, 100000}), '(') + "\"";
  if (random.chance(2))
    return std::string(random.pick({100, 1000, 100000}), '[');
  return random.pick(words).str();
}

/// Replaces a number, a string or another word.
static void editWord(std::string &contents, fuzz::Random &random) {
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '<' ||
           c == '>';
  };
  size_t begin = random.below(contents.size());
  for (size_t i = 0; i < 40 && begin + 1 < contents.size() &&
                     !isWord(contents[begin]) && contents[begin] != '"';
       ++i)
    ++begin;
  while (begin > 0 && isWord(contents[begin]) && isWord(contents[begin - 1]))
    --begin;
  size_t end = begin;
  if (contents[begin] == '"') {
    end = contents.find('"', begin + 1);
    end = end == std::string::npos ? begin + 1 : end + 1;
  } else {
    while (end < contents.size() && isWord(contents[end]))
      ++end;
  }
  contents.replace(begin, end - begin, pickManifestWord(random));
}

/// Writes a number in one of the ways in which the formats have them.
static void writeNumber(std::string &contents, fuzz::Random &random) {
  uint64_t number = pickExtreme(random);
  char bytes[9] = {};
  size_t size = random.pick({1, 2, 4, 8, 9});
  // MLIR's bytecode has a first byte of 0 ahead of numbers of 8 bytes.
  std::memcpy(bytes + (size == 9), &number, 8);
  size_t begin = random.below(contents.size());
  size_t replaced =
      random.chance(30) ? 0 : std::min(size, contents.size() - begin);
  if (size == 9 && random.chance(50))
    replaced = 1;
  contents.replace(begin, replaced, bytes, size);
}

static void editBytes(std::string &contents, StringRef other,
                      fuzz::Random &random) {
  size_t begin = random.below(contents.size());
  size_t length =
      1 + random.below(std::min<size_t>(contents.size() - begin, 64));
  switch (random.below(9)) {
  case 0:
  case 1:
    contents[begin] ^= 1 << random.below(8);
    return;
  case 2:
    contents[begin] = static_cast<char>(random.next());
    return;
  case 3:
  case 4:
    return writeNumber(contents, random);
  case 5:
    contents.erase(begin, length);
    return;
  case 6:
    contents.insert(random.below(contents.size() + 1),
                    contents.substr(begin, length));
    return;
  case 7: {
    size_t from = random.below(other.size());
    contents.replace(begin, random.chance(50) ? length : 0,
                     other.substr(from, length).str());
    return;
  }
  default:
    if (random.chance(25))
      contents.resize(begin);
    else
      std::swap(contents[begin], contents[random.below(contents.size())]);
  }
}

std::string fuzz::mutateBytes(StringRef contents, StringRef other, bool isText,
                              Random &random) {
  std::string result = contents.str();
  int64_t edits = random.pick({1, 1, 1, 2, 2, 3, 8});
  for (int64_t i = 0; i < edits && !result.empty(); ++i) {
    if (isText && random.chance(70))
      editWord(result, random);
    else
      editBytes(result, other, random);
  }
  return result;
}

MutatedFile fuzz::makeMutatedFile(const FileSamples &samples, uint64_t seed,
                                  uint64_t index) {
  fuzz::Random random(seed + 0xF11E, index);
  MutatedFile file;
  file.kind = getFileKind(index);
  auto pickTwo = [&](const auto &list, auto getContents, bool isText) {
    file.sample = random.below(list.size());
    file.contents = mutateBytes(getContents(list[file.sample]),
                                getContents(random.pick(list)), isText, random);
  };
  switch (file.kind) {
  case FileKind::Bytecode:
    pickTwo(samples.programs, [](StringRef program) { return program; }, false);
    break;
  case FileKind::Manifest:
    pickTwo(
        samples.launches,
        [](const FileSamples::Launch &launch) {
          return StringRef(launch.manifest);
        },
        true);
    break;
  case FileKind::Npy:
    pickTwo(
        samples.arrays,
        [](const FileSamples::Array &array) {
          // Most of a large file is data.
          return StringRef(array.contents);
        },
        random.chance(50));
    break;
  }
  return file;
}
