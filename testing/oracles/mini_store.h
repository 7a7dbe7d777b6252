// A small executor of plans that a StoreOracle watches, for tests of the oracle. It merges by the
// rules of models/, so these meet the oracle's own rules. Tests may spoil its edits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "models/execution/output_cut.h"
#include "models/execution/tombstone_rule.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree_query.h"
#include "testing/catch.h"
#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

using FileEntries = std::vector<StoredEntry>;
using Files = std::map<FileId, FileEntries>;

inline StoreOracleOptions small_blocks() {
  StoreOracleOptions options;
  options.store.block_size = Bytes(64);
  options.flushes_full_memtables = false;
  return options;
}

// Executes plans as simulator and engine do; `tamper` may spoil an edit before it is applied.
class MiniStore {
 public:
  using Tamper = std::function<void(TreeEdit&, Files&)>;

  explicit MiniStore(StoreOracleOptions options = small_blocks())
      : oracle(options),
        format_(options.store.format()),
        mark_(options.mark),
        gc_grace_(options.gc_grace) {}

  void put(std::uint64_t key, std::uint32_t value_bytes = 20) {
    write({key, 0, 4, value_bytes, false});
  }
  void remove(std::uint64_t key) { write({key, 0, 4, 0, true}); }

  void begin_flush() {
    SstableSize size(format_);
    PendingFlush pending;
    for (const auto& [key, write] : memtable_) {
      size.add(write.key_bytes, write.value_bytes);
      pending.tombstones += Entries(write.is_tombstone ? 1 : 0);
    }
    pending.bytes = size.file_bytes();
    pending.entries = Entries(memtable_.size());
    pending.keys = {memtable_.begin()->first, memtable_.rbegin()->first};
    tree.begin_flush(pending);
  }

