#include "models/accounting/live_bytes.h"

namespace lsmlab {

void LiveBytes::put_sampled(std::uint64_t key, std::uint64_t bytes, std::uint64_t sequence) {
  Newest& newest = newest_[key];
  sampled_bytes_ += bytes;
  sampled_bytes_ -= newest.bytes;
  newest = {bytes, sequence};
  while (newest_.size() > kKeysMax) halve();
}

void LiveBytes::remove_sampled(std::uint64_t key) {
  const auto found = newest_.find(key);
  if (found == newest_.end()) return;
  sampled_bytes_ -= found->second.bytes;
  newest_.erase(found);
}

void LiveBytes::drop(const SequenceSpan& sequences, const KeyRange& keys) {
  std::erase_if(newest_, [&](const auto& one) {
    const auto& [key, newest] = one;
    const bool is_gone = sequences.first <= newest.sequence && newest.sequence <= sequences.last &&
                         keys.smallest <= key && key <= keys.largest;
    if (is_gone) sampled_bytes_ -= newest.bytes;
    return is_gone;
  });
}

void LiveBytes::halve() {
  mask_ = mask_ << 1 | 1;
  ++shift_;
  std::erase_if(newest_, [&](const auto& one) {
    if (is_sampled(one.first)) return false;
    sampled_bytes_ -= one.second.bytes;
    return true;
  });
}

}  // namespace lsmlab
