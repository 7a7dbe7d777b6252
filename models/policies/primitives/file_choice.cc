#include "models/policies/primitives/file_choice.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The lowest rank is best; nothing if the criterion does not apply to the file.
using Rank = std::optional<std::uint64_t>;

class Chooser {
 public:
  Chooser(const Primitives& primitives, const TreeView& tree, std::uint32_t level)
      : primitives_(primitives),
        tree_(tree),
        level_(level),
        deepest_(deepest_level(tree).value_or(0)),
        run_(*newest_run(tree, level)) {}

  // The ranks of all files of the run.
  [[nodiscard]] std::vector<Rank> ranks(Movement movement) const {
    switch (movement) {
      case Movement::kRoundRobin:
        return rotation();
      case Movement::kLeastOverlapParent:
        return overlaps(level_ + 1);
      case Movement::kLeastOverlapGrandparent:
        return overlaps(level_ + 2);
      case Movement::kColdest:
      case Movement::kOldest:
      case Movement::kMostTombstones:
      case Movement::kExpiredTtl:
      case Movement::kNone:
        break;
    }
    std::vector<Rank> ranks;
    for (const File& file : run_.files) ranks.push_back(rank_of(movement, file));
    return ranks;
  }

 private:
  [[nodiscard]] std::vector<Rank> rotation() const {
    const std::size_t count = run_.files.size();
    const std::optional<std::uint64_t> cursor = tree_.levels()[level_].cursor;
    std::size_t next = 0;
    while (cursor && next < count && run_.files[next].keys.smallest <= *cursor) ++next;
    std::vector<Rank> ranks;
    for (std::size_t i = 0; i < count; ++i) {
      ranks.emplace_back(i >= next ? i - next : i + count - next);
    }
    return ranks;
  }

  // Overlapped bytes per byte of the file. If bytes alone counted, the small residual files of
  // merges would go first, and each would rewrite a whole file below.
  [[nodiscard]] std::vector<Rank> overlaps(std::uint32_t below) const {
    const std::vector<Bytes> overlapped = overlap_bytes(run_, newest_run(tree_, below));
    const auto is_less = [&](std::size_t a, std::size_t b) {
      return Uint128{overlapped[a].value()} * run_.files[b].bytes.value() <
             Uint128{overlapped[b].value()} * run_.files[a].bytes.value();
    };
    std::vector<std::size_t> order(overlapped.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), is_less);
    std::vector<Rank> ranks(overlapped.size());
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && is_less(order[i - 1], order[i])) ++rank;
      ranks[order[i]] = rank;
    }
    return ranks;
  }

  [[nodiscard]] Rank rank_of(Movement movement, const File& file) const {
    switch (movement) {
      case Movement::kColdest:
        return file.last_access.value();
      case Movement::kOldest:
        return file.sequences.first;
      case Movement::kMostTombstones:
        if (!primitives_.is_dense(file)) return std::nullopt;
        return ~file.tombstones.value();
      case Movement::kExpiredTtl:
        if (!primitives_.delete_persistence->is_expired(file, tree_.now(), level_, deepest_)) {
          return std::nullopt;
        }
        return file.oldest_tombstone->value();
      case Movement::kRoundRobin:
      case Movement::kLeastOverlapParent:
      case Movement::kLeastOverlapGrandparent:
      case Movement::kNone:
        break;
    }
    return std::nullopt;
  }

  const Primitives& primitives_;
  const TreeView& tree_;
  std::uint32_t level_;
  std::uint32_t deepest_;
  const SortedRun& run_;
};

// Keeps the candidates of the lowest rank; keeps all of them if none has a rank.
void keep_best(std::vector<std::size_t>& candidates, const std::vector<Rank>& ranks) {
  Rank best;
  for (const std::size_t index : candidates) {
    if (ranks[index] && (!best || *ranks[index] < *best)) best = ranks[index];
  }
  if (!best) return;
  std::erase_if(candidates, [&](std::size_t index) { return ranks[index] != best; });
}

}  // namespace

FileChoice choose_file(const Primitives& primitives, const TreeView& tree, std::uint32_t level,
                       std::vector<std::size_t> candidates) {
  CHECK(!candidates.empty());
  const Chooser chooser(primitives, tree, level);
  bool moves_cursor = false;
  for (std::size_t i = 0; i < primitives.movements.size(); ++i) {
    if (i > 0 && candidates.size() == 1) break;
    moves_cursor = primitives.movements[i] == Movement::kRoundRobin;
    keep_best(candidates, chooser.ranks(primitives.movements[i]));
  }
  // The files of one merge often tie. If the smallest key decided, files would always leave at the
  // same end of the key space. Files that later fall into that sparse end would overlap more and
  // more of the next level.
  if (candidates.size() > 1) {
    moves_cursor = true;
    keep_best(candidates, chooser.ranks(Movement::kRoundRobin));
  }
  return {candidates.front(), moves_cursor};
}

}  // namespace lsmlab
