#include "models/policies/primitives/file_choice.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The rank of a file to which a criterion does not apply.
constexpr std::uint64_t kUnnamed = std::numeric_limits<std::uint64_t>::max();

bool has_tombstone(const File& file) {
  return file.tombstones > Entries(0) && file.oldest_tombstone.has_value();
}

// Overlapped bytes per byte of the file. If bytes alone counted, the small residual files of merges
// would go first, and each would rewrite a whole file below.
FileRank overlap_rank(const File& file, const Overlap& overlap) {
  return {overlap.bytes, std::max<std::uint64_t>(file.bytes.value(), 1)};
}

// The first of the files begin..end-1 that may be taken, in turn from `start`, and whether there is
// another one. Nothing if there is none.
template <class FileAt, class MayTake>
std::optional<std::pair<std::size_t, bool>> first_in_turn(std::size_t begin, std::size_t start,
                                                          std::size_t end, const FileAt& file_at,
                                                          const MayTake& may_take) {
  std::optional<std::size_t> first;
  for (std::size_t n = 0; n < end - begin; ++n) {
    const std::size_t at = begin + (start - begin + n) % (end - begin);
    if (!may_take(file_at(at))) continue;
    if (first) return std::pair(*first, true);
    first = at;
  }
  if (!first) return std::nullopt;
  return std::pair(*first, false);
}

}  // namespace

FileChooser::FileChooser(const Primitives& primitives) : primitives_(primitives) {
  for (const Movement movement : primitives.movements) {
    if (movement == Movement::kRoundRobin) break;  // it leaves one file
    if (movement == Movement::kNone) continue;
    criteria_.push_back(movement);
    has_expiry_ = has_expiry_ || movement == Movement::kExpiredTtl;
  }
  std::size_t count = 0;
  const auto plan = [&](Places& places) {
    places.plain = count++;
    if (has_expiry_) places.expiring = count++;
  };
  if (primitives.is_partial() && !criteria_.empty()) plan(all_);
  if (primitives.has(Trigger::kTombstoneDensity)) plan(dense_);
  if (primitives.has(Trigger::kStaleness)) level_time_ = count++;
  if (primitives.has(Trigger::kTombstoneTtl)) tombstone_time_ = count++;
}

FileRank FileChooser::rank_of(Movement movement, const File& file) const {
  switch (movement) {
    case Movement::kLeastOverlapParent:
      return overlap_rank(file, file.overlaps[0]);
    case Movement::kLeastOverlapGrandparent:
      return overlap_rank(file, file.overlaps[1]);
    case Movement::kColdest:
      return {file.last_access.value()};
    case Movement::kOldest:
      return {file.sequences.first};
    case Movement::kMostTombstones:
      return {primitives_.is_dense(file) ? ~file.tombstones.value() : kUnnamed};
    case Movement::kExpiredTtl:
      return {has_tombstone(file) ? file.oldest_tombstone->value() : kUnnamed};
    case Movement::kRoundRobin:
    case Movement::kNone:
      break;
  }
  return {};
}

FileRanks FileChooser::ranks_of(const File& file, bool is_expiring) const {
  FileRanks ranks;
  CHECK(criteria_.size() <= ranks.size());
  std::size_t count = 0;
  for (const Movement movement : criteria_) {
    if (movement == Movement::kExpiredTtl && !is_expiring) continue;
    ranks[count++] = rank_of(movement, file);
  }
  return ranks;
}

bool FileChooser::is_expired(const TreeView& tree, std::uint32_t level, const File& file) const {
  return primitives_.delete_persistence->is_expired(file, tree.now(), level,
                                                    deepest_level(tree).value_or(0));
}

FileOrdering FileChooser::by_movements(FileSet set, bool is_expiring) const {
  FileOrdering ordering;
  ordering.name = set == FileSet::kAll ? "data movement" : "data movement of dense files";
  if (is_expiring) ordering.name += ", expired first";
  ordering.ranks = [this, set, is_expiring](const File& file) -> std::optional<FileRanks> {
    if (set == FileSet::kDense && !primitives_.is_dense(file)) return std::nullopt;
    return ranks_of(file, is_expiring);
  };
  for (const Movement movement : criteria_) {
    if (movement == Movement::kColdest) ordering.by_access = true;
    if (movement == Movement::kOldest) ordering.by_age = true;
    const std::uint32_t below = movement == Movement::kLeastOverlapParent        ? 1
                                : movement == Movement::kLeastOverlapGrandparent ? 2
                                                                                 : 0;
    ordering.levels_below = std::max(ordering.levels_below, below);
  }
  return ordering;
}

std::vector<FileOrdering> FileChooser::orderings() const {
  std::vector<FileOrdering> orderings;
  for (const FileSet set : {FileSet::kAll, FileSet::kDense}) {
    if (places(set).plain) orderings.push_back(by_movements(set, false));
    if (places(set).expiring) orderings.push_back(by_movements(set, true));
  }
  const auto by_arrival = [](const File& file) {
    return FileRanks{FileRank{file.level_since.value()}};
  };
  const auto by_tombstone = [](const File& file) -> std::optional<FileRanks> {
    if (!has_tombstone(file)) return std::nullopt;
    return FileRanks{FileRank{file.oldest_tombstone->value()}};
  };
  if (level_time_) orderings.push_back({"longest in its level", by_arrival});
  if (tombstone_time_) orderings.push_back({"oldest tombstone", by_tombstone});
  return orderings;
}

