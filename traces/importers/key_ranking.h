// Order-preserving 64-bit ids for string keys, in bounded memory, by two external sorts. The first
// sorts occurrences by key and gives each key its rank. The second sorts ranks by occurrence and so
// returns the ids in the order in which the keys occurred. Sorting follows Knuth, TAOCP 3, 5.4:
// sorted runs as large as memory allows are written to files and merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/recorded_keys.h"
#include "traces/io/byte_file.h"
#include "traces/io/stop_flag.h"
#include "traces/io/temporary_file.h"

namespace lsmlab {

inline constexpr std::size_t kSortMemoryBytesMin = std::size_t{256} << 10;
/// Longer keys are an error: an operation's key size has 16 bits.
inline constexpr std::size_t kSortKeyBytesMax = 0xffff;

/// Sorts (key, number) pairs by the key's bytes as unsigned numbers, then by the number. Order of
/// calls: add() any number of times, sort() once, next() to the end. One thread.
class ExternalSort {
 public:
  struct Entry {
    std::string_view key;  // valid until the next call
    std::uint64_t number = 0;
  };

  /// Writes runs to a temporary file in `directory` (empty: the system's). A set flag ends long
  /// work. REQUIRES: memory_bytes_max >= kSortMemoryBytesMin.
  ExternalSort(std::string directory, std::size_t memory_bytes_max, StopFlag stop = nullptr);
  ExternalSort(const ExternalSort&) = delete;
  ExternalSort& operator=(const ExternalSort&) = delete;
  ~ExternalSort();

  /// REQUIRES: the key has at most kSortKeyBytesMax bytes.
  [[nodiscard]] Result<void> add(std::string_view key, std::uint64_t number);
  [[nodiscard]] Result<void> sort();
  /// The next entry in order; nothing at the end.
  [[nodiscard]] Result<std::optional<Entry>> next();
  /// Number of sorted runs written to the file, including those that were merged from others.
  [[nodiscard]] std::size_t runs_made() const { return runs_made_; }

 private:
  // The position of a run in the temporary file.
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Slot {
    std::uint64_t prefix;  // the key's first 8 bytes, big endian: decides most comparisons
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
  std::shared_ptr<TemporaryFile> file_;  // exists once there is a run
  std::unique_ptr<ByteWriter> writer_;   // at the file's end
  std::vector<Extent> runs_;             // in the order in which they will be merged
  std::size_t runs_made_ = 0;
  std::size_t next_slot_ = 0;     // if no run was written
  std::unique_ptr<Merge> merge_;  // otherwise
};

/// Sums up how many leading bytes sorted keys share, in O(log keys) memory. Keys that are 2^i
/// places apart share the least of what the neighbours between them share; of these pairs those
/// count whose places are multiples of 2^i.
class SharedPrefixes {
 public:
  /// The next key shares so many bytes with the one before it.
  void add(std::uint64_t shared_bytes);
  /// RecordedKeys::shared_32nds. Empty after fewer than one call of add().
  [[nodiscard]] std::vector<std::uint32_t> means_32nds() const;

 private:
  struct Distance {
    std::uint64_t sum = 0;
    std::uint64_t pairs = 0;
    std::optional<std::uint64_t> open = {};  // a pair whose right neighbour is not there yet
  };
  std::vector<Distance> distances_;  // [i]: 2^i
};

/// The role in which an operation names a key.
enum class KeyRole : std::uint8_t {
  kKey,    // the operation acts on it
  kBound,  // it only limits a scan: it has a place in the order but does not count as a key
};

/// Order of calls: add() every key in the order of the operations, rank() once, next() for every
/// add().
class KeyRanking {
 public:
  /// REQUIRES: memory_bytes_max >= 2 * kSortMemoryBytesMin. It bounds all memory of the ranking.
  KeyRanking(const std::string& directory, std::size_t memory_bytes_max, StopFlag stop = nullptr);

  [[nodiscard]] Result<void> add(std::string_view key, KeyRole role);
  /// The first `order_bytes` of each key only order it: RecordedKeys do not count them.
  [[nodiscard]] Result<void> rank(std::uint64_t order_bytes = 0);
  /// The id of the next occurrence. Ids are equal for equal keys, have the order of the keys, are
  /// spread evenly over all 64-bit numbers, and are at least 2 apart. REQUIRES: fewer calls so far
  /// than calls of add().
  [[nodiscard]] Result<std::uint64_t> next();
  /// REQUIRES: rank() was called.
  [[nodiscard]] std::uint64_t distinct_keys() const { return distinct_keys_; }
  /// Of all keys and bounds. REQUIRES: rank() was called.
  [[nodiscard]] RecordedKeys recorded() const { return {ranks_, shared_.means_32nds()}; }

 private:
  StopFlag stop_;
  ExternalSort by_key_;
  ExternalSort by_occurrence_;
  std::uint64_t occurrences_ = 0;
  std::uint64_t ranks_ = 0;  // number of distinct keys and bounds
  std::uint64_t distinct_keys_ = 0;
  SharedPrefixes shared_;
};

}  // namespace lsmlab
