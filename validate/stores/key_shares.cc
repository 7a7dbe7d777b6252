#include "validate/stores/key_shares.h"

#include <algorithm>
#include <cmath>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// Pieces are counted in parts of a record, so that a file's pieces add up to its entries exactly.
constexpr std::uint64_t kParts = 1024;

std::uint64_t parts_of(double records) {
  return static_cast<std::uint64_t>(std::ceil(records * static_cast<double>(kParts)));
}

}  // namespace

KeyShares::KeyShares(const std::vector<const std::string*>& keys, const std::vector<Run>& runs,
                     double records, bool falls)
    : falls_(falls) {
  for (const std::string* key : keys) {
    if (digits_.size() < key->size()) digits_.resize(key->size());
    for (std::size_t i = 0; i < key->size(); ++i) {
      const auto byte = static_cast<unsigned char>((*key)[i]);
      digits_[i].least = std::min(digits_[i].least, byte);
      digits_[i].most = std::max(digits_[i].most, byte);
    }
  }
  take_bounds(runs);
  std::vector<std::uint64_t> most(bounds_.size());
  std::vector<std::uint64_t> all(bounds_.size());
  for (const Run& run : runs) {
    std::vector<std::uint64_t> pieces(bounds_.size());
    for (const Part& part : run) spread(part, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      most[i] = std::max(most[i], pieces[i]);
      all[i] += pieces[i];
    }
  }
  double least = 0;
  double total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    least += static_cast<double>(most[i]);
    total += static_cast<double>(all[i]);
  }
  CHECK(total > 0);
  // The same share of what further runs have in each piece is no older version.
  const double more = std::clamp(records * static_cast<double>(kParts), least, total) - least;
  const double share = total > least ? more / (total - least) : 0;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    before_.push_back(below / kParts);
    below +=
        most[i] + static_cast<std::uint64_t>(share * static_cast<double>(all[i] - most[i]) + 0.5);
  }
  records_ = std::max<std::uint64_t>(1, below / kParts);
}

bool KeyShares::is_before(const Bound& a, const Bound& b) const {
  const int order = a.key->compare(*b.key);
  if (order == 0) return !a.is_after && b.is_after;
  return (order < 0) != falls_;
}

KeyShares::Bound KeyShares::begin_of(const stores::StoreFile& file) {
  return {&file.smallest_key, false};
}

KeyShares::Bound KeyShares::end_of(const stores::StoreFile& file) {
  const bool lacks_key = file.largest_is_exclusive && file.largest_key != file.smallest_key;
  return {&file.largest_key, !lacks_key};
}

void KeyShares::take_bounds(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    for (const Part& part : run) {
      bounds_.push_back(begin_of(*part.file));
      bounds_.push_back(end_of(*part.file));
    }
  }
  const auto is_less = [&](const Bound& a, const Bound& b) { return is_before(a, b); };
  std::sort(bounds_.begin(), bounds_.end(), is_less);
  const auto same = [&](const Bound& a, const Bound& b) { return !is_before(a, b); };
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end(), same), bounds_.end());
}

std::size_t KeyShares::index_of(const Bound& bound) const {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), bound,
                                   [&](const Bound& a, const Bound& b) { return is_before(a, b); });
  CHECK(at != bounds_.end() && !is_before(bound, *at));
  return static_cast<std::size_t>(at - bounds_.begin());
}

void KeyShares::spread(const Part& part, std::vector<std::uint64_t>& pieces) const {
  const std::size_t begin = index_of(begin_of(*part.file));
  const std::size_t end = index_of(end_of(*part.file));
  if (begin >= end) return;
  const std::string& first = part.file->smallest_key;
  const std::string& last = part.file->largest_key;
  const auto digit = static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
  const double least = number_of(first, digit);
  const double width = number_of(last, digit) - least;
  double place = 0;  // how far a key lies between the ends of the file
  double left = part.entries;
  for (std::size_t i = begin; i + 1 < end; ++i) {
    const double number = width == 0 ? 0 : (number_of(*bounds_[i + 1].key, digit) - least) / width;
    const double next = std::clamp(number, place, 1.0);
    const double here = std::min(left, part.entries * (next - place));
    pieces[i] += parts_of(here);
    left -= here;
    place = next;
  }
  pieces[end - 1] += parts_of(left);
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

double KeyShares::share_at(const Bound& bound) const {
  const std::uint64_t wanted = before_[index_of(bound)];
  const auto all = static_cast<double>(records_);
  double share = static_cast<double>(wanted) / all;
  // A share of all records is rounded down again.
  while (static_cast<std::uint64_t>(share * all) < wanted) share = std::nextafter(share, 2.0);
  return share;
}

double KeyShares::before(const stores::StoreFile& file) const { return share_at(begin_of(file)); }

double KeyShares::up_to(const stores::StoreFile& file) const { return share_at(end_of(file)); }

}  // namespace lsmlab
