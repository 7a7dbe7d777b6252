#include "sim/ranges/older_sources.h"

#include <algorithm>
#include <utility>

namespace lsmlab {
namespace {

FixedCount updates_of(const ClassCounts& counts) {
  const FixedCount others = counts.oldest + counts.tombstones;
  return counts.entries > others ? counts.entries - others : 0;
}

}  // namespace

OlderSources::OlderSources(std::vector<std::vector<SourcePart>> lists) {
  std::size_t classes = 0;
  for (std::vector<SourcePart>& parts : lists) {
    sources_.push_back({SourceCursor(std::move(parts)), {}});
    classes = std::max(classes, sources_.back().cursor.total().size());
  }
  scratch_.resize(classes);
}

void OlderSources::take(Older& older, std::uint64_t end) {
  while (!older.cursor.is_done()) {
    const std::uint64_t until = std::min(end, older.cursor.next_boundary());
    const std::size_t classes = older.cursor.take_below(until, scratch_.data());
    if (older.taken.size() < classes) older.taken.resize(classes);
    for (std::size_t c = 0; c < classes; ++c) older.taken[c].add(scratch_[c]);
    if (until == end) return;
  }
}

void OlderSources::look_at(std::uint64_t begin, std::uint64_t end) {
  for (Older& older : sources_) {
    take(older, begin);
    older.taken.clear();
    take(older, end);
  }
}

FixedCount OlderSources::keys(std::size_t c) const {
  FixedCount oldest = 0;
  FixedCount deleted = 0;
  for (const Older& older : sources_) {
    if (c >= older.taken.size()) continue;
    oldest += older.taken[c].oldest;
    deleted += older.taken[c].tombstones;
  }
  return oldest > deleted ? oldest - deleted : 0;
}

std::uint64_t OlderSources::share_without_update(std::size_t c, FixedCount keys) const {
  std::uint64_t share = kWholeShare;
  for (const Older& older : sources_) {
    if (c >= older.taken.size()) continue;
    const FixedCount updates = std::min(updates_of(older.taken[c]), keys);
    share = part_of(share, kWholeShare - share_of(updates, keys));
  }
  return share;
}

}  // namespace lsmlab
