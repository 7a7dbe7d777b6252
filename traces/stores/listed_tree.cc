#include "traces/stores/listed_tree.h"

#include <algorithm>

namespace lsmlab::stores {

void ListedTree::add(const std::string& family, std::uint32_t level, StoreFile file) {
  const std::uint64_t number = file.number;
  files_[family].insert_or_assign(number, Listed{level, std::move(file)});
}

Manifest ListedTree::finish(StoreSystem system) {
  Manifest manifest;
  manifest.system = system;
  manifest.is_list = true;
  std::uint32_t id = 0;
  for (auto& [name, files] : files_) {
    FamilyTree& tree = manifest.families[id];
    tree.name = name;
    tree.comparator = comparators_[name];
    HistoryEdit step;
    step.kind = EditKind::kSnapshot;
    step.edit.family = id;
    step.edit.has_rocksdb_fields = system == StoreSystem::kRocksdb;
    for (auto& [number, listed] : files) {
      if (listed.level >= tree.levels.size()) tree.levels.resize(listed.level + 1);
      tree.levels[listed.level].emplace(number, listed.file);
      const std::uint64_t newest = listed.file.largest_sequence.value_or(0);
      manifest.last_sequence = std::max(manifest.last_sequence, newest);
      step.edit.added.push_back({listed.level, std::move(listed.file)});
    }
    manifest.history.push_back(std::move(step));
    ++id;
  }
  return manifest;
}

}  // namespace lsmlab::stores
