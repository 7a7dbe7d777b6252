// A store of keys in a few std::maps, for tests of policies that decide by keys. It is the simplest
// possible executor: one entry is one byte. The tree must accept every edit. Lookups go level by
// level, newest run first, and visit a file's slices, newest to oldest, before the file.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/execution/output_cut.h"
#include "models/execution/tombstone_rule.h"
#include "models/policies/registry.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree.h"
#include "testing/catch.h"
#include "testing/oracles/order_oracle.h"

namespace lsmlab::testing {

inline ConfiguredPolicy configured(const std::string& text) {
  const auto spec = parse_spec(text);
  REQUIRE(spec.has_value());
  const auto policy = make_policy(spec.value());
  INFO(text << ": " << (policy ? "" : policy.error().message));
  REQUIRE(policy.has_value());
  return policy.value();
}

class MapStore {
 public:
  struct Version {
    std::uint64_t sequence = 0;
    bool is_tombstone = false;
  };
  using Entries = std::map<std::uint64_t, Version>;
  struct Counts {
    std::uint64_t flushes = 0;
    std::uint64_t merges = 0;
    std::uint64_t moves = 0;
    std::uint64_t links = 0;
    std::uint64_t refers = 0;
    std::uint64_t entries_merged = 0;  // entries written by merges
    std::map<PlanReason, std::uint64_t> reasons;
  };

  using Watcher = std::function<void(const TreeView&, const std::optional<Plan>&)>;

