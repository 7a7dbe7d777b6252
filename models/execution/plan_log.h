// The plan log: one JSON line per executed plan, of one form for every source, so that logs can be
// compared line by line, or have their plans forced on another source.
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
  /// Part of a frozen file that hangs on an input of a merge, or that a link hangs on a file.
  struct SlicePart {
    FileId frozen_file;
    FileId file;
    Bytes bytes;
  };
  struct Output {
    FileId id;
    Bytes bytes;
    KeyRange keys = {};  // everything where files have no ranges (resolution `flush`)
  };
  std::uint64_t sequence = 0;  // from 1
  std::string plan;            // flush | merge | move | link
  std::string reason;
  std::uint64_t flush = 0;  // flushes so far, the one that this plan takes included
  bool takes_memtable = false;
  Bytes memtable_bytes;       // as an SSTable, where the plan takes it
  std::vector<Input> inputs;  // newest run first
  std::vector<SlicePart> slices;
  std::uint32_t target_level = 0;
  std::optional<RunId> target_run;  // where outputs join a run that stands
  bool keeps_tombstones = false;    // all of them, whatever lies below
  std::vector<Output> outputs;      // by key; a move's are its inputs
  Entries entries_in;               // of input files, the parts of their slices, and the memtable
  Entries entries_out;
};

using PlanLogSink = std::function<void(const PlanRecord&)>;

/// The record of a plan before it is applied to `tree`; outputs as in the edit.
[[nodiscard]] PlanRecord make_plan_record(const TreeView& tree, const Plan& plan,
                                          const TreeEdit& edit, std::uint64_t sequence);

/// One line, without the newline.
[[nodiscard]] std::string plan_record_line(const PlanRecord& record);
/// Errors: not a record, with what is missing or malformed.
[[nodiscard]] Result<PlanRecord> parse_plan_record(std::string_view line);

/// The edit that a record stands for on `tree`: files with ids, sizes and key ranges, nothing else
/// of them. Errors: an input that is not in the tree, or has another size there; slices that do not
/// fit.
[[nodiscard]] Result<TreeEdit> edit_of_record(const TreeView& tree, const PlanRecord& record);

}  // namespace lsmlab
