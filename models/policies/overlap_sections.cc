#include "models/policies/overlap_sections.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace lsmlab {
namespace {

// REQUIRES: the indexes rise in both.
bool share_file(const OverlapSection& a, const OverlapSection& b) {
  auto at = a.begin();
  for (const std::size_t index : b) {
    at = std::lower_bound(at, a.end(), index);
    if (at == a.end()) return false;
    if (*at == index) return true;
  }
  return false;
}

}  // namespace

std::vector<OverlapSection> overlap_sections(const std::vector<KeyRange>& files) {
  std::vector<std::size_t> by_begin(files.size());
  std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
  std::sort(by_begin.begin(), by_begin.end(), [&](std::size_t a, std::size_t b) {
    return std::pair{files[a].smallest, a} < std::pair{files[b].smallest, b};
  });
  std::vector<OverlapSection> sections;
  std::set<std::pair<std::uint64_t, std::size_t>> open;  // ends, with the indexes
  const auto close = [&] {
    OverlapSection section;
    for (const auto& [end, index] : open) section.push_back(index);
    std::sort(section.begin(), section.end());
    sections.push_back(std::move(section));
  };
  for (const std::size_t index : by_begin) {
    if (!open.empty() && open.begin()->first < files[index].smallest) {
      close();
      while (!open.empty() && open.begin()->first < files[index].smallest) {
        open.erase(open.begin());
      }
    }
    open.emplace(files[index].largest, index);
  }
  if (!open.empty()) close();
  return sections;
}

std::vector<OverlapBucket> overlap_buckets(const std::vector<OverlapSection>& sections,
                                           std::size_t threshold, OverlapInclusion inclusion) {
  std::vector<OverlapBucket> buckets;
  std::size_t free = 0;  // the first section behind the last bucket
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].size() < threshold) continue;
    OverlapBucket bucket{i, i + 1};
    // Of consecutive sections, each shares a file with the bucket exactly where it does with the
    // neighbour that was taken last, because a file is in consecutive sections.
    const auto belongs = [&](std::size_t next, std::size_t last_taken) {
      if (inclusion == OverlapInclusion::kNone) return false;
      return share_file(sections[inclusion == OverlapInclusion::kSingle ? i : last_taken],
                        sections[next]);
    };
    while (bucket.first > free && belongs(bucket.first - 1, bucket.first)) --bucket.first;
    while (bucket.last < sections.size() && belongs(bucket.last, bucket.last - 1)) ++bucket.last;
    free = bucket.last;
    i = bucket.last - 1;
    buckets.push_back(bucket);
  }
  return buckets;
}

}  // namespace lsmlab
