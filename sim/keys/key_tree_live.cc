// What of a KeyTree's entries is alive.
#include <algorithm>

#include "models/base/check.h"
#include "sim/keys/key_tree.h"

namespace lsmlab {

Result<std::uint64_t> KeyTree::live_bytes() {
  std::vector<MergeInput> inputs;
  const auto push = [&](std::unique_ptr<ListStream> stream) {
    const std::uint64_t entries = stream->entries();
    if (entries > 0) inputs.push_back({std::move(stream), entries});
  };
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      auto base = std::make_unique<ListStream>();
      std::size_t slices = 0;
      for (const File& file : run.files) {
        EntryList& list = list_of(file.id);
        base->add(list, 0, list.size(), false);
        slices = std::max(slices, file.slices.size());
      }
      push(std::move(base));
      // The n-th slices of a run's files lie in disjoint, rising ranges.
      for (std::size_t n = 0; n < slices; ++n) {
        auto stream = std::make_unique<ListStream>();
        for (const File& file : run.files) {
          if (n >= file.slices.size()) continue;
          const Slice& slice = file.slices[n];
          EntryList& list = list_of(slice.frozen_file);
          const auto [first, last] = list.range_of(slice.keys);
          stream->add(list, first, last, false);
        }
        push(std::move(stream));
      }
    }
  }
  const std::unique_ptr<EntryStream> stream = merged_stream(std::move(inputs));
  std::uint64_t bytes = 0;
  for (;;) {
    const std::span<const Entry> piece = stream->peek();
    if (piece.empty()) return bytes;
    for (const Entry& entry : piece) {
      if (entry.is_tombstone()) continue;
      const SizeClass& size = classes_[entry.size_class()];
      bytes += std::uint64_t{size.key_bytes} + size.value_bytes;
    }
    stream->skip(piece.size());
  }
}

}  // namespace lsmlab
