#include "validate/advise/rocksdb_words.h"

#include <algorithm>
#include <string_view>

#include "models/base/foreign_options.h"
#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

// Options of one style stand in a struct of their own.
constexpr std::pair<std::string_view, std::string_view> kStructs[] = {
    {"RocksDB universal compaction", "compaction_options_universal."},
    {"RocksDB FIFO compaction", "compaction_options_fifo."}};

std::string_view style_of(ForeignCompaction compaction) {
  switch (compaction) {
    case ForeignCompaction::kRocksdbUniversal:
      return "kCompactionStyleUniversal";
    case ForeignCompaction::kRocksdbFifo:
      return "kCompactionStyleFIFO";
    case ForeignCompaction::kRocksdbLeveled:
    case ForeignCompaction::kLeveldb:
      break;
  }
  return "kCompactionStyleLevel";
}

std::string priority_name(const std::string& ours) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"min-overlapping-ratio", "kMinOverlappingRatio"},
      {"by-compensated-size", "kByCompensatedSize"},
      {"oldest-largest-seq-first", "kOldestLargestSeqFirst"},
      {"oldest-smallest-seq-first", "kOldestSmallestSeqFirst"},
      {"round-robin", "kRoundRobin"}};
  for (const auto& [own, theirs] : names) {
    if (own == ours) return std::string(theirs);
  }
  return ours;
}

bool is_place(const ForeignOption& option, const std::string& family, const std::string& name) {
  for (std::size_t i = 0; i < option.place_count(); ++i) {
    const ForeignPlace& place = option.places[i];
    const bool is_owner = place.owner == kEveryPolicy || place.is_of_family(family);
    if (place.option == name && is_owner) return true;
  }
  return false;
}

// RocksDB's name of the parameter; empty where it has none.
std::string rocksdb_name(const std::string& family, const std::string& name) {
  for (const ForeignOption& option : foreign_options()) {
    if (!option.systems.starts_with("RocksDB") || option.value == ForeignValue::kNameOnly) continue;
    if (!is_place(option, family, name)) continue;
    std::string theirs(option.name);
    for (const auto& [systems, prefix] : kStructs) {
      if (option.systems == systems) theirs.insert(0, prefix);
    }
    return theirs;
  }
  return {};
}

std::string rocksdb_value(const std::string& name, const OptionValue& value) {
  const std::string text = option_value_text(value);
  return name == "priority" ? priority_name(text) : text;
}

std::vector<OptionWords> all_words(const ConfiguredPolicy& policy) {
  if (!policy.foreign || *policy.foreign == ForeignCompaction::kLeveldb) return {};
  std::vector<OptionWords> words{{"compaction_style", std::string(style_of(*policy.foreign))}};
  for (const ResolvedOptions* options : {&policy.options, &policy.store_options}) {
    for (const auto& [name, value] : *options) {
      const std::string theirs = rocksdb_name(policy.family, name);
      if (theirs.empty() || std::holds_alternative<std::monostate>(value)) continue;
      words.push_back({theirs, rocksdb_value(name, value)});
    }
  }
  return words;
}

}  // namespace

std::vector<OptionWords> rocksdb_words(const ConfiguredPolicy& policy,
                                       const ConfiguredPolicy* before) {
  std::vector<OptionWords> words = all_words(policy);
  if (before == nullptr) return words;
  const std::vector<OptionWords> old = all_words(*before);
  std::vector<OptionWords> changed;
  for (OptionWords& word : words) {
    const auto known = std::find_if(old.begin(), old.end(),
                                    [&](const OptionWords& one) { return one.name == word.name; });
    if (known != old.end() && known->value == word.value) continue;
    if (known != old.end()) word.value_before = known->value;
    changed.push_back(std::move(word));
  }
  return changed;
}

}  // namespace lsmlab
