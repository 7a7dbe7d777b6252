// The plan log: one JSON line for each executed plan. All sources write the same form, so logs can
// be compared line by line, and the plans of a log can be forced on another source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct PlanRecord {
  struct Input {
    FileId id;
    std::uint32_t level = 0;
    Bytes bytes;
  };
  /// Part of a frozen file. It is linked to an input of the merge, or the link plan links it to a
  /// file.
  struct SlicePart {
    FileId frozen_file;
    FileId file;
    Bytes bytes;
  };
  struct Output {
    FileId id;
    Bytes bytes;
    KeyRange keys = {};  // all keys, if files have no ranges (resolution `flush`)
  };
  std::uint64_t sequence = 0;  // from 1
  PlanKind plan = PlanKind::kFlush;
  PlanReason reason = PlanReason::kMemtableFull;
  std::uint64_t flush = 0;  // number of flushes so far, including one that this plan takes
  bool takes_memtable = false;
  Bytes memtable_bytes;       // its size as an SSTable, if the plan takes it
  std::vector<Input> inputs;  // newest run first
  std::vector<SlicePart> slices;
  std::uint32_t target_level = 0;
  std::optional<RunId> target_run;  // if the outputs join an existing run
  bool keeps_tombstones = false;    // the merge drops none of them, whatever lies below
  // A virtual file: the merge took only these slices of it, and its output became one.
  std::optional<FileId> into;
  std::uint64_t copies_max = 0;  // MergePlan::copies_max
  std::vector<FileId> trimmed;   // of a trim: the copies that it names
  std::vector<Output> outputs;   // by key; the outputs of a move are its inputs
  Entries entries_in;            // entries of input files, of their slices, and of the memtable
  Entries entries_out;
  std::optional<Adaptation> adaptation;  // that the flush carries
};

using PlanLogSink = std::function<void(const PlanRecord&)>;

/// The record of a plan. `tree` is the tree before the plan is applied; the outputs come from the
/// edit.
[[nodiscard]] PlanRecord make_plan_record(const TreeView& tree, const Plan& plan,
                                          const TreeEdit& edit, std::uint64_t sequence);

/// The record as one JSON line, without the newline.
[[nodiscard]] std::string plan_record_line(const PlanRecord& record);
/// Errors: the line is not a record; the message says what is missing or malformed. The fault of an
/// unknown plan or reason is in Error::faults, too.
[[nodiscard]] Result<PlanRecord> parse_plan_record(std::string_view line);

/// The edit that a record describes, for `tree`. Added files have only ids, sizes and key ranges.
/// Errors: an input that is not in the tree or has another size there, or slices that do not fit.
[[nodiscard]] Result<TreeEdit> edit_of_record(const TreeView& tree, const PlanRecord& record);

}  // namespace lsmlab
