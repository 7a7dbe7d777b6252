// Two plan logs side by side: where they part, and in what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/error.h"
#include "models/execution/plan_log.h"

namespace lsmlab {

/// In what two plans differ; of several, the first of these.
enum class LogDifference {
  kNone,
  kEnd,       // one log ends, the other goes on
  kDecision,  // another plan: kind, reason, inputs, slices, target level, or what it takes
  kTiming,    // the same plan after another flush
  kSize,      // the same plan, of or to other bytes or entries
};

struct LogComparison {
  std::uint64_t same_plans = 0;  // from the first on
  LogDifference difference = LogDifference::kNone;
  std::string member;           // the first that differs: "inputs", "outputs", ...
  std::optional<PlanRecord> a;  // the first plans that differ; nothing where a log ends
  std::optional<PlanRecord> b;
};

/// Whether the file can be read and its first line is a plan record.
[[nodiscard]] bool is_plan_log(const std::string& path);

/// Line by line, in constant memory. Errors: a file that cannot be read, or a line that is no plan
/// record, with its number.
[[nodiscard]] Result<LogComparison> compare_logs(const std::string& path_a,
                                                 const std::string& path_b);

/// For people, some lines.
[[nodiscard]] std::string log_comparison_text(const LogComparison& comparison);

}  // namespace lsmlab
