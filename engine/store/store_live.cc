// What of a store's entries is alive.
#include "engine/merge/merge_heads.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {

Result<std::uint64_t> StoreImpl::live_bytes() {
  // One source a run; the n-th slices of a run's files lie in disjoint, rising ranges.
  std::vector<std::unique_ptr<MergeSource>> sources;
  using Parts = std::vector<TablePart>;
  const auto part_of = [this](FileId id, const KeyRange& windows) {
    return TablePart{[file = live_.at(id.value())] { return file->table(); }, windows};
  };
  const auto push = [&](Parts parts) {
    if (parts.empty()) return;
    sources.push_back(table_source(std::move(parts), setup_.read_ahead.value()));
  };
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      Parts base;
      std::vector<Parts> slices;
      for (const File& file : run.files) {
        base.push_back(part_of(file.id, {}));
        if (slices.size() < file.slices.size()) slices.resize(file.slices.size());
        for (std::size_t n = 0; n < file.slices.size(); ++n) {
          const Slice& slice = file.slices[n];
          slices[n].push_back(part_of(slice.frozen_file, slice.keys));
        }
      }
      push(std::move(base));
      for (Parts& parts : slices) push(std::move(parts));
    }
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
