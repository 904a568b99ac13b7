//===- TuningCache.cpp - Schedules that were measured ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningCache.h"
#include "Target/OutputFiles.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::scan;

/// What tells the file from any other one.
static constexpr StringLiteral kFormat = "mlir-scan tuning cache";

static auto getKey(const TuningEntry &entry) {
  return std::tie(entry.chip, entry.kernel, entry.steps, entry.batch);
}

static auto getKey(const ResourceEntry &entry) {
  return std::tie(entry.chip, entry.kernel, entry.schedule);
}

/// Adds `entry` to `list`, in place of the one with the same key.
template <typename Entry>
static void addEntry(std::vector<Entry> &list, Entry entry) {
  auto same = llvm::find_if(
      list, [&](const Entry &other) { return getKey(other) == getKey(entry); });
  if (same == list.end())
    list.push_back(std::move(entry));
  else
    *same = std::move(entry);
}

void TuningCache::add(TuningEntry entry) {
  addEntry(entries, std::move(entry));
}

void TuningCache::add(ResourceEntry entry) {
  addEntry(resources, std::move(entry));
}

static bool expect(bool holds, llvm::json::Path path, StringLiteral field,
                   StringLiteral expected) {
  if (!holds)
    path.field(field).report(expected);
  return holds;
}

static bool readEntry(const llvm::json::Value &value, TuningEntry &entry,
                      llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("chip", entry.chip) ||
      !mapper.map("kernel", entry.kernel) ||
      !mapper.map("steps", entry.steps) || !mapper.map("batch", entry.batch) ||
      !mapper.map("schedule", entry.schedule) ||
      !mapper.map("nanoseconds", entry.nanoseconds) ||
      !mapper.map("gpu", entry.gpu) || !mapper.map("date", entry.date))
    return false;
  return expect(entry.steps >= 0, path, "steps", "expected 0 or more") &&
         expect(entry.batch >= 0, path, "batch", "expected 0 or more") &&
         expect(entry.nanoseconds > 0 && std::isfinite(entry.nanoseconds), path,
                "nanoseconds", "expected a positive number");
}

static bool readEntry(const llvm::json::Value &value, ResourceEntry &entry,
                      llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("chip", entry.chip) &&
         mapper.map("kernel", entry.kernel) &&
         mapper.map("schedule", entry.schedule) &&
         mapper.map("registers", entry.registers) &&
         mapper.map("spilled_bytes", entry.spilledBytes) &&
         // Files of before it was noted do not have it.
         mapper.mapOptional("instructions", entry.instructions) &&
         expect(entry.registers > 0, path, "registers", "expected 1 or more") &&
         expect(entry.spilledBytes >= 0, path, "spilled_bytes",
                "expected 0 or more") &&
         expect(entry.instructions >= 0, path, "instructions",
                "expected 0 or more");
}

/// Adds the entries of `array`, the field `name`, to `cache`.
template <typename Entry>
static llvm::Error readEntries(const llvm::json::Array &array, StringRef name,
                               TuningCache &cache) {
  llvm::json::Path::Root root(name);
  for (auto [number, element] : llvm::enumerate(array)) {
    Entry entry;
    if (!readEntry(element, entry, llvm::json::Path(root).index(number)))
      return root.getError();
    cache.add(std::move(entry));
  }
  return llvm::Error::success();
}

llvm::Expected<TuningCache> TuningCache::parse(StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  auto fail = [](const Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("format") != StringRef(kFormat))
    return fail("expected an object whose 'format' is '" + kFormat + "'");
  std::optional<int64_t> version = object->getInteger("version");
  if (version != kVersion)
    return fail("expected version " + Twine(kVersion) + ", found " +
                (version ? Twine(*version) : Twine("none")) +
                "; measure again with scan-tune");
  const llvm::json::Array *array = object->getArray("entries");
  if (!array)
    return fail("expected an array 'entries'");
  TuningCache cache;
  if (llvm::Error error = readEntries<TuningEntry>(*array, "entries", cache))
    return error;
  // Files of before there were any have none.
  if (const llvm::json::Value *resources = object->get("resources")) {
    const llvm::json::Array *reported = resources->getAsArray();
    if (!reported)
      return fail("expected an array 'resources'");
    if (llvm::Error error =
            readEntries<ResourceEntry>(*reported, "resources", cache))
      return error;
  }
  return cache;
}

llvm::Expected<TuningCache> TuningCache::load(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  llvm::Expected<TuningCache> cache = parse((*buffer)->getBuffer());
  if (!cache)
    return llvm::createFileError(path, cache.takeError());
  return cache;
}

std::optional<TuningCache> TuningCache::open(StringRef path,
                                             MLIRContext *context) {
  std::string name = path.str();
  if (name.empty())
    name = llvm::sys::Process::GetEnv(kEnvironmentVariable).value_or("");
  if (name.empty())
    return std::nullopt;
  llvm::Expected<TuningCache> cache = load(name);
  if (cache)
    return std::move(*cache);
  emitWarning(UnknownLoc::get(context))
      << "the tuning cache is ignored: " << llvm::toString(cache.takeError());
  return std::nullopt;
}

/// The order in which things were measured is of no interest to a reader who
/// compares two files.
template <typename Entry>
static SmallVector<const Entry *> sort(const std::vector<Entry> &entries) {
  SmallVector<const Entry *> sorted;
  for (const Entry &entry : entries)
    sorted.push_back(&entry);
  llvm::sort(sorted, [](const Entry *a, const Entry *b) {
    return getKey(*a) < getKey(*b);
  });
  return sorted;
}

llvm::Error TuningCache::save(StringRef path) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("format", StringRef(kFormat));
    json.attribute("version", kVersion);
    json.attributeArray("entries", [&] {
      for (const TuningEntry *entry : sort(entries))
        json.object([&] {
          json.attribute("chip", entry->chip);
          json.attribute("kernel", entry->kernel);
          json.attribute("steps", entry->steps);
          json.attribute("batch", entry->batch);
          json.attribute("schedule", entry->schedule);
          json.attribute("nanoseconds", entry->nanoseconds);
          json.attribute("gpu", entry->gpu);
          json.attribute("date", entry->date);
        });
    });
    if (resources.empty())
      return;
    json.attributeArray("resources", [&] {
      for (const ResourceEntry *entry : sort(resources))
        json.object([&] {
          json.attribute("chip", entry->chip);
          json.attribute("kernel", entry->kernel);
          json.attribute("schedule", entry->schedule);
          json.attribute("registers", entry->registers);
          json.attribute("spilled_bytes", entry->spilledBytes);
          if (entry->instructions > 0)
            json.attribute("instructions", entry->instructions);
        });
    });
  });
  os << "\n";
  return writeOutputFiles({{path, text}});
}
