#include "models/tree/kept_ranges.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

void KeptRangesBuilder::add_block(const KeyRange& keys, std::uint64_t stored_bytes) {
  CHECK(ranges_.empty() || ranges_.back().largest <= keys.smallest);
  if (open_bytes_ == 0) {
    ranges_.push_back(keys);
  } else {
    ranges_.back().largest = keys.largest;
  }
  open_bytes_ += stored_bytes;
  if (open_bytes_ >= range_bytes_) open_bytes_ = 0;
}

std::shared_ptr<const KeptRanges> KeptRangesBuilder::finish() {
  ranges_.shrink_to_fit();
  return std::make_shared<const KeptRanges>(std::move(ranges_));
}

KeptRangeAnswer find_kept_range(const KeptRanges& ranges, std::uint64_t key, std::uint64_t end) {
  const auto range =
      std::lower_bound(ranges.begin(), ranges.end(), key,
                       [](const KeyRange& r, std::uint64_t sought) { return r.largest < sought; });
  if (range == ranges.end()) return {false, end};
  if (range->smallest <= key) return {true, range->largest};
  return {false, range->smallest - 1};
}

}  // namespace lsmlab
