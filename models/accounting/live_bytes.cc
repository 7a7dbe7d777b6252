#include "models/accounting/live_bytes.h"

namespace lsmlab {

void LiveBytes::put_sampled(std::uint64_t key, std::uint64_t bytes) {
  std::uint64_t& size = sizes_[key];
  sampled_bytes_ += bytes;
  sampled_bytes_ -= size;
  size = bytes;
  while (sizes_.size() > kKeysMax) halve();
}

void LiveBytes::remove_sampled(std::uint64_t key) {
  const auto found = sizes_.find(key);
  if (found == sizes_.end()) return;
  sampled_bytes_ -= found->second;
  sizes_.erase(found);
}

void LiveBytes::halve() {
  mask_ = mask_ << 1 | 1;
  ++shift_;
  for (auto one = sizes_.begin(); one != sizes_.end();) {
    if (is_sampled(one->first)) {
      ++one;
      continue;
    }
    sampled_bytes_ -= one->second;
    one = sizes_.erase(one);
  }
}

}  // namespace lsmlab
