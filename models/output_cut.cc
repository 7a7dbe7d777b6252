#include "models/output_cut.h"

#include <limits>

#include "models/check.h"
#include "models/tree_query.h"

namespace lsmlab {

OutputCutter::OutputCutter(const TreeView& tree, const MergePlan& plan) : cut_(plan.cut) {
  if (cut_.grandparents == GrandparentRule::kIgnored) return;
  const SortedRun* run = newest_run(tree, plan.target.level + 1);
  if (run == nullptr) return;
  for (const File& file : run->files) grandparents_.push_back({file.keys, file.bytes.value()});
}

std::optional<std::uint64_t> OutputCutter::quiet_until() const {
  if (next_ >= grandparents_.size()) return std::nullopt;
  return has_seen_key_ ? grandparents_[next_].keys.largest : 0;
}

bool OutputCutter::ends_after(const SstableSize& file) const {
  if (!cut_.file_bytes) return false;
  const Bytes measured =
      cut_.measure == CutMeasure::kEntries ? file.entry_bytes() : file.stored_data_bytes();
  return measured >= *cut_.file_bytes;
}

std::uint64_t OutputCutter::entries_to_end(const SstableSize& file, std::uint64_t key_bytes,
                                           std::uint64_t value_bytes) const {
  if (!cut_.file_bytes) return std::numeric_limits<std::uint64_t>::max();
  if (cut_.measure == CutMeasure::kStoredBlocks) {
    return file.entries_to_block_end(key_bytes, value_bytes);
  }
  const std::uint64_t limit = cut_.file_bytes->value();
  const std::uint64_t present = file.entry_bytes().value();
  const std::uint64_t each = buffered_entry_bytes(key_bytes, value_bytes);
  return present >= limit ? 1 : (limit - present + each - 1) / each;
}

bool OutputCutter::ends_before(std::uint64_t key, const SstableSize& file) {
  static_cast<void>(file);
  return passes_overlap_limit(key);
}

bool OutputCutter::passes_overlap_limit(std::uint64_t key) {
  while (next_ < grandparents_.size() && key > grandparents_[next_].keys.largest) {
    if (has_seen_key_) overlapped_bytes_ += grandparents_[next_].bytes;
    ++next_;
  }
  has_seen_key_ = true;
  if (overlapped_bytes_ <= cut_.grandparent_bytes_max.value()) return false;
  overlapped_bytes_ = 0;
  return true;
}

}  // namespace lsmlab
