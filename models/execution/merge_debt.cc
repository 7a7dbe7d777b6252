#include "models/execution/merge_debt.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_schedule.h"
#include "models/execution/tombstone_rule.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// Bytes that are spread evenly over a range of keys.
struct Part {
  KeyRange keys;
  std::uint64_t bytes = 0;
};

// The input of a flush or merge.
struct Intake {
  std::vector<Part> parts;
  File whole;  // the whole input, described as one file
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

void take_memtable(const PendingFlush& flush, Intake& intake) {
  File file;
  file.keys = flush.keys;
  file.bytes = flush.bytes;
  file.entries = flush.entries;
  file.tombstones = flush.tombstones;
  take(file, file.keys, file.bytes.value(), intake);
}

Intake intake_of(const TreeView& tree, const Plan& plan) {
  Intake intake;
  if (takes_memtable(plan)) take_memtable(*tree.pending_flush(), intake);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const File& file = tree.file_at(*tree.find_file(id));
      if (!file.is_virtual) take(file, file.keys, file.bytes.value(), intake);
      const std::span<const Slice> slices =
          merge != nullptr ? merged_slices(*merge, file) : std::span<const Slice>(file.slices);
      for (const Slice& slice : slices) {
        take(tree.frozen_files().at(slice.frozen_file).file, slice.keys, slice.bytes.value(),
             intake);
      }
    }
  }
  return intake;
}

// A change of the byte density at a key. Keys count from the smallest one, so that doubles
// represent them exactly.
struct Change {
  double offset = 0;
  double bytes_per_key = 0;
};

std::vector<Change> changes_of(const Intake& intake) {
  std::vector<Change> changes;
  const std::uint64_t smallest = intake.whole.keys.smallest;
  for (const Part& part : intake.parts) {
    const auto first = static_cast<double>(part.keys.smallest - smallest);
    const double keys = static_cast<double>(part.keys.largest - part.keys.smallest) + 1;
    const double density = static_cast<double>(part.bytes) / keys;
    changes.push_back({first, density});
    changes.push_back({first + keys, -density});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.offset < b.offset; });
  return changes;
}

// The largest keys of output files of `file_bytes`, without the last file. Some may be equal.
std::vector<std::uint64_t> ends_of(const Intake& intake, std::uint64_t file_bytes) {
  const KeyRange& keys = intake.whole.keys;
  const auto limit = static_cast<double>(file_bytes);
  const std::uint64_t ends_max = (intake.whole.bytes.value() - 1) / file_bytes;
  std::vector<std::uint64_t> ends;
  double at = 0;
  double bytes_per_key = 0;
  double filled = 0;
  for (const Change& change : changes_of(intake)) {
    while (ends.size() < ends_max && filled + bytes_per_key * (change.offset - at) >= limit) {
      at = std::min(change.offset, at + (limit - filled) / bytes_per_key);
      filled = 0;
      const bool is_past = at >= static_cast<double>(keys.largest - keys.smallest);
      ends.push_back(is_past ? keys.largest : keys.smallest + static_cast<std::uint64_t>(at));
    }
    filled += bytes_per_key * (change.offset - at);
    at = change.offset;
    bytes_per_key += change.bytes_per_key;
  }
  return ends;
}

// The size limit of a file. A file holds at least one block or one entry.
std::uint64_t file_bytes_of(const OutputCut& cut, const File& whole, Bytes block_size) {
  const std::uint64_t entries = std::max<std::uint64_t>(1, whole.entries.value());
  const std::uint64_t entry = whole.bytes.value() / entries;
  const std::uint64_t least =
      cut.measure == CutMeasure::kStoredBlocks ? std::max(entry, block_size.value()) : entry;
  return std::max({std::uint64_t{1}, least, cut.file_bytes->value()});
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

// The parts of an input between rising keys at each of which a file begins.
std::vector<Intake> split_at(const Intake& intake, const std::vector<std::uint64_t>& begins) {
  std::vector<Intake> pieces(begins.size() + 1);
  const auto piece_of = [&](std::uint64_t key) {
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), key) -
                                    begins.begin());
  };
  for (const Part& part : intake.parts) {
    KeyRange left = part.keys;
    std::uint64_t left_bytes = part.bytes;
    const double keys = static_cast<double>(part.keys.largest - part.keys.smallest) + 1;
    const std::size_t last = piece_of(part.keys.largest);
    for (std::size_t i = piece_of(part.keys.smallest); i <= last; ++i) {
      const KeyRange here{left.smallest, i < last ? begins[i] - 1 : left.largest};
      const double share = (static_cast<double>(here.largest - here.smallest) + 1) / keys;
      const auto wanted = static_cast<std::uint64_t>(static_cast<double>(part.bytes) * share);
      const std::uint64_t bytes = i < last ? std::min(wanted, left_bytes) : left_bytes;
      File& whole = pieces[i].whole;
      whole.keys = pieces[i].parts.empty() ? here : hull_of(whole.keys, here);
      whole.bytes += Bytes(bytes);
      pieces[i].parts.push_back({here, bytes});
      left_bytes -= bytes;
      if (i < last) left.smallest = begins[i];
    }
  }
  for (Intake& piece : pieces) {
    piece.whole = part_of(intake.whole, piece.whole.keys, piece.whole.bytes.value());
  }
  return pieces;
}