  explicit MapStore(const std::string& spec, Watcher watcher = {})
      : configured_(configured(spec)), watcher_(std::move(watcher)) {
    tree_.keep(configured_.policy->orderings());
  }

  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] const Policy& policy() const { return *configured_.policy; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

  /// The tree's time is the number of writes from now on; without a clock it stays 0.
  void use_clock() { has_clock_ = true; }

  void write(std::uint64_t key, bool is_tombstone = false) {
    memtable_[key] = {++sequence_, is_tombstone};
    newest_[key] = memtable_[key];
    ++traffic_.writes;
    if (is_tombstone) ++traffic_.deletes;
    if (memtable_.size() >= configured_.store.buffer.value()) flush();
  }

  /// The sequence number of the key's newest version; nullopt if there is none or it is a
  /// tombstone. A lookup that searches a second file charges the first one; if that exceeds the
  /// limit, it asks the policy.
  [[nodiscard]] std::optional<std::uint64_t> lookup(std::uint64_t key) {
    ++traffic_.lookups;
    const std::optional<Version> version = find(key);
    if (std::exchange(is_worn_, false)) settle();
    if (!version || version->is_tombstone) return std::nullopt;
    return version->sequence;
  }
  [[nodiscard]] std::optional<std::uint64_t> expected(std::uint64_t key) const {
    const auto found = newest_.find(key);
    if (found == newest_.end() || found->second.is_tombstone) return std::nullopt;
    return found->second.sequence;
  }

  void flush() {
    if (memtable_.empty()) return;
    const KeyRange keys{memtable_.begin()->first, memtable_.rbegin()->first};
    if (has_clock_) tree_.advance_now(Instant(sequence_));
    tree_.begin_flush({Bytes(memtable_.size()), lsmlab::Entries(memtable_.size()), keys,
                       lsmlab::Entries(), std::exchange(traffic_, {})});
    settle();
    REQUIRE(!tree_.pending_flush());
  }

  /// Executes plans until the policy wants none.
  void settle() {
    std::uint64_t plans = 0;
    while (true) {
      if (configured_.policy->looks_at_copies(tree_)) pretend_caching();
      const std::optional<Plan> plan = configured_.policy->pick(tree_);
      if (watcher_) watcher_(tree_, plan);
      if (!plan) return;
      REQUIRE(++plans < 100'000);
      ++counts_.reasons[plan->reason];
      REQUIRE(tree_.reserve(*plan).has_value());
      TreeEdit edit;
      edit.takes_memtable = takes_memtable(*plan);
      edit.cursors = plan->cursors;
      if (std::holds_alternative<FlushPlan>(plan->action)) execute_flush(*plan, edit);
      if (const auto* merge = std::get_if<MergePlan>(&plan->action)) execute_merge(*merge, edit);
      if (const auto* move = std::get_if<MovePlan>(&plan->action)) execute_move(*move, edit);
      if (const auto* link = std::get_if<LinkPlan>(&plan->action)) execute_link(*link, edit);
      if (const auto* drop = std::get_if<DropPlan>(&plan->action)) {
        for (const PlanInput& input : drop->inputs) {
          edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
        }
      }
      if (const auto* refer = std::get_if<ReferPlan>(&plan->action)) execute_refer(*refer, edit);
      if (const auto* trim = std::get_if<TrimPlan>(&plan->action)) edit.trimmed = trim->copies;
      const auto applied = tree_.apply(edit);
      INFO((applied ? "" : applied.error().message));
      REQUIRE(applied.has_value());
      REQUIRE(order_fault(tree_) == "");
      forget_dead_files();
    }
  }

 private:
  // The block cache holds blocks of copies as their numbers say: 0 to 4 of 4.
  void pretend_caching() {
    std::vector<FileId> ids;
    for (const FrozenFile& frozen : tree_.frozen_files()) ids.push_back(frozen.file.id);
    for (const FileId id : ids) {
      tree_.note_blocks(id, {(id.value() * 7 + tree_.flush_count() / 6) % 5, 4});
    }
  }

  void execute_flush(const Plan& plan, TreeEdit& edit) {
    ++counts_.flushes;
    const auto& flush = std::get<FlushPlan>(plan.action);
    const FlushSpan span{number(), number()};
    TreeEdit::Added added{flush.target, {}};
    Entries open;
    for (const auto& [key, version] : std::exchange(memtable_, {})) {
      if (flush.cut.file_bytes && open.size() >= flush.cut.file_bytes->value()) {
        added.files.push_back(make_file(std::exchange(open, {}), span));
      }
      open.emplace(key, version);
    }
    added.files.push_back(make_file(std::move(open), span));
    edit.added.push_back(std::move(added));
  }

  void execute_merge(const MergePlan& merge, TreeEdit& edit) {
    ++counts_.merges;
    edit.is_merge = true;
    REQUIRE(!merge.takes_memtable);
    Entries merged;  // the first version of a key stays: inputs are newest to oldest
    FlushSpan span{number(), 0};
    for (const PlanInput& input : merge.inputs) {
      for (const FileId id : input.files) {
        const File& file = tree_.file_at(*tree_.find_file(id));
        const std::uint64_t taken = merge.newest_slices.value_or(file.slices.size());
        for (std::uint64_t i = 0; i < taken; ++i) {
          const auto slice = file.slices.end() - 1 - static_cast<std::ptrdiff_t>(i);
          const Entries& entries = files_.at(slice->frozen_file);
          merged.insert(entries.lower_bound(slice->keys.smallest),
                        entries.upper_bound(slice->keys.largest));
          if (!file.is_virtual) continue;
          const FlushSpan& flushes = tree_.frozen_files().at(slice->frozen_file).file.flushes;
          span = {std::min(span.first, flushes.first), std::max(span.last, flushes.last)};
        }
        if (!file.is_virtual) merged.insert(files_.at(id).begin(), files_.at(id).end());
        if (!file.is_virtual) {
          span = {std::min(span.first, file.flushes.first), std::max(span.last, file.flushes.last)};
        }
        if (merge.newest_slices) {
          edit.taken_slices.push_back({id, taken});
        } else {
          edit.removed.push_back(id);
        }
      }
    }
    TombstoneRule rule(tree_, merge);
    std::erase_if(merged, [&](const auto& entry) {
      return entry.second.is_tombstone && rule.drops(entry.first);
    });
    counts_.entries_merged += merged.size();
    TreeEdit::Added added{merge.target, {}};
    if (merge.newest_slices) added.into = merge.inputs.front().files.front();
    OutputCutter cutter(tree_, merge);
    Entries open;
    const SstableSize none(SstableFormat{});
    SstableSize one = none;
    one.add(1, 0);
    for (const auto& [key, version] : merged) {
      // Given begins end a file that has an entry; the other rules do not look at the file here.
      const bool has_begun = merge.cut.file_begins && !open.empty();
      const bool ends = cutter.ends_before(key, has_begun ? one : none);
      if (!open.empty() &&
          (ends || (merge.cut.file_bytes && open.size() >= merge.cut.file_bytes->value()))) {
        added.files.push_back(make_file(std::exchange(open, {}), span));
      }
      open.emplace(key, version);
    }
    if (!open.empty()) added.files.push_back(make_file(std::move(open), span));
    edit.added.push_back(std::move(added));
    add_copies(tree_, merge.inputs, merge.copies_max, edit);
  }

  void execute_move(const MovePlan& move, TreeEdit& edit) {
    ++counts_.moves;
    edit.moved.push_back({{}, move.target});
    for (const PlanInput& input : move.inputs) {
      std::vector<FileId>& files = edit.moved.back().files;
      files.insert(files.end(), input.files.begin(), input.files.end());
    }
  }

  void execute_link(const LinkPlan& link, TreeEdit& edit) {
    ++counts_.links;
    const FileId id = link.upper.files.front();
    const KeyRange keys = tree_.file_at(*tree_.find_file(id)).keys;
    edit.frozen = {id};
    std::size_t entries = 0;
    for (const FileId lower : link.lower_files) {
      const FileLocation at = *tree_.find_file(lower);
      const KeyRange range = responsible_range(tree_.levels()[at.level].runs[at.run], at.file);
      REQUIRE(range.overlaps(keys));
      const KeyRange part{std::max(range.smallest, keys.smallest),
                          std::min(range.largest, keys.largest)};
      const auto size = std::distance(files_.at(id).lower_bound(part.smallest),
                                      files_.at(id).upper_bound(part.largest));
      entries += static_cast<std::size_t>(size);
      edit.linked.push_back({id, lower, {id, part, Bytes(static_cast<std::uint64_t>(size))}});
    }
    REQUIRE(entries == files_.at(id).size());  // the slices cover the whole file
  }

  void execute_refer(const ReferPlan& refer, TreeEdit& edit) {
    ++counts_.refers;
    std::vector<std::uint64_t> begins = refer.file_begins;
    begins.insert(begins.begin(), 0);
    TreeEdit::Added added{refer.target, {}};
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const bool is_last = i + 1 == begins.size();
      const KeyRange window{begins[i], is_last ? ~std::uint64_t{0} : begins[i + 1] - 1};
      File file;
      file.is_virtual = true;
      file.keys = {~std::uint64_t{0}, 0};
      file.flushes = {number(), 0};
      const auto take = [&](FileId id, const KeyRange& keys, const File& origin) {
        if (!keys.overlaps(window)) return;
        const KeyRange part{std::max(keys.smallest, window.smallest),
                            std::min(keys.largest, window.largest)};
        const auto size = std::distance(files_.at(id).lower_bound(part.smallest),
                                        files_.at(id).upper_bound(part.largest));
        file.slices.push_back({id, part, Bytes(static_cast<std::uint64_t>(size))});
        file.keys = {std::min(file.keys.smallest, part.smallest),
                     std::max(file.keys.largest, part.largest)};
        file.flushes = {std::min(file.flushes.first, origin.flushes.first),
                        std::max(file.flushes.last, origin.flushes.last)};
      };
      for (auto input = refer.inputs.rbegin(); input != refer.inputs.rend(); ++input) {
        for (const FileId id : input->files) {
          const File& origin = tree_.file_at(*tree_.find_file(id));
          if (!origin.is_virtual) take(id, origin.keys, origin);
          for (const Slice& slice : origin.slices) take(slice.frozen_file, slice.keys, origin);
        }
      }
      if (file.slices.empty()) continue;
      file.id = tree_.allocate_file_id();
      added.files.push_back(std::move(file));
    }
    for (const PlanInput& input : refer.inputs) {
      for (const FileId id : input.files) {
        const bool is_virtual = tree_.file_at(*tree_.find_file(id)).is_virtual;
        (is_virtual ? edit.removed : edit.frozen).push_back(id);
      }
    }
    edit.added.push_back(std::move(added));
  }

  [[nodiscard]] File make_file(Entries entries, FlushSpan flushes) {
    File file;
    file.id = tree_.allocate_file_id();
    file.keys = {entries.begin()->first, entries.rbegin()->first};
    file.bytes = Bytes(entries.size());
    file.entries = lsmlab::Entries(entries.size());
    file.flushes = flushes;
    files_[file.id] = std::move(entries);
    return file;
  }

  [[nodiscard]] std::uint64_t number() const { return tree_.flush_count() + 1; }

  void forget_dead_files() {
    std::erase_if(files_, [&](const auto& file) {
      return !tree_.find_file(file.first) && !tree_.frozen_files().contains(file.first);
    });
  }

  void charge(const FileLocation& at) {
    const std::optional<std::uint64_t> budget = policy().seeks_max(tree_.file_at(at));
    if (tree_.charge_seek(at) >= budget.value_or(~std::uint64_t{0})) is_worn_ = true;
  }

  [[nodiscard]] static std::optional<Version> find_in(const Entries& entries, std::uint64_t key) {
    const auto found = entries.find(key);
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] std::optional<Version> find(std::uint64_t key) {
    if (const auto version = find_in(memtable_, key)) return version;
    FileLocation first;
    std::size_t searched = 0;
    for (std::size_t level = 0; level < tree_.levels().size(); ++level) {
      for (std::size_t r = 0; r < tree_.levels()[level].runs.size(); ++r) {
        const SortedRun& run = tree_.levels()[level].runs[r];
        std::size_t f = 0;
        while (f + 1 < run.files.size() && run.files[f].keys.largest < key) ++f;
        const File& file = run.files[f];
        const bool is_searched =
            file.is_virtual &&
            std::any_of(file.slices.begin(), file.slices.end(), [&](const Slice& slice) {
              return slice.keys.smallest <= key && key <= slice.keys.largest;
            });
        if (is_searched && ++searched == 2) charge(first);
        if (is_searched && searched == 1) first = {level, r, f};
        for (const Copy& copy : file.copies) {
          if (key < copy.keys.smallest || key > copy.keys.largest) continue;
          if (const auto version = find_in(files_.at(copy.frozen_file), key)) return version;
        }
        for (auto slice = file.slices.rbegin(); slice != file.slices.rend(); ++slice) {
          if (key < slice->keys.smallest || key > slice->keys.largest) continue;
          if (const auto version = find_in(files_.at(slice->frozen_file), key)) return version;
        }
        if (key < file.keys.smallest || key > file.keys.largest) continue;
        if (++searched == 2) charge(first);
        if (searched == 1) first = {level, r, f};
        if (file.is_virtual) continue;
        if (const auto version = find_in(files_.at(file.id), key)) return version;
      }
    }
    return std::nullopt;
  }

  ConfiguredPolicy configured_;
  Watcher watcher_;  // called with every answer of the policy
  TreeState tree_;
  Entries memtable_;
  Entries newest_;
  std::map<FileId, Entries> files_;
  Traffic traffic_;
  std::uint64_t sequence_ = 0;
  bool is_worn_ = false;
  bool has_clock_ = false;
  Counts counts_;
};

}  // namespace lsmlab::testing
