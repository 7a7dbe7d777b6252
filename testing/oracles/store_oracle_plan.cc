// Checks what a plan may request.
#include <algorithm>
#include <tuple>
#include <variant>

#include "testing/oracles/naive_sstable.h"
#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

void StoreOracle::check_plan(const Plan& plan) const {
  check_memtable(plan);
  std::set<FileId> listed;
  const std::vector<PlanInput> inputs = plan_inputs(plan);
  for (const PlanInput& input : inputs) check_input(input, listed);
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
    check_target(plan, flush->target);
  } else if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    require(merge->takes_memtable || !inputs.empty(), "it takes nothing");
    check_order(inputs);
    check_target(plan, merge->target);
    if (merge->newest_slices) check_newest_slices(*merge);
  } else if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
    require(!inputs.empty(), "it takes nothing");
    check_target(plan, move->target);
  } else if (std::holds_alternative<DropPlan>(plan.action)) {
    require(!inputs.empty(), "it takes nothing");
    check_order(inputs);
  } else if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) {
    require(!inputs.empty(), "it takes nothing");
    check_order(inputs);
    check_target(plan, refer->target);
    require(std::is_sorted(refer->file_begins.begin(), refer->file_begins.end(),
                           std::less_equal<std::uint64_t>()),
            "its cuts do not rise");
  } else if (const auto* trim = std::get_if<TrimPlan>(&plan.action)) {
    for (const FileId id : trim->copies) {
      require(before_->frozen_files().contains(id), "file {} is no copy", id.value());
    }
  } else {
    check_link(std::get<LinkPlan>(plan.action));
  }
}

void StoreOracle::check_newest_slices(const MergePlan& plan) const {
  require(!plan.takes_memtable && plan.inputs.size() == 1 && plan.inputs[0].files.size() == 1,
          "it takes slices of several files");
  require(plan.cut.makes_one_file(), "it makes several slices of one");
  const File& file = standing_.at(plan.inputs[0].files[0]).file;
  require(file.is_virtual && *plan.newest_slices > 0 && *plan.newest_slices <= file.slices.size(),
          "it takes {} of the {} slices of file {}", *plan.newest_slices, file.slices.size(),
          file.id.value());
  require(!plan.drops_tombstones || *plan.newest_slices == file.slices.size(),
          "it may drop tombstones, but leaves older slices");
  require(plan.target.level == plan.inputs[0].level && plan.target.run == plan.inputs[0].run,
          "the slices leave their run");
}

void StoreOracle::check_memtable(const Plan& plan) const {
  const std::optional<PendingFlush>& pending = before_->pending_flush();
  if (!takes_memtable(plan)) {
    require(!pending, "a memtable waits, but the plan does not take it");
    return;
  }
  require(pending.has_value(), "it takes a memtable, but none waits");
  require(!memtable_.empty(), "it takes a memtable without a write");
  std::vector<StoredEntry> entries;
  std::uint64_t tombstones = 0;
  for (const auto& [key, write] : memtable_) entries.push_back(write.entry);
  for (const Write& write : overwritten_) entries.push_back(write.entry);
  std::sort(entries.begin(), entries.end(), [](const StoredEntry& a, const StoredEntry& b) {
    return std::tie(a.key, b.sequence) < std::tie(b.key, a.sequence);
  });
  for (const StoredEntry& entry : entries) tombstones += entry.is_tombstone;
  require(pending->entries.value() == entries.size(), "the memtable holds {} entries, not {}",
          entries.size(), pending->entries.value());
  require(pending->tombstones.value() == tombstones, "the memtable holds {} tombstones, not {}",
          tombstones, pending->tombstones.value());
  require(pending->keys == KeyRange{entries.front().key, entries.back().key},
          "the memtable holds keys {} to {}, not {} to {}", entries.front().key, entries.back().key,
          pending->keys.smallest, pending->keys.largest);
  if (options_.store.filter_split == FilterSplit::kUniform) {
    const std::uint64_t bytes = naive_file_bytes(entries, format_);
    require(pending->bytes.value() == bytes, "the memtable takes {} bytes as an SSTable, not {}",
            bytes, pending->bytes.value());
  }
}

