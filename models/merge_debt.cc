#include "models/merge_debt.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/check.h"
#include "models/plan_execution.h"
#include "models/plan_schedule.h"
#include "models/tombstone_rule.h"
#include "models/tree_query.h"

namespace lsmlab {
namespace {

// Bytes that lie evenly over some keys.
struct Part {
  KeyRange keys;
  std::uint64_t bytes = 0;
};

// What a merge takes.
struct Intake {
  std::vector<Part> parts;
  File whole;  // all of it, as one file
};

std::uint64_t share_of(std::uint64_t amount, std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<std::uint64_t>(Uint128{amount} * part / whole);
}

void take(const File& file, const KeyRange& keys, std::uint64_t bytes, Intake& intake) {
  const auto share = [&](auto quantity) {
    return decltype(quantity)(share_of(quantity.value(), bytes, file.bytes.value()));
  };
  File& whole = intake.whole;
  const bool is_first = intake.parts.empty();
  whole.keys = is_first ? keys : hull_of(whole.keys, keys);
  whole.sequences = is_first ? file.sequences
                             : SequenceSpan{std::min(whole.sequences.first, file.sequences.first),
                                            std::max(whole.sequences.last, file.sequences.last)};
  whole.bytes += Bytes(bytes);
  whole.entries += share(file.entries);
  whole.tombstones += share(file.tombstones);
  whole.key_bytes += share(file.key_bytes);
  whole.value_bytes += share(file.value_bytes);
  intake.parts.push_back({keys, bytes});
}

Intake intake_of(const TreeView& tree, const MergePlan& plan) {
  Intake intake;
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const File& file = tree.file_at(*tree.find_file(id));
      take(file, file.keys, file.bytes.value(), intake);
      for (const Slice& slice : file.slices) {
        take(tree.frozen_files().at(slice.frozen_file).file, slice.keys, slice.bytes.value(),
             intake);
      }
    }
  }
  return intake;
}

// Keys with which output files of `file_bytes` end, but for the last one.
std::vector<std::uint64_t> ends_of(const Intake& intake, std::uint64_t file_bytes) {
  struct Change {
    double key = 0;
    double bytes_per_key = 0;
  };
  std::vector<Change> changes;
  for (const Part& part : intake.parts) {
    const auto first = static_cast<double>(part.keys.smallest);
    const auto end = static_cast<double>(part.keys.largest) + 1;
    const double density = static_cast<double>(part.bytes) / std::max(end - first, 1.0);
    changes.push_back({first, density});
    changes.push_back({std::max(end, first + 1), -density});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.key < b.key; });
  std::vector<std::uint64_t> ends;
  const auto limit = static_cast<double>(file_bytes);
  // A last file of less than a byte is none.
  const std::uint64_t ends_max = (intake.whole.bytes.value() - 1) / file_bytes;
  double at = changes.front().key;
  double bytes_per_key = 0;
  double filled = 0;
  for (const Change& change : changes) {
    while (ends.size() < ends_max && filled + bytes_per_key * (change.key - at) >= limit) {
      at = std::min(change.key, at + (limit - filled) / bytes_per_key);
      filled = 0;
      ends.push_back(static_cast<std::uint64_t>(at));
    }
    filled += bytes_per_key * (change.key - at);
    at = change.key;
    bytes_per_key += change.bytes_per_key;
  }
  return ends;
}

File part_of(const File& whole, const KeyRange& keys, std::uint64_t bytes) {
  const auto share = [&](auto quantity) {
    return decltype(quantity)(share_of(quantity.value(), bytes, whole.bytes.value()));
  };
  File file;
  file.keys = keys;
  file.bytes = Bytes(bytes);
  file.sequences = whole.sequences;
  file.entries = share(whole.entries);
  file.tombstones = share(whole.tombstones);
  file.key_bytes = share(whole.key_bytes);
  file.value_bytes = share(whole.value_bytes);
  return file;
}

