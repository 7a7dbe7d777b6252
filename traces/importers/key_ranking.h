// Order-preserving 64-bit ids for keys that are strings, in bounded memory, by two external sorts:
// occurrences by key give each key its rank; ranks by occurrence bring the ids back into the order
// in which the keys were named. Sorting follows Knuth, TAOCP 3, 5.4: sorted runs as large as memory
// allows go to files, and are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/io/byte_file.h"
#include "traces/io/stop_flag.h"
#include "traces/io/temporary_file.h"

namespace lsmlab {

inline constexpr std::size_t kSortMemoryBytesMin = std::size_t{256} << 10;
/// Longer keys are refused: an operation's key size has 16 bits.
inline constexpr std::size_t kSortKeyBytesMax = 0xffff;

/// Sorts (key, number) pairs: by the key's bytes as unsigned numbers, then by the number.
/// Order of use: add() any number of times, sort() once, next() to the end. One thread.
class ExternalSort {
 public:
  struct Entry {
    std::string_view key;  // until the next call
    std::uint64_t number = 0;
  };

  /// Runs go to a temporary file in `directory` (empty: the system's). A set flag ends what takes
  /// long. REQUIRES: memory_bytes_max >= kSortMemoryBytesMin.
  ExternalSort(std::string directory, std::size_t memory_bytes_max, StopFlag stop = nullptr);
  ExternalSort(const ExternalSort&) = delete;
  ExternalSort& operator=(const ExternalSort&) = delete;
  ~ExternalSort();

  /// REQUIRES: the key has at most kSortKeyBytesMax bytes.
  [[nodiscard]] Result<void> add(std::string_view key, std::uint64_t number);
  [[nodiscard]] Result<void> sort();
  /// The next entry in order, none at the end.
  [[nodiscard]] Result<std::optional<Entry>> next();
  /// Sorted runs that were too many for memory, those made of others included.
  [[nodiscard]] std::size_t runs_made() const { return runs_made_; }

 private:
  // A run's place in the temporary file.
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Slot {
    std::uint64_t prefix;  // the key's first 8 bytes, big endian: settles most comparisons
    std::uint64_t number;
    std::uint32_t offset;  // into text_
    std::uint32_t bytes;
  };
  class Run;
  class Merge;

  [[nodiscard]] std::string_view key_of(const Slot& slot) const;
  void sort_slots();
  Result<void> spill();
  Result<void> merge_runs(std::size_t count);
  Result<void> begin_run();
  Result<void> end_run();

  std::string directory_;
  std::size_t memory_bytes_max_;
  StopFlag stop_;
  std::string text_;  // the keys of slots_
  std::vector<Slot> slots_;
  std::shared_ptr<TemporaryFile> file_;  // once there is a run
  std::unique_ptr<ByteWriter> writer_;   // at its end
  std::vector<Extent> runs_;             // in the order in which they are to be merged
  std::size_t runs_made_ = 0;
  std::size_t next_slot_ = 0;     // if nothing was spilled
  std::unique_ptr<Merge> merge_;  // otherwise
};

/// What a key is named for.
enum class KeyRole : std::uint8_t {
  kKey,    // an operation is on it
  kBound,  // it only limits a scan: it takes a place in the order, but is no key
};

/// Order of use: add() every key in the order of the operations, rank() once, next() for every add.
class KeyRanking {
 public:
  /// REQUIRES: memory_bytes_max >= 2 * kSortMemoryBytesMin, which bounds all that it takes.
  KeyRanking(const std::string& directory, std::size_t memory_bytes_max, StopFlag stop = nullptr);

  [[nodiscard]] Result<void> add(std::string_view key, KeyRole role);
  [[nodiscard]] Result<void> rank();
  /// The id of the next occurrence: equal for equal keys, ordered as the keys, spread evenly over
  /// all 64-bit numbers, at least 2 apart. REQUIRES: fewer calls than of add() so far.
  [[nodiscard]] Result<std::uint64_t> next();
  /// After rank().
  [[nodiscard]] std::uint64_t distinct_keys() const { return distinct_keys_; }

 private:
  StopFlag stop_;
  ExternalSort by_key_;
  ExternalSort by_occurrence_;
  std::uint64_t occurrences_ = 0;
  std::uint64_t ranks_ = 0;  // of keys and bounds
  std::uint64_t distinct_keys_ = 0;
};

}  // namespace lsmlab