  void flush(const Tamper& tamper = {}) {
    begin_flush();
    run({PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}}, tamper);
  }

  void run(const Plan& plan, const Tamper& tamper = {}) {
    oracle.on_plan(tree, plan);
    TreeEdit edit;
    edit.cursors = plan.cursors;
    if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
      merge(as_merge(*flush), edit);
      edit.is_merge = false;
    } else if (const auto* merging = std::get_if<MergePlan>(&plan.action)) {
      merge(*merging, edit);
    } else if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
      edit.moved.push_back({{}, move->target});
      for (const PlanInput& input : move->inputs) {
        std::vector<FileId>& files = edit.moved.back().files;
        files.insert(files.end(), input.files.begin(), input.files.end());
      }
    } else if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
      for (const PlanInput& input : drop->inputs) {
        edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
      }
    } else if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) {
      this->refer(plan, *refer, edit);
    } else if (const auto* trim = std::get_if<TrimPlan>(&plan.action)) {
      edit.trimmed = trim->copies;
    } else {
      link(std::get<LinkPlan>(plan.action), edit);
    }
    if (tamper) tamper(edit, files_);
    const auto applied = tree.apply(edit);
    INFO((applied ? "" : applied.error().message));
    REQUIRE(applied.has_value());
    oracle.on_edit(tree, plan, edit, [&](FileId id) { return files_.at(id); });
  }

  [[nodiscard]] PlanInput whole_run(std::uint32_t level, std::size_t run = 0) const {
    const SortedRun& taken = tree.levels()[level].runs[run];
    return input_of(level, taken, taken.files);
  }

  [[nodiscard]] const File& file(std::uint32_t level, std::size_t index = 0,
                                 std::size_t run = 0) const {
    return tree.levels()[level].runs[run].files[index];
  }

  [[nodiscard]] Plan link_plan(std::uint32_t level, std::size_t index = 0) const {
    const SortedRun& upper = tree.levels()[level].runs[0];
    LinkPlan link{{level, upper.id, {upper.files[index].id}}, {}};
    const SortedRun& lower = tree.levels()[level + 1].runs[0];
    for (std::size_t i = 0; i < lower.files.size(); ++i) {
      if (!responsible_range(lower, i).overlaps(upper.files[index].keys)) continue;
      link.lower_files.push_back(lower.files[i].id);
    }
    return {PlanReason::kLevelSaturated, link, {}};
  }

  StoreOracle oracle;
  TreeState tree;
  std::optional<OutputCut> wrong_cut;  // used instead of the plan's cut

 private:
  void write(StoredEntry entry) {
    entry.sequence = ++writes_;
    tree.advance_now(Instant(writes_));
    if (memtable_.empty()) memtable_begun_ = tree.now();
    memtable_[entry.key] = entry;
    oracle.on_write(entry, tree.now());
  }

  // The clock counts writes, so an entry's sequence number is also its time.
  void take(const FileEntries& entries, const KeyRange& keys) {
    for (const StoredEntry& entry : entries) {
      if (entry.key < keys.smallest || entry.key > keys.largest) continue;
      StoredEntry& newest = gathered_.try_emplace(entry.key, entry).first->second;
      if (newest.sequence < entry.sequence) newest = entry;
    }
  }
  void take(const File& file) {
    ancestors_.emplace_back(file.keys, file.oldest_ancestor);
    span_ = {std::min(span_.first, file.flushes.first), std::max(span_.last, file.flushes.last)};
    if (!file.oldest_tombstone) return;
    if (!oldest_ || *file.oldest_tombstone < *oldest_) oldest_ = file.oldest_tombstone;
  }

  void merge(const MergePlan& plan, TreeEdit& edit) {
    gathered_.clear();
    span_ = {~std::uint64_t{0}, 0};
    oldest_.reset();
    ancestors_.clear();
    for (const PlanInput& input : plan.inputs) {
      for (const FileId id : input.files) {
        const File& file = tree.file_at(*tree.find_file(id));
        if (plan.newest_slices) {
          edit.taken_slices.push_back({id, *plan.newest_slices});
        } else {
          edit.removed.push_back(id);
        }
        if (!file.is_virtual) {
          take(file);
          take(files_.at(id), KeyRange{});
        }
        for (const Slice& slice : merged_slices(plan, file)) {
          take(tree.frozen_files().at(slice.frozen_file).file);
          ancestors_.back().first = slice.keys;
          take(files_.at(slice.frozen_file), slice.keys);
        }
      }
    }
    edit.is_merge = true;
    edit.takes_memtable = plan.takes_memtable;
    if (plan.takes_memtable) {
      File memtable;
      memtable.flushes = {tree.flush_count() + 1, tree.flush_count() + 1};
      memtable.keys = {memtable_.begin()->first, memtable_.rbegin()->first};
      memtable.oldest_ancestor = memtable_begun_;
      for (const auto& [key, entry] : memtable_) {
        take({entry}, KeyRange{});
        if (!entry.is_tombstone) continue;
        const Instant when(entry.sequence);
        if (!memtable.oldest_tombstone || when < *memtable.oldest_tombstone)
          memtable.oldest_tombstone = when;
      }
      take(memtable);
      memtable_.clear();
    }
    edit.added.push_back({plan.target, cut(plan)});
    if (plan.newest_slices) edit.added.back().into = plan.inputs.front().files.front();
  }

  std::vector<File> cut(const MergePlan& plan) {
    TombstoneRule tombstones(tree, plan, PreRemove::kFiles, gc_grace_);
    MergePlan done = plan;
    if (wrong_cut) done.cut = *wrong_cut;
    OutputCutter cutter(tree, done);
    std::vector<File> outputs;
    std::optional<SstableSize> size;
    std::optional<DeletionMarkCounter> mark;
    DeletionTimesCounter times(false);
    for (const auto& [key, entry] : gathered_) {
      if (entry.is_tombstone && tombstones.drops(key, entry.sequence)) continue;
      const bool ends = cutter.ends_before(key, size ? *size : SstableSize(format_));
      if (!size || ends) {
        outputs.push_back(begin_file(entry));
        size.emplace(format_);
        if (mark_) mark.emplace(*mark_);
        times = DeletionTimesCounter(gc_grace_ > 0);
      }
      size->add(entry.key_bytes, entry.value_bytes);
      add(outputs.back(), entry);
      if (mark) mark->add(entry.is_tombstone);
      if (entry.is_tombstone) times.add(entry.sequence);
      outputs.back().deletion_times = times.times();
      outputs.back().marked = mark && mark->is_marked();
      outputs.back().bytes = size->file_bytes();
      if (cutter.ends_after(*size)) size.reset();
    }
    for (File& file : outputs) {
      file.oldest_ancestor = tree.now();
      for (const auto& [keys, oldest] : ancestors_) {
        if (keys.overlaps(file.keys)) file.oldest_ancestor = std::min(file.oldest_ancestor, oldest);
      }
    }
    return outputs;
  }

  File begin_file(const StoredEntry& entry) {
    File file;
    file.id = tree.allocate_file_id();
    file.keys.smallest = entry.key;
    file.sequences = {entry.sequence, entry.sequence};
    file.created = file.level_since = file.last_access = tree.now();
    file.flushes = span_;
    return file;
  }

  void add(File& file, const StoredEntry& entry) {
    files_[file.id].push_back(entry);
    file.keys.largest = entry.key;
    file.entries += Entries(1);
    file.tombstones += Entries(entry.is_tombstone ? 1 : 0);
    if (entry.is_tombstone) file.oldest_tombstone = oldest_;
    file.key_bytes += Bytes(entry.key_bytes);
    file.value_bytes += Bytes(entry.value_bytes);
    file.sequences.first = std::min(file.sequences.first, entry.sequence);
    file.sequences.last = std::max(file.sequences.last, entry.sequence);
  }

  void refer(const Plan& whole, const ReferPlan& plan, TreeEdit& edit) {
    edit = begin_edit(tree, whole);
    const VirtualFileSource source{[&](FileId id, const KeyRange& keys) -> Result<Bytes> {
                                     return Bytes(stored_bytes(files_.at(id), keys));
                                   },
                                   [&] { return tree.allocate_file_id(); }};
    REQUIRE(add_virtual_files(tree, plan, source, edit).has_value());
  }

  void link(const LinkPlan& plan, TreeEdit& edit) {
    const FileId upper = plan.upper.files.front();
    const KeyRange keys = tree.file_at(*tree.find_file(upper)).keys;
    edit.frozen = {upper};
    for (const FileId id : plan.lower_files) {
      const FileLocation at = *tree.find_file(id);
      KeyRange part = responsible_range(tree.levels()[at.level].runs[at.run], at.file);
      part = {std::max(part.smallest, keys.smallest), std::min(part.largest, keys.largest)};
      edit.linked.push_back(
          {upper, id, {upper, part, Bytes(stored_bytes(files_.at(upper), part))}});
    }
  }

  [[nodiscard]] std::uint64_t stored_bytes(const FileEntries& entries, const KeyRange& part) const {
    SstableSize size(format_);
    std::uint64_t before = 0;  // stored bytes of the blocks that end before the part
    for (const StoredEntry& entry : entries) {
      size.add(entry.key_bytes, entry.value_bytes);
      const bool ends_block = size.block_entries() == 0 || entry == entries.back();
      if (!ends_block) continue;
      if (entry.key < part.smallest) before = size.stored_data_bytes().value();
      if (entry.key >= part.largest) break;
    }
    std::uint64_t bytes = size.stored_data_bytes().value() - before;
    if (size.block_entries() > 0) {
      // The model leaves the last block open: it takes the bytes of its entries and its trailer.
      bytes += 2 + kBlockTrailerBytes;
      for (std::size_t i = entries.size() - size.block_entries(); i < entries.size(); ++i) {
        bytes += buffered_entry_bytes(entries[i].key_bytes, entries[i].value_bytes);
      }
    }
    return bytes;
  }

  SstableFormat format_;
  std::optional<DeletionMark> mark_;
  std::uint64_t gc_grace_;
  Files files_;
  std::map<std::uint64_t, StoredEntry> memtable_;
  std::uint64_t writes_ = 0;
  std::map<std::uint64_t, StoredEntry> gathered_;
  FlushSpan span_;
  std::vector<std::pair<KeyRange, Instant>> ancestors_;  // by input
  Instant memtable_begun_;
  std::optional<Instant> oldest_;
};

}  // namespace lsmlab::testing
