#include "models/tree/file_order.h"

#include <algorithm>
#include <utility>

namespace lsmlab {
namespace {

Uint128 packed(const FileRank& rank) {
  const Uint128 scaled = Uint128{rank.number} << 64;
  return rank.divisor == 1 ? scaled : scaled / rank.divisor;
}

}  // namespace

PackedRanks::PackedRanks(const FileRanks& ranks) : first_(packed(ranks[0])) {
  const bool has_more = std::any_of(ranks.begin() + 1, ranks.end(),
                                    [](const FileRank& rank) { return rank.number > 0; });
  if (!has_more) return;
  More more;
  std::transform(ranks.begin() + 1, ranks.end(), more.begin(), packed);
  more_ = std::make_shared<const More>(more);
}

std::strong_ordering PackedRanks::compare_more(const PackedRanks& a, const PackedRanks& b) {
  static const More kNone{};
  return (a.more_ ? *a.more_ : kNone) <=> (b.more_ ? *b.more_ : kNone);
}

FileOrders::FileOrders(std::vector<FileOrdering> orderings) : orders_(orderings.size()) {
  for (const FileOrdering& ordering : orderings) {
    levels_below_ = std::max(levels_below_, ordering.levels_below);
    by_access_ = by_access_ || ordering.by_access;
    by_seeks_ = by_seeks_ || ordering.by_seeks;
  }
  orderings_ = std::make_shared<const std::vector<FileOrdering>>(std::move(orderings));
}

const FileOrdering& FileOrders::ordering(std::size_t index) const {
  CHECK(index < count());
  return (*orderings_)[index];
}

const FileOrder& FileOrders::of(std::size_t index, std::uint32_t level) const {
  CHECK(index < count() && is_kept(index, level));
  return *orders_[index][level];
}

void FileOrders::keep(std::size_t index, std::uint32_t level,
                      const std::vector<const File*>& files) {
  CHECK(index < count() && !is_kept(index, level));
  std::vector<OrderedFile> ordered;
  for (const File* file : files) {
    const std::optional<PackedRanks> ranks = ranks_of(index, *file);
    if (ranks) ordered.push_back({*ranks, file->keys.smallest, file->id});
  }
  std::sort(ordered.begin(), ordered.end());
  std::deque<std::optional<FileOrder>>& levels = orders_[index];
  if (levels.size() <= level) levels.resize(level + std::size_t{1});
  FileOrder& order = levels[level].emplace();
  for (OrderedFile& file : ordered) order.insert(order.size(), std::move(file));
}

std::optional<PackedRanks> FileOrders::ranks_of(std::size_t index, const File& file) const {
  const std::optional<FileRanks> ranks = ordering(index).ranks(file);
  return ranks ? std::optional(PackedRanks(*ranks)) : std::nullopt;
}

void FileOrders::insert(std::size_t index, std::uint32_t level, const OrderedFile& file) {
  FileOrder& files = *orders_[index][level];
  files.insert(files.partition_point([&](const OrderedFile& other) { return other < file; }), file);
}

void FileOrders::erase(std::size_t index, std::uint32_t level, const OrderedFile& file) {
  FileOrder& files = *orders_[index][level];
  const std::size_t at =
      files.partition_point([&](const OrderedFile& other) { return other < file; });
  CHECK(at < files.size() && files[at].id == file.id);
  files.erase(at);
}

void FileOrders::add(std::uint32_t level, const File& file) {
  for (std::size_t i = 0; i < count(); ++i) {
    if (!is_kept(i, level)) continue;
    const std::optional<PackedRanks> own = ranks_of(i, file);
    if (own) insert(i, level, {*own, file.keys.smallest, file.id});
  }
}

void FileOrders::remove(std::uint32_t level, const File& file) {
  for (std::size_t i = 0; i < count(); ++i) {
    if (!is_kept(i, level)) continue;
    const std::optional<PackedRanks> own = ranks_of(i, file);
    if (own) erase(i, level, {*own, file.keys.smallest, file.id});
  }
}

void FileOrders::move(std::uint32_t level, const File& before, const File& file) {
  for (std::size_t i = 0; i < count(); ++i) {
    if (!is_kept(i, level)) continue;
    const std::optional<PackedRanks> old = ranks_of(i, before);
    const std::optional<PackedRanks> now = ranks_of(i, file);
    if (old == now) continue;
    if (old) erase(i, level, {*old, file.keys.smallest, file.id});
    if (now) insert(i, level, {*now, file.keys.smallest, file.id});
  }
}

}  // namespace lsmlab