std::vector<File> outputs_of(const TreeView& tree, const MergePlan& plan) {
  const Intake intake = intake_of(tree, plan);
  std::vector<File> files;
  if (intake.whole.bytes == Bytes(0)) return files;
  KeyRange left = intake.whole.keys;
  std::uint64_t left_bytes = intake.whole.bytes.value();
  std::uint64_t bytes = 0;
  if (plan.cut.file_bytes) {
    const std::uint64_t file_bytes = std::max<std::uint64_t>(1, plan.cut.file_bytes->value());
    for (const std::uint64_t end : ends_of(intake, file_bytes)) {
      bytes += file_bytes;
      // Files share no key, however few there are.
      if (end < left.smallest || end >= left.largest) continue;
      files.push_back(part_of(intake.whole, {left.smallest, end}, bytes));
      left.smallest = end + 1;
      left_bytes -= std::exchange(bytes, 0);
    }
  }
  files.push_back(part_of(intake.whole, left, left_bytes));
  TombstoneRule rule(tree, plan);
  for (File& file : files) {
    const bool goes_at_begin = rule.drops(file.keys.smallest);
    if (rule.drops(file.keys.largest) && goes_at_begin) file.tombstones = Entries(0);
  }
  return files;
}

// The sums are those of the plan's inputs.
TreeEdit merge_edit(TreeState& tree, const Plan& plan, const PlanSums& sums) {
  TreeEdit edit = begin_edit(tree, plan);
  const auto& merge = std::get<MergePlan>(plan.action);
  TreeEdit::Added added{merge.target, outputs_of(tree, merge)};
  for (File& file : added.files) {
    finish_file(file, tree.allocate_file_id(), sums.flushes, sums.oldest_tombstone, tree.now());
  }
  edit.added.push_back(std::move(added));
  return edit;
}

// The bytes of a file's part over some of its keys.
Bytes bytes_in(const File& file, const KeyRange& keys) {
  const double part = static_cast<double>(keys.largest - keys.smallest) + 1;
  const double whole = static_cast<double>(file.keys.largest - file.keys.smallest) + 1;
  return Bytes(static_cast<std::uint64_t>(static_cast<double>(file.bytes.value()) * part / whole));
}

TreeEdit link_edit(const TreeView& tree, const Plan& plan) {
  TreeEdit edit = begin_edit(tree, plan);
  const auto& link = std::get<LinkPlan>(plan.action);
  const File& upper = tree.file_at(*tree.find_file(link.upper.files.front()));
  add_links(
      tree, link, [&](const KeyRange& keys) { return bytes_in(upper, keys); }, edit);
  return edit;
}

void apply(const TreeEdit& edit, TreeState& tree) {
  const Result<void> applied = tree.apply(edit);
  CHECK(applied.has_value());
}

// Those that run count for whoever carries them out.
void end_running(std::span<const Plan> running, TreeState& tree) {
  for (const Plan& plan : running) {
    const auto* merge = std::get_if<MergePlan>(&plan.action);
    if (merge == nullptr || merge->inputs.empty()) continue;
    Plan without_memtable = plan;
    std::get<MergePlan>(without_memtable.action).takes_memtable = false;
    const PlanSums sums = merge_sums(tree, std::get<MergePlan>(without_memtable.action), {});
    TreeEdit edit = merge_edit(tree, without_memtable, sums);
    const Result<void> fits = fit_edit(tree, without_memtable, edit);
    CHECK(fits.has_value());
    apply(edit, tree);
  }
}

}  // namespace

MergeDebt merge_debt(const Policy& policy, TreeState tree, std::span<const Plan> running,
                     std::uint64_t plans_max) {
  static_cast<void>(tree.exchange_pending_flush(std::nullopt));
  end_running(running, tree);
  MergeDebt debt;
  for (;; ++debt.plans) {
    const std::optional<Plan> plan = policy.pick(tree);
    debt.is_whole = !plan;
    if (!plan || debt.plans == plans_max) return debt;
    TreeEdit edit;
    if (const auto* merge = std::get_if<MergePlan>(&plan->action)) {
      const PlanSums sums = merge_sums(tree, *merge, {});
      edit = merge_edit(tree, *plan, sums);
      ++debt.merges;
      debt.bytes_read += sums.read_bytes;
      for (const File& file : edit.added.front().files) debt.bytes_written += file.bytes.value();
    } else if (std::holds_alternative<LinkPlan>(plan->action)) {
      edit = link_edit(tree, *plan);
    } else {
      edit = begin_edit(tree, *plan);
    }
    apply(edit, tree);
  }
}

}  // namespace lsmlab
