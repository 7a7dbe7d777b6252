// Counts the live entries of a KeyTree.
#include "models/execution/whole_tree.h"
#include "sim/keys/key_tree.h"

namespace lsmlab {

Result<std::uint64_t> KeyTree::live_bytes() {
  std::vector<MergeInput> inputs;
  for (const std::vector<TableRange>& sequence : rising_sequences(tree_)) {
    auto stream = std::make_unique<ListStream>();
    bool has_overwritten = false;
    for (const TableRange& range : sequence) {
      StoredFile& file = stored(range.table);
      const auto [first, last] = file.entries.range_of(range.keys);
      stream->add(file.entries, first, last, false);
      has_overwritten |= file.has_overwritten;
    }
    const std::uint64_t entries = stream->entries();
    if (entries > 0) inputs.push_back({newest_of(std::move(stream), has_overwritten), entries});
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
