// Key ranges that are kept in memory for a file: each covers some of its data, so that keys between
// two of them are known to be absent without reading the file (the delete-aware thesis, Section
// 3.1.2).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/units.h"
#include "models/tree/plan.h"

namespace lsmlab {

/// By key; two ranges share at most the key where one ends and the next begins.
using KeptRanges = std::vector<KeyRange>;

/// Memory of one kept range.
inline constexpr Bytes kKeptRangeBytes{sizeof(KeyRange)};

/// Joins the ranges of neighbouring data blocks until they cover enough data.
class KeptRangesBuilder {
 public:
  /// `range_bytes`: stored bytes of data blocks at which a range ends.
  explicit KeptRangesBuilder(Bytes range_bytes) : range_bytes_(range_bytes.value()) {}

  /// Adds a data block: its first and last key and its stored bytes. REQUIRES: blocks come by key.
  void add_block(const KeyRange& keys, std::uint64_t stored_bytes);
  [[nodiscard]] std::shared_ptr<const KeptRanges> finish();

 private:
  std::uint64_t range_bytes_;
  std::uint64_t open_bytes_ = 0;  // of the last range; 0: the next block begins one
  KeptRanges ranges_;
};

/// Whether a key lies in one of the ranges, and up to which key the answer stays the same.
struct KeptRangeAnswer {
  bool holds = false;
  std::uint64_t until = 0;
};
/// O(log ranges). `end`: the largest key that is asked for, for an answer behind the last range.
[[nodiscard]] KeptRangeAnswer find_kept_range(const KeptRanges& ranges, std::uint64_t key,
                                              std::uint64_t end);

}  // namespace lsmlab