const FileOrder& FileChooser::by_level_time(const TreeView& tree, std::uint32_t level) const {
  CHECK(level_time_);
  return tree.order(*level_time_, level);
}

const FileOrder& FileChooser::by_tombstone_time(const TreeView& tree, std::uint32_t level) const {
  CHECK(tombstone_time_);
  return tree.order(*tombstone_time_, level);
}

const FileOrder& FileChooser::dense_files(const TreeView& tree, std::uint32_t level) const {
  CHECK(dense_.plain);
  return tree.order(*dense_.plain, level);
}

// The files of one merge often tie. If the smallest key decided, files would always leave at the
// same end of the key space. Files that later fall into that sparse end would overlap more and
// more of the next level. So ties rotate, too.
FileChoice FileChooser::settle(std::size_t index, bool has_rivals) const {
  const bool is_rotation =
      !primitives_.movements.empty() && primitives_.movements.front() == Movement::kRoundRobin;
  return {index, has_rivals || is_rotation};
}

std::optional<FileChoice> FileChooser::choose(const TreeView& tree, std::uint32_t level,
                                              FileSet set, const MayTake& may_take) const {
  const SortedRun& run = *newest_run(tree, level);
  const std::optional<std::uint64_t> cursor = tree.levels()[level].cursor;
  if (!places(set).plain) {
    const std::size_t start = cursor ? run.files.first_above(*cursor) : 0;
    const auto chosen = first_in_turn(
        0, start, run.files.size(), [&](std::size_t i) -> const File& { return run.files[i]; },
        may_take);
    if (!chosen) return std::nullopt;
    return settle(chosen->first, chosen->second);
  }
  const auto file_at = [&](const FileOrder& order, std::size_t i) -> const File& {
    return run.files[run.files.first_from(order[i].smallest_key)];
  };
  const auto first_of = [&](const FileOrder& order) {
    std::size_t first = 0;
    while (first < order.size() && !may_take(file_at(order, first))) ++first;
    return first;
  };
  const FileOrder* order = &tree.order(*places(set).plain, level);
  if (places(set).expiring) {
    const FileOrder& expiring = tree.order(*places(set).expiring, level);
    const std::size_t first = first_of(expiring);
    if (first == expiring.size()) return std::nullopt;
    if (is_expired(tree, level, file_at(expiring, first))) order = &expiring;
  }
  const std::size_t first = first_of(*order);
  if (first == order->size()) return std::nullopt;
  const PackedRanks& best = (*order)[first].ranks;
  const auto rank_begin =
      order->partition_point([&](const OrderedFile& file) { return file.ranks < best; });
  const auto rank_end =
      order->partition_point([&](const OrderedFile& file) { return file.ranks <= best; });
  std::size_t start = rank_begin;
  if (cursor) {
    const OrderedFile at_cursor{best, *cursor, FileId()};
    start = order->partition_point([&](const OrderedFile& file) { return file <= at_cursor; });
  }
  const auto chosen = first_in_turn(
      rank_begin, start, rank_end, [&](std::size_t i) -> const File& { return file_at(*order, i); },
      may_take);
  CHECK(chosen);
  return settle(run.files.first_from((*order)[chosen->first].smallest_key), chosen->second);
}

std::optional<FileChoice> FileChooser::choose_among(const TreeView& tree, std::uint32_t level,
                                                    const std::vector<std::size_t>& files,
                                                    const MayTake& may_take) const {
  const SortedRun& run = *newest_run(tree, level);
  std::vector<std::size_t> free;
  for (const std::size_t i : files) {
    if (may_take(run.files[i])) free.push_back(i);
  }
  if (free.empty()) return std::nullopt;
  const auto best_of = [&](bool is_expiring) {
    return std::min_element(free.begin(), free.end(), [&](std::size_t a, std::size_t b) {
      return ranks_of(run.files[a], is_expiring) < ranks_of(run.files[b], is_expiring);
    });
  };
  bool is_expiring = has_expiry_;
  if (is_expiring) is_expiring = is_expired(tree, level, run.files[*best_of(true)]);
  const FileRanks best = ranks_of(run.files[*best_of(is_expiring)], is_expiring);
  std::erase_if(free, [&](std::size_t i) { return ranks_of(run.files[i], is_expiring) != best; });
  const std::optional<std::uint64_t> cursor = tree.levels()[level].cursor;
  std::sort(free.begin(), free.end());
  const auto next = std::find_if(free.begin(), free.end(), [&](std::size_t i) {
    return !cursor || run.files[i].keys.smallest > *cursor;
  });
  return settle(next == free.end() ? free.front() : *next, free.size() > 1);
}

}  // namespace lsmlab
