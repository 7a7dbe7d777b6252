// Small stores with random writes, for tests of what survives.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/store.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/store_model.h"

namespace lsmlab::engine::testing {

inline constexpr const char* kDirectory = "/disk/store";

/// One policy of each kind: one file at a time, whole tiers, links with frozen files, eager merges,
/// runs by age.
inline const std::vector<std::string>& policy_specs() {
  static const std::vector<std::string> specs{
      "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
      "movement=least-overlap-parent",
      "leveled",
      "leveled:pre_remove=blocks,range_bytes=200",
      "leveled:pre_remove=filters",
      "tiered:pre_remove=filters",
      "delete-aware:adapt_flushes=3,pre_remove=blocks,range_bytes=200",
      "tiered",
      "tiered:memtable=in-place",
      "ldc:slice_threshold=2",
      "binomial",
      "rocksdb-universal",
      "rocksdb-leveled:mark_ratio=10%",
      "rocksdb-leveled:periodic_age=60",
      "rocksdb-leveled:ttl=60",
      "tiered:tombstone_threshold=5%,tombstone_compaction_interval=40,"
      "unchecked_tombstone_compaction=true",
      "cassandra-lcs:gc_grace=120,tombstone_threshold=5%,tombstone_compaction_interval=60,"
      "unchecked_tombstone_compaction=true,sstable_size=1500,fanout_size=3,min_sstable_size=1000",
      "leveldb",
      "dcompaction:merge_threshold=7",
      "tarantool:range_size=3000"};
  return specs;
}

/// A policy with small sizes: a flush has ten to fifty entries, a file as many bytes as a flush,
/// and a level a few files.
inline const ConfiguredPolicy& small_policy(const std::string& text) {
  static std::map<std::string, ConfiguredPolicy> known;
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  Spec spec = parse_spec(text).value();
  const Parameters small{
      {"buffer", "700"}, {"block_size", "128"}, {"file_size", "700"}, {"size_ratio", "3"}};
  for (const auto& parameter : small) {
    Spec with = spec;
    with.parameters.push_back(parameter);
    if (make_policy(with)) spec = with;
  }
  auto policy = make_policy(spec);
  REQUIRE(policy.has_value());
  REQUIRE(policy.value().store.buffer == Bytes(700));
  return known.emplace(text, std::move(policy).value()).first->second;
}

inline StoreSetup small_setup(const std::string& policy, FileSystem& files) {
  StoreSetup setup;
  setup.policy = small_policy(policy);
  setup.files = &files;
  return setup;
}

/// Batches of few keys with many lengths, many with the same first eight bytes; removals; mostly
/// small values.
class RandomBatches {
 public:
  explicit RandomBatches(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// From now on, keys are these eleven neighbours, so that files need not overlap.
  void move_to(std::uint64_t first_number) { first_number_ = first_number; }

  [[nodiscard]] std::string key() {
    if (first_number_) return fmt::format("{:08}", *first_number_ + draw(11));
    const std::uint64_t number = draw(90);
    switch (draw(4)) {
      case 0:
        return fmt::format("{}", number);
      case 1:
        return fmt::format("{:08}", number);
      case 2:
        return fmt::format("same8byt{}", std::string(1 + number % 30, 'k'));
      default:
        return fmt::format("key/{:04}/{}", number, std::string(number % 7, 'x'));
    }
  }
  [[nodiscard]] std::string value() {
    const std::uint64_t kind = draw(100);
    const std::uint64_t bytes = kind < 3 ? 400 + draw(2'000) : draw(60);
    std::string text = fmt::format("{}:", ++values_);
    text.append(bytes, static_cast<char>('a' + draw(26)));
    return text;
  }
  [[nodiscard]] ModelBatch batch() {
    const std::uint64_t entries = draw(5) == 0 ? 2 + draw(6) : 1;
    ModelBatch batch;
    for (std::uint64_t i = 0; i < entries; ++i) {
      std::string name = key();
      if (draw(5) == 0) {
        batch.emplace_back(std::move(name), std::nullopt);
      } else {
        batch.emplace_back(std::move(name), value());
      }
    }
    return batch;
  }

 private:
  std::mt19937_64 random_;
  std::optional<std::uint64_t> first_number_;
  std::uint64_t values_ = 0;
};

inline Result<void> write_batch(Store& store, const ModelBatch& batch) {
  if (batch.size() == 1) {
    const auto& [key, value] = batch.front();
    return value ? store.put(key, *value) : store.remove(key);
  }
  WriteBatch writes;
  for (const auto& [key, value] : batch) {
    if (value) {
      writes.put(key, *value);
    } else {
      writes.remove(key);
    }
  }
  return store.write(writes);
}

/// Writes the batch and records the outcome in the model.
inline Result<void> write_and_note(Store& store, StoreModel& model, ModelBatch batch,
                                   bool is_durable) {
  model.attempt(batch);
  BOOST_OUTCOME_TRYV(write_batch(store, batch));
  model.acknowledge();
  if (is_durable) model.make_durable();
  return success();
}

/// The state that a scan shows.
inline Result<StoreState> scan_all(Store& store, const ReadOptions& options = {}) {
  StoreState state;
  const std::unique_ptr<Cursor> cursor = store.scan({}, options);
  for (;;) {
    const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
    if (!has_entry) return state;
    state.emplace_hint(state.end(), cursor->key(), cursor->value());
  }
}

/// Empty if get() agrees with the state for every key.
inline std::string gets_differ(Store& store, const StoreState& state) {
  for (const auto& [key, value] : state) {
    const auto found = store.get(key);
    if (!found) return found.error().message;
    if (found.value() != value) return fmt::format("get({}) is wrong", key);
  }
  return {};
}

/// Empty if the tree is consistent.
inline std::string tree_fault(const Store& store) {
  const Result<TreeState> tree = TreeState::restore(store.tree_image());
  return tree ? std::string() : tree.error().message;
}

/// The number in an environment variable; `otherwise` if it is not set.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

}  // namespace lsmlab::engine::testing
