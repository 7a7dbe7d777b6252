// A profile of a trace: a workload with the trace's mix of operations, popularity of keys, sizes
// and order of inserts. The operation generator draws operations from it, and resolution `range`
// can simulate it.
//
// - A put of a live key is an update, any other put is an insert. A get of a key that is not alive
//   is a lookup of an absent key. Phases differ in the mix of operations (operation_mix.h); keys
//   and sizes are the same in all.
// - Popularity follows the order of inserts, from the oldest key or from the newest one, whichever
//   explains the accesses better (key_popularity.h). If popularity has little to do with that
//   order, the keys are ordered by their accesses, and the most popular ones count as the oldest.
// - Sizes keep their means exactly; the distribution is rounded to quarters of a doubling.
// - Operations of a profile are drawn independently of each other. independent() measures how that
//   changes the update distance.
//
// Memory is bounded as in trace_statistics.h: keys are sampled by their hash. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/files/key_popularity.h"
#include "traces/files/operation_mix.h"
#include "traces/files/trace_statistics.h"
#include "traces/workloads/live_keys.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// Sizes whose sum is exact; similar ones count as equal.
class SizeCounts {
 public:
  void add(std::uint64_t size);
  /// A distribution with the same mean. `without`: the constant size if there is none.
  [[nodiscard]] SizeDistribution distribution(std::uint64_t without) const;

 private:
  struct Sum {
    std::uint64_t count = 0;
    Uint128 bytes = 0;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
  };
  std::map<std::uint64_t, Sum> sums_;  // by quarters of a doubling
};

/// Operations from one write of a key to the next one.
struct UpdateDistances {
  std::uint64_t count = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p90 = 0;
};

class TraceProfile {
 public:
  /// Bytes for a sampled key: at most so many, and once as much while the table grows.
  static constexpr std::size_t kKeyBytesMax = 256;
  static constexpr std::size_t kSampledKeysMax = std::size_t{1} << 20;
  /// REQUIRES: sampled_keys_max >= 2.
  explicit TraceProfile(std::size_t sampled_keys_max = kSampledKeysMax);

  void add(std::span<const Operation> operations);
  /// The workload, without a name. Errors: the trace has no puts, or more deletes than a workload
  /// can have.
  [[nodiscard]] Result<OperationWorkload> workload() const;
  [[nodiscard]] UpdateDistances update_distances() const;
  /// The distances in operations that the workload draws.
  [[nodiscard]] UpdateDistances independent(const OperationWorkload& workload) const;
  /// What the workload leaves out, one sentence each.
  [[nodiscard]] std::vector<std::string> omissions(const OperationWorkload& workload,
                                                   const UpdateDistances& independent) const;
  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  [[nodiscard]] std::uint64_t distinct_keys() const { return scaled(sampled_); }
  /// The share of inserts, in percent, that were above the insert before.
  [[nodiscard]] std::uint64_t rising_percent() const;

 private:
  enum class Access : std::uint8_t { kUpdate, kLookup, kDelete };
  static constexpr std::size_t kAccesses = 3;
  static constexpr std::size_t kAccessesByKey = 2;  // a key is deleted once
  struct Key {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;      // of its last insert, from 1; 0: never inserted
    std::uint64_t last_write = 0;  // number of the operation, from 1; 0: not written
    std::array<std::array<std::uint32_t, 2>, kAccessesByKey> accesses{};
    std::uint64_t born = 0;  // the first insert, as a number of the operation
    std::uint64_t died = 0;  // the last delete; 0: it is alive or was never inserted
    bool is_used = false;
    bool is_alive = false;
  };

  void add_key(const Operation& operation);
  void add_put(Key& key, std::uint64_t id);
  void add_delete(Key& key);
  void insert(Key& key, std::uint64_t id);
  void count_access(Access kind, Key& key);
  void note_write(Key& key);
  [[nodiscard]] Key& slot_of(std::uint64_t hash);
  void rebuild(std::size_t slots);
  void number_again();
  [[nodiscard]] std::uint64_t scaled(std::uint64_t count) const { return count << halvings_; }
  [[nodiscard]] const AccessCounts& counts_of(Access kind) const {
    return counts_[static_cast<std::size_t>(kind)];
  }
  struct Chosen {
    AccessKeys keys;
    bool is_by_key = false;
  };
  /// `actions`: those of all phases.
  [[nodiscard]] Chosen access_keys(Access kind, const ActionCounts& actions) const;
  [[nodiscard]] PopularityFit by_key(Access kind, std::uint64_t keys, std::uint64_t actions) const;
  [[nodiscard]] double sampled_accesses(std::uint64_t actions, double counted) const;
  [[nodiscard]] InsertKeys insert_keys() const;
  [[nodiscard]] Phase phase_of(const ActionCounts& actions, const Phase& common,
                               std::uint64_t keys) const;

  const std::size_t sampled_keys_max_;
  unsigned halvings_ = 0;
  std::vector<Key> sample_;  // linear probing, at most half full
  std::size_t sampled_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t scans_by_key_ = 0;  // they have no limit of entries
  OperationMix mix_;
  // Of sampled keys.
  LiveKeys live_;
  std::uint64_t next_number_ = 0;
  std::uint64_t inserts_again_ = 0;  // of keys that were deleted
  std::uint64_t deletes_absent_ = 0;
  std::array<AccessCounts, kAccesses> counts_;
  std::array<AccessTimes, kAccessesByKey> times_;
  std::uint64_t writes_ = 0;   // of all keys
  std::uint64_t written_ = 0;  // keys
  FineCounts distances_;
  std::optional<std::uint64_t> last_inserted_;  // key id
  std::uint64_t id_least_ = ~std::uint64_t{0};
  std::uint64_t id_most_ = 0;
  std::uint64_t rises_ = 0;
  std::uint64_t falls_ = 0;
  double fall_sum_ = 0;
  SizeCounts key_bytes_;
  SizeCounts value_bytes_;
  SizeCounts scan_entries_;
};

}  // namespace lsmlab