void StoreOracle::check_input(const PlanInput& input, std::set<FileId>& listed) const {
  require(!input.files.empty(), "an input of level {} without files", input.level);
  std::optional<std::uint64_t> last_key;
  for (const FileId id : input.files) {
    require(!before_->frozen_files().contains(id), "input file {} is frozen", id.value());
    const auto at = places_before_.find(id);
    require(at != places_before_.end(), "input file {} does not exist", id.value());
    const Standing& standing = at->second;
    require(standing.level == input.level && standing.run->id == input.run,
            "input file {} is in level {} run {}, not in level {} run {}", id.value(),
            standing.level, standing.run->id.value(), input.level, input.run.value());
    require(listed.insert(id).second, "input file {} is listed twice", id.value());
    const File& file = standing.run->files[standing.index];
    require(!file.busy, "input file {} is busy", id.value());
    require(!last_key || *last_key < file.keys.smallest, "input file {} is not listed by key",
            id.value());
    last_key = file.keys.largest;
  }
}

// Checks that inputs are newest to oldest: by level, then in the order of the level's runs.
void StoreOracle::check_order(const std::vector<PlanInput>& inputs) const {
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Standing& newer = places_before_.at(inputs[i - 1].files.front());
    const Standing& older = places_before_.at(inputs[i].files.front());
    require(std::pair(newer.level, newer.run_index) < std::pair(older.level, older.run_index),
            "inputs are not listed newest to oldest: file {} before file {}",
            inputs[i - 1].files.front().value(), inputs[i].files.front().value());
  }
}

void StoreOracle::check_target(const Plan& plan, const OutputTarget& target) const {
  if (!target.run) return;
  const SortedRun* run = nullptr;
  if (target.level < before_->levels().size()) {
    for (const SortedRun& candidate : before_->levels()[target.level].runs) {
      if (candidate.id == *target.run) run = &candidate;
    }
  }
  require(run != nullptr, "the target run {} is not in level {}", target.run->value(),
          target.level);
  std::set<FileId> inputs;
  std::vector<KeyRange> ranges;
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const File& file = standing_.at(id).file;
      inputs.insert(id);
      ranges.push_back(file.keys);
      for (const Slice& slice : file.slices) ranges.push_back(slice.keys);
    }
  }
  if (takes_memtable(plan)) {
    ranges.push_back({memtable_.begin()->first, memtable_.rbegin()->first});
  }
  for (const File& file : run->files) {
    if (inputs.contains(file.id)) continue;
    for (const KeyRange& range : ranges) {
      require(!file.keys.overlaps(range),
              "file {} of the target run overlaps inputs' keys {} to {} but is not an input",
              file.id.value(), range.smallest, range.largest);
    }
  }
}

void StoreOracle::check_link(const LinkPlan& link) const {
  require(link.upper.files.size() == 1, "a link of {} files", link.upper.files.size());
  const KnownFile& upper = standing_.at(link.upper.files.front());
  require(upper.file.slices.empty(), "file {} is to be frozen but has slices",
          upper.file.id.value());
  require(!link.lower_files.empty(), "a link to no file");
  const auto first = places_before_.find(link.lower_files.front());
  require(first != places_before_.end(), "lower file {} does not exist",
          link.lower_files.front().value());
  const Standing& standing = first->second;
  require(standing.level == link.upper.level + 1, "lower file {} is in level {}, not {}",
          link.lower_files.front().value(), standing.level, link.upper.level + 1);
  std::vector<FileId> expected;
  for (std::size_t i = 0; i < standing.run->files.size(); ++i) {
    if (!responsible(*standing.run, i).overlaps(upper.file.keys)) continue;
    expected.push_back(standing.run->files[i].id);
    require(!standing.run->files[i].busy, "lower file {} is busy", expected.back().value());
  }
  for (const FileId id : expected) {
    require(std::count(link.lower_files.begin(), link.lower_files.end(), id) == 1,
            "lower file {} is responsible for keys of file {} and is not listed once", id.value(),
            upper.file.id.value());
  }
  for (const FileId id : link.lower_files) {
    require(std::count(expected.begin(), expected.end(), id) == 1,
            "lower file {} is not responsible for keys of file {}", id.value(),
            upper.file.id.value());
  }
  require(link.lower_files == expected, "lower files are not listed by key");
}

}  // namespace lsmlab::testing
