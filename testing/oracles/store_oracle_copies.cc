// Checks which inputs of merges stay as copies, and which copies a trim deletes.
#include <algorithm>

#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

// Layer by layer: the first one are copies that no newer one overlaps, the next one those that only
// the first one overlaps, and so on.
std::vector<Copy> StoreOracle::expected_copies(const MergePlan& plan, const KeyRange& keys) const {
  std::vector<Copy> all;
  const auto add = [&](FileId id, const KeyRange& range) {
    const KeyRange part{std::max(range.smallest, keys.smallest),
                        std::min(range.largest, keys.largest)};
    if (part.smallest <= part.largest) all.push_back({id, part});
  };
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const File& file = standing_.at(id).file;
      if (!file.is_rewritten) add(id, file.keys);
      for (const Copy& copy : file.copies) {
        if (file.is_rewritten) add(copy.frozen_file, copy.keys);
      }
    }
  }
  std::vector<bool> is_kept(all.size(), false);
  for (std::uint64_t layer = 0; layer < plan.copies_max; ++layer) {
    std::vector<bool> joins(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      joins[i] = !is_kept[i];
      for (std::size_t newer = 0; newer < i; ++newer) {
        if (all[newer].keys.overlaps(all[i].keys) && !is_kept[newer]) joins[i] = false;
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) is_kept[i] = is_kept[i] || joins[i];
  }
  std::vector<Copy> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_kept[i]) kept.push_back(all[i]);
  }
  return kept;
}

std::set<FileId> StoreOracle::expected_copied(const MergePlan& plan,
                                              const std::vector<File>& outputs) const {
  std::set<FileId> inputs;
  for (const PlanInput& input : plan.inputs) inputs.insert(input.files.begin(), input.files.end());
  std::set<FileId> copied;
  for (const File& output : outputs) {
    for (const Copy& copy : expected_copies(plan, output.keys)) {
      if (inputs.contains(copy.frozen_file)) copied.insert(copy.frozen_file);
    }
  }
  return copied;
}

void StoreOracle::follow_trim(const TrimPlan& plan, const TreeEdit& edit) {
  ++totals_.trims;
  require(!edit.takes_memtable && !edit.is_merge && edit.moved.empty() && edit.linked.empty() &&
              edit.removed.empty() && edit.added.empty() && edit.frozen.empty(),
          "the edit does more than to trim copies");
  require(edit.trimmed == plan.copies, "the edit trims {} copies, not the {} of the plan",
          edit.trimmed.size(), plan.copies.size());
  const std::set<FileId> trimmed(plan.copies.begin(), plan.copies.end());
  require(trimmed.size() == plan.copies.size(), "a copy is trimmed twice");
  for (auto& [id, known] : standing_) {
    std::vector<Copy>& copies = known.file.copies;
    std::vector<bool> goes(copies.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
      goes[i] = trimmed.contains(copies[i].frozen_file);
    }
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::size_t i = 0; i < copies.size(); ++i) {
        for (std::size_t newer = 0; newer < i && !goes[i]; ++newer) {
          goes[i] = goes[newer] && copies[newer].keys.overlaps(copies[i].keys);
          has_changed = has_changed || goes[i];
        }
      }
    }
    for (std::size_t i = copies.size(); i-- > 0;) {
      if (goes[i]) copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const std::map<FileId, std::uint64_t> hanging = references();
  for (const FileId id : trimmed) {
    require(frozen_.contains(id), "the trimmed file {} is no copy", id.value());
    require(!hanging.contains(id), "the trimmed file {} still is a copy", id.value());
  }
  std::erase_if(frozen_, [&](const auto& frozen) { return !hanging.contains(frozen.first); });
}

// The inputs of a merge leave the tree; some stay as copies.
void StoreOracle::leave(const std::set<FileId>& inputs, const std::set<FileId>& copied) {
  for (const FileId id : inputs) {
    if (copied.contains(id)) {
      KnownFile copy = standing_.at(id);
      copy.file.copies.clear();
      copy.file.level_since = now_;
      frozen_[id] = std::move(copy);
    }
    standing_.erase(id);
  }
}

}  // namespace lsmlab::testing
