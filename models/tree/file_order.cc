#include "models/tree/file_order.h"

#include <algorithm>
#include <utility>

namespace lsmlab {

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
  static const FileOrder kNone;
  CHECK(index < count());
  return level < orders_[index].size() ? orders_[index][level] : kNone;
}

FileOrder& FileOrders::order(std::size_t index, std::uint32_t level) {
  std::vector<FileOrder>& levels = orders_[index];
  if (levels.size() <= level) levels.resize(level + std::size_t{1});
  return levels[level];
}

std::vector<std::optional<FileRanks>> FileOrders::ranks_of(const File& file) const {
  std::vector<std::optional<FileRanks>> all;
  for (std::size_t i = 0; i < count(); ++i) all.push_back(ordering(i).ranks(file));
  return all;
}

void FileOrders::insert(std::size_t index, std::uint32_t level, const OrderedFile& file) {
  FileOrder& files = order(index, level);
  files.insert(files.partition_point([&](const OrderedFile& other) { return other < file; }), file);
}

void FileOrders::erase(std::size_t index, std::uint32_t level, const OrderedFile& file) {
  FileOrder& files = order(index, level);
  const std::size_t at =
      files.partition_point([&](const OrderedFile& other) { return other < file; });
  CHECK(at < files.size() && files[at].id == file.id);
  files.erase(at);
}

void FileOrders::add(std::uint32_t level, const File& file) {
  for (std::size_t i = 0; i < count(); ++i) {
    const std::optional<FileRanks> own = ordering(i).ranks(file);
    if (own) insert(i, level, {*own, file.keys.smallest, file.id});
  }
}

void FileOrders::remove(std::uint32_t level, const File& file) {
  for (std::size_t i = 0; i < count(); ++i) {
    const std::optional<FileRanks> own = ordering(i).ranks(file);
    if (own) erase(i, level, {*own, file.keys.smallest, file.id});
  }
}

void FileOrders::move(std::uint32_t level, const File& file,
                      const std::vector<std::optional<FileRanks>>& before) {
  for (std::size_t i = 0; i < count(); ++i) {
    const std::optional<FileRanks> after = ordering(i).ranks(file);
    if (before[i] == after) continue;
    if (before[i]) erase(i, level, {*before[i], file.keys.smallest, file.id});
    if (after) insert(i, level, {*after, file.keys.smallest, file.id});
  }
}

}  // namespace lsmlab
