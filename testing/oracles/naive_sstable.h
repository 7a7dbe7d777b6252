// The layout of docs/sstable.md and the cuts of models/execution/output_cut.h, stated again entry
// by entry: a second opinion for models/sizes/sstable_size.h and OutputCutter, with which it shares
// no code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/execution/store_observer.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab::testing {

struct NaiveBlock {
  std::uint64_t last_key = 0;
  std::uint64_t last_key_bytes = 0;
  std::uint64_t stored_bytes = 0;  // with trailer
};

/// An entry with its offset: what memtables and CutMeasure::kEntries count.
[[nodiscard]] std::uint64_t naive_entry_bytes(const StoredEntry& entry);

/// The data blocks of a file that holds these entries and nothing more.
[[nodiscard]] std::vector<NaiveBlock> naive_blocks(std::span<const StoredEntry> entries,
                                                   const SstableFormat& format);

/// The whole file. REQUIRES: at least one entry.
[[nodiscard]] std::uint64_t naive_file_bytes(std::span<const StoredEntry> entries,
                                             const SstableFormat& format);

/// The data blocks of the file that may hold `keys`: from the first that ends at or after the
/// smallest of them through the first that ends at or after the largest, or the last one.
[[nodiscard]] std::uint64_t naive_slice_bytes(std::span<const StoredEntry> entries,
                                              const KeyRange& keys, const SstableFormat& format);

/// How many entries go to each output file when these are kept. `grandparents`: the run below the
/// target's level, by key. REQUIRES: the grandparent rule is not kDynamicFileSize.
[[nodiscard]] std::vector<std::size_t> naive_cuts(std::span<const StoredEntry> kept,
                                                  const OutputCut& cut,
                                                  std::span<const File> grandparents,
                                                  const SstableFormat& format);

/// Whether a file of these entries reaches the limit of `cut` before its last one. False without a
/// limit.
[[nodiscard]] bool naive_exceeds(std::span<const StoredEntry> entries, const OutputCut& cut,
                                 const SstableFormat& format);

}  // namespace lsmlab::testing
