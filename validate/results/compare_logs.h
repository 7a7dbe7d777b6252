// Compares two plan logs: finds the first plan that differs, and how it differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/error.h"
#include "models/execution/plan_log.h"

namespace lsmlab {

/// How two plans differ. Where they differ in several ways, the first of these counts.
enum class LogDifference {
  kNone,
  kEnd,       // one log ends, the other has more plans
  kDecision,  // another kind, reason, inputs, slices or target, or only one takes the memtable
  kTiming,    // the same plan after another flush
  kSize,      // the same plan with other bytes or entries
};

struct LogComparison {
  std::uint64_t same_plans = 0;  // equal plans before the first difference
  LogDifference difference = LogDifference::kNone;
  std::string member;           // the first member that differs: "inputs", "outputs", ...
  std::optional<PlanRecord> a;  // the first plans that differ; nothing if that log ends there
  std::optional<PlanRecord> b;
};

/// Whether the file can be read and its first line is a plan record.
[[nodiscard]] bool is_plan_log(const std::string& path);

/// Compares two logs line by line, in constant memory. Errors: a file cannot be read, or a line is
/// not a plan record; the error has the line's number.
[[nodiscard]] Result<LogComparison> compare_logs(const std::string& path_a,
                                                 const std::string& path_b);

/// The comparison in a few lines, for people.
[[nodiscard]] std::string log_comparison_text(const LogComparison& comparison);

}  // namespace lsmlab
