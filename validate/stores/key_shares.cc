#include "validate/stores/key_shares.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

KeyShares::KeyShares(const std::vector<const std::string*>& keys, const std::vector<Part>& parts,
                     bool falls)
    : falls_(falls) {
  double total = 0;
  for (const Part& part : parts) total += part.entries;
  CHECK(total > 0);
  double below = 0;
  for (const Part& part : parts) {
    const double end = &part == &parts.back() ? 1 : (below + part.entries) / total;
    files_.push_back({part.file, below / total, end});
    below += part.entries;
  }
  for (const std::string* key : keys) {
    if (digits_.size() < key->size()) digits_.resize(key->size());
    for (std::size_t i = 0; i < key->size(); ++i) {
      const auto byte = static_cast<unsigned char>((*key)[i]);
      digits_[i].least = std::min(digits_[i].least, byte);
      digits_[i].most = std::max(digits_[i].most, byte);
    }
  }
}

double KeyShares::number_of(const std::string& key, std::size_t from) const {
  constexpr std::size_t kPlacesMax = 16;  // more than a double can tell apart
  double number = 0;
  double weight = 1;
  for (std::size_t i = from; i < std::min(digits_.size(), from + kPlacesMax); ++i) {
    weight /= digits_[i].most - digits_[i].least + 1;
    if (i >= key.size()) continue;
    const auto byte =
        std::clamp(static_cast<unsigned char>(key[i]), digits_[i].least, digits_[i].most);
    number += weight * (byte - digits_[i].least);
  }
  return number;
}

double KeyShares::inner(const std::string& key, const stores::StoreFile& file) const {
  const std::string& first = file.smallest_key;
  const std::string& last = file.largest_key;
  const auto place = static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
  const double width = number_of(last, place) - number_of(first, place);
  if (width == 0) return 0;
  return std::clamp((number_of(key, place) - number_of(first, place)) / width, 0.0, 1.0);
}

double KeyShares::below(const std::string& key) const {
  const auto at = std::partition_point(files_.begin(), files_.end(), [&](const Placed& placed) {
    return is_before(placed.file->largest_key, key);
  });
  if (at == files_.end()) return 1;
  if (!is_before(at->file->smallest_key, key)) return at->begin;
  return at->begin + inner(key, *at->file) * (at->end - at->begin);
}

double KeyShares::up_to(const std::string& key) const {
  const auto at = std::partition_point(files_.begin(), files_.end(), [&](const Placed& placed) {
    return is_before(placed.file->largest_key, key);
  });
  const bool ends_file = at != files_.end() && at->file->largest_key == key;
  return ends_file ? at->end : below(key);
}

}  // namespace lsmlab
