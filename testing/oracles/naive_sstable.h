// The layout of docs/sstable.md and the cuts of models/execution/output_cut.h, computed
// independently entry by entry. It checks models/sizes/sstable_size.h and OutputCutter, and shares
// no code with them.
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
  std::uint64_t first_key = 0;
  std::uint64_t first_key_bytes = 0;
  std::uint64_t last_key = 0;
  std::uint64_t last_key_bytes = 0;
  std::uint64_t stored_bytes = 0;  // including the trailer
};

/// Bytes of an entry with its offset, which memtables and CutMeasure::kEntries count.
[[nodiscard]] std::uint64_t naive_entry_bytes(const StoredEntry& entry);

/// The data blocks of a file with exactly these entries.
[[nodiscard]] std::vector<NaiveBlock> naive_blocks(std::span<const StoredEntry> entries,
                                                   const SstableFormat& format);

/// Bytes of the whole file. REQUIRES: at least one entry.
[[nodiscard]] std::uint64_t naive_file_bytes(std::span<const StoredEntry> entries,
                                             const SstableFormat& format);

/// Bytes of the data blocks that may hold `keys`: from the first that ends at or after the smallest
/// key through the first that ends at or after the largest, or the last block.
[[nodiscard]] std::uint64_t naive_slice_bytes(std::span<const StoredEntry> entries,
                                              const KeyRange& keys, const SstableFormat& format);

/// Number of entries in each output file when these are kept. `grandparents`: the run below the
/// target's level, by key. REQUIRES: the grandparent rule is not kDynamicFileSize.
[[nodiscard]] std::vector<std::size_t> naive_cuts(std::span<const StoredEntry> kept,
                                                  const OutputCut& cut,
                                                  std::span<const File> grandparents,
                                                  const SstableFormat& format);

/// Whether a file of these entries reaches the limit of `cut` before its last entry. False without
/// a limit.
[[nodiscard]] bool naive_exceeds(std::span<const StoredEntry> entries, const OutputCut& cut,
                                 const SstableFormat& format);

}  // namespace lsmlab::testing