// The output as files with disjoint key ranges. There may be fewer files than the size limit asks
// for.
std::vector<File> cut_into_files(const Intake& intake, const OutputCut& cut, Bytes block_size) {
  std::vector<File> files;
  if (intake.whole.bytes == Bytes(0)) return files;
  if (cut.file_begins && cut.file_begin_bytes_min == Bytes(0)) {
    OutputCut by_size;
    by_size.file_bytes = cut.file_bytes;
    by_size.measure = cut.measure;
    for (const Intake& piece : split_at(intake, *cut.file_begins)) {
      for (File& file : cut_into_files(piece, by_size, block_size)) {
        files.push_back(std::move(file));
      }
    }
    return files;
  }
  KeyRange left = intake.whole.keys;
  std::uint64_t left_bytes = intake.whole.bytes.value();
  std::uint64_t bytes = 0;
  if (cut.file_bytes) {
    const std::uint64_t file_bytes = file_bytes_of(cut, intake.whole, block_size);
    for (const std::uint64_t end : ends_of(intake, file_bytes)) {
      bytes += file_bytes;
      if (end < left.smallest || end >= left.largest) continue;
      files.push_back(part_of(intake.whole, {left.smallest, end}, bytes));
      left.smallest = end + 1;
      left_bytes -= std::exchange(bytes, 0);
    }
  }
  files.push_back(part_of(intake.whole, left, left_bytes));
  return files;
}

// What outputs depend on beside the plan.
struct OutputRules {
  Bytes block_size;
  std::uint64_t gc_grace = 0;
};

std::vector<File> outputs_of(const TreeView& tree, const Plan& plan, const OutputRules& rules) {
  const Bytes block_size = rules.block_size;
  const Intake intake = intake_of(tree, plan);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr) {
    return cut_into_files(intake, std::get<FlushPlan>(plan.action).cut, block_size);
  }
  std::vector<File> files = cut_into_files(intake, merge->cut, block_size);
  if (intake.whole.tombstones == Entries(0)) return files;
  TombstoneRule rule(tree, *merge, PreRemove::kFiles, rules.gc_grace);
  for (File& file : files) {
    if (!rule.is_ripe(file.sequences.last)) continue;
    const bool goes_at_begin = rule.drops(file.keys.smallest);
    if (rule.drops(file.keys.largest) && goes_at_begin) file.tombstones = Entries(0);
  }
  return files;
}

// The bytes of the part of the file that lies within the keys.
Bytes bytes_in(const File& file, const KeyRange& keys) {
  const double part = static_cast<double>(keys.largest - keys.smallest) + 1;
  const double whole = static_cast<double>(file.keys.largest - file.keys.smallest) + 1;
  return Bytes(static_cast<std::uint64_t>(static_cast<double>(file.bytes.value()) * part / whole));
}

void link(const TreeView& tree, const LinkPlan& plan, TreeEdit& edit) {
  const File& upper = tree.file_at(*tree.find_file(plan.upper.files.front()));
  add_links(
      tree, plan, [&](const KeyRange& keys) { return bytes_in(upper, keys); }, edit);
}

void add_virtual(TreeState& tree, const ReferPlan& plan, TreeEdit& edit) {
  const VirtualFileSource source{
      [&](FileId id, const KeyRange& keys) -> Result<Bytes> {
        const FrozenFile* const frozen = tree.frozen_files().find(id);
        return bytes_in(frozen != nullptr ? frozen->file : tree.file_at(*tree.find_file(id)), keys);
      },
      [&] { return tree.allocate_file_id(); }};
  const Result<void> added = add_virtual_files(tree, plan, source, edit);
  CHECK(added.has_value());
}

// Makes the plan's edit, and counts what the plan reads and writes.
TreeEdit edit_of(TreeState& tree, const Plan& plan, const OutputRules& rules, MergeDebt& debt) {
  TreeEdit edit = begin_edit(tree, plan);
  if (const auto* links = std::get_if<LinkPlan>(&plan.action)) link(tree, *links, edit);
  if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) add_virtual(tree, *refer, edit);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr && !std::holds_alternative<FlushPlan>(plan.action)) return edit;
  const PlanSums sums = merge != nullptr ? merge_sums(tree, *merge, {}) : flush_sums(tree, {});
  TreeEdit::Added added = begin_added(plan);
  added.files = outputs_of(tree, plan, rules);
  for (File& file : added.files) {
    file.id = tree.allocate_file_id();
    finish_output(file, sums, tree.now());
    debt.bytes_written += file.bytes.value();
  }
  edit.added.push_back(std::move(added));
  if (merge != nullptr) add_copies(tree, merge->inputs, merge->copies_max, edit);
  debt.bytes_read += sums.read_bytes;
  debt.merges += merge != nullptr ? 1 : 0;
  return edit;
}

void apply(const TreeEdit& edit, TreeState& tree) {
  const Result<void> applied = tree.apply(edit);
  CHECK(applied.has_value());
}

}  // namespace

MergeDebt merge_debt(const Policy& policy, TreeState tree, const MergeDebtQuestion& question) {
  const OutputRules rules{question.block_size, policy.gc_grace()};
  for (const Plan& plan : question.running) {
    MergeDebt not_owed;
    TreeEdit edit = edit_of(tree, plan, rules, not_owed);
    const Result<void> fits = fit_edit(tree, plan, edit);
    CHECK(fits.has_value());
    apply(edit, tree);
  }
  MergeDebt debt;
  std::span<const PendingFlush> waiting = question.waiting;
  for (;; ++debt.plans) {
    if (!tree.pending_flush() && !waiting.empty()) {
      tree.begin_flush(waiting.front());
      waiting = waiting.subspan(1);
    }
    const std::optional<Plan> plan = policy.pick(tree);
    debt.is_whole = !plan;
    if (!plan || debt.plans == question.plans_max) return debt;
    apply(edit_of(tree, *plan, rules, debt), tree);
  }
}

}  // namespace lsmlab
