// What a tree keeps for its policy, computed again from nothing: overlaps by comparing every pair
// of files, orderings by sorting, sums by adding, places by walking.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab::testing {

// The overlap of a file with the newest run of a level.
inline Overlap naive_overlap(const TreeView& tree, std::size_t level, const KeyRange& keys) {
  Overlap overlap;
  if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) return overlap;
  for (const File& other : tree.levels()[level].runs.front().files) {
    if (other.keys.largest < keys.smallest || other.keys.smallest > keys.largest) continue;
    ++overlap.files;
    overlap.bytes += other.bytes.value();
    if (other.keys.smallest < keys.largest) overlap.bytes_begun_before_end += other.bytes.value();
  }
  return overlap;
}

inline bool ranks_before(const FileRanks& a, const FileRanks& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Uint128 left = Uint128{a[i].number} * b[i].divisor;
    const Uint128 right = Uint128{b[i].number} * a[i].divisor;
    if (left != right) return left < right;
  }
  return false;
}

// The ids of a level's files that an ordering takes, sorted from scratch.
inline std::vector<FileId> naive_order(const Level& level, const FileOrdering& ordering) {
  struct Ranked {
    FileRanks ranks;
    const File* file = nullptr;
  };
  std::vector<Ranked> ranked;
  for (const SortedRun& run : level.runs) {
    for (const File& file : run.files) {
      if (const auto ranks = ordering.ranks(file)) ranked.push_back({*ranks, &file});
    }
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    if (ranks_before(a.ranks, b.ranks)) return true;
    if (ranks_before(b.ranks, a.ranks)) return false;
    if (a.file->keys.smallest != b.file->keys.smallest) {
      return a.file->keys.smallest < b.file->keys.smallest;
    }
    return a.file->id > b.file->id;
  });
  std::vector<FileId> ids;
  for (const Ranked& file : ranked) ids.push_back(file.file->id);
  return ids;
}

// A description of the first thing that is wrong; empty if everything is right.
inline std::string order_fault(const TreeView& tree) {
  for (std::size_t l = 0; l < tree.levels().size(); ++l) {
    const Level& level = tree.levels()[l];
    FileSums of_level;
    for (std::size_t r = 0; r < level.runs.size(); ++r) {
      std::uint64_t bytes = 0;
      std::uint64_t virtual_bytes = 0;
      std::uint64_t busy = 0;
      std::size_t slices = 0;
      for (std::size_t f = 0; f < level.runs[r].files.size(); ++f) {
        const File& file = level.runs[r].files[f];
        of_level.add(FileSums::of(file));
        bytes += file.bytes.value();
        for (const Slice& slice : file.slices) {
          if (file.is_virtual) virtual_bytes += slice.bytes.value();
        }
        busy += file.busy ? 1 : 0;
        slices = std::max(slices, file.slices.size());
        const std::optional<FileLocation> at = tree.find_file(file.id);
        if (!at || std::tie(at->level, at->run, at->file) != std::tie(l, r, f)) {
          return fmt::format("file {} is not found where it is", file.id.value());
        }
        for (std::size_t below = 1; below <= 2; ++below) {
          const bool is_kept = l > 0 && below <= tree.orders().levels_below();
          const Overlap expected = is_kept ? naive_overlap(tree, l + below, file.keys) : Overlap();
          if (file.overlaps[below - 1] == expected) continue;
          return fmt::format("the overlap of file {} in level {} with level {} is wrong",
                             file.id.value(), l, l + below);
        }
      }
      const RunSums& sums = level.runs[r].files.sums();
      if (sums.bytes != bytes || sums.virtual_bytes != virtual_bytes || sums.busy_files != busy ||
          sums.slices_max.value != slices) {
        return fmt::format("the sums of run {} in level {} are wrong", r, l);
      }
    }
    if (level.sums != of_level) return fmt::format("the sums of level {} are wrong", l);
    for (std::size_t i = 0; i < tree.orders().count(); ++i) {
      std::vector<FileId> kept;
      for (const OrderedFile& file : tree.order(i, static_cast<std::uint32_t>(l))) {
        kept.push_back(file.id);
      }
      if (kept == naive_order(level, tree.orders().ordering(i))) continue;
      return fmt::format("the ordering '{}' of level {} is wrong", tree.orders().ordering(i).name,
                         l);
    }
  }
  return {};
}

}  // namespace lsmlab::testing
