// One version of a key in the simulator. It takes 16 bytes, so that a hundred million entries fit
// in a laptop's memory. Sizes are in a table of their own, because a workload has few different
// ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/base/error.h"
#include "models/execution/store_observer.h"

namespace lsmlab {

/// Key and value size of an entry, and the bytes that it takes in a data block and in a memtable.
struct SizeClass {
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;
  std::uint64_t entry_bytes = 0;     // sstable_entry_bytes()
  std::uint64_t buffered_bytes = 0;  // buffered_entry_bytes()
};

struct Entry {
  std::uint64_t key;
  // From the highest bit down: sequence number, tombstone flag, size class. So the newer of two
  // versions of a key is the larger number.
  std::uint64_t version;

  static constexpr unsigned kClassBits = 24;
  static constexpr unsigned kSequenceShift = kClassBits + 1;
  static constexpr std::uint64_t kTombstoneBit = std::uint64_t{1} << kClassBits;

  [[nodiscard]] static Entry make(std::uint64_t key, std::uint64_t sequence, bool is_tombstone,
                                  std::uint32_t size_class) {
    return {key, sequence << kSequenceShift | (is_tombstone ? kTombstoneBit : 0) | size_class};
  }
  [[nodiscard]] std::uint64_t sequence() const { return version >> kSequenceShift; }
  [[nodiscard]] bool is_tombstone() const { return (version & kTombstoneBit) != 0; }
  [[nodiscard]] std::uint32_t size_class() const {
    return static_cast<std::uint32_t>(version & (kTombstoneBit - 1));
  }
};

/// The largest number of writes in one run, so that a sequence number fits its bits.
inline constexpr std::uint64_t kWritesMax = (std::uint64_t{1} << (64 - Entry::kSequenceShift)) - 1;

/// The pairs of sizes that occur, numbered in the order of their first occurrence.
class SizeClasses {
 public:
  /// The number of a pair of sizes. Errors: there are more than 2^24 different pairs.
  [[nodiscard]] Result<std::uint32_t> number_of(std::uint32_t key_bytes, std::uint32_t value_bytes);
  [[nodiscard]] const SizeClass& operator[](std::uint32_t number) const { return classes_[number]; }
  [[nodiscard]] std::size_t count() const { return classes_.size(); }

 private:
  std::vector<SizeClass> classes_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // only looked up, never iterated
  std::uint64_t last_pair_ = ~std::uint64_t{0};
  std::uint32_t last_number_ = 0;
};

[[nodiscard]] StoredEntry stored_entry(const Entry& entry, const SizeClasses& classes);

}  // namespace lsmlab
