// Counts the bytes of a store's live entries.
#include "engine/merge/merge_heads.h"
#include "engine/store/store_impl.h"
#include "models/execution/whole_tree.h"

namespace lsmlab::engine {

Result<std::uint64_t> StoreImpl::live_bytes() {
  std::vector<std::unique_ptr<MergeSource>> sources;
  for (const std::vector<TableRange>& sequence : rising_sequences(tree_)) {
    std::vector<TablePart> parts;
    for (const TableRange& range : sequence) {
      parts.push_back({[file = live_.at(range.table)] { return file->table(); }, range.keys});
    }
    sources.push_back(table_source(std::move(parts), setup_.read_ahead.value()));
  }
  MergeHeads heads(sources);
  BOOST_OUTCOME_TRYV(heads.start());
  std::uint64_t bytes = 0;
  std::string last_key;
  bool is_first = true;
  while (!heads.empty()) {
    const EntryView& entry = heads.entry();
    if (is_first || entry.key != last_key) {
      last_key.assign(entry.key);
      is_first = false;
      if (!entry.is_tombstone()) bytes += entry.key.size() + entry.value.size();
    }
    BOOST_OUTCOME_TRYV(heads.advance());
  }
  return bytes;
}

}  // namespace lsmlab::engine
