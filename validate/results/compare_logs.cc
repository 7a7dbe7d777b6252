#include "validate/results/compare_logs.h"

#include <fmt/format.h>

#include "models/base/quantity_text.h"
#include "validate/results/plan_log_reader.h"

namespace lsmlab {
namespace {

// The ids of the plan's files, without their sizes.
template <class Parts, class Name>
bool same_names(const Parts& a, const Parts& b, const Name& name) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (name(a[i]) != name(b[i])) return false;
  }
  return true;
}

const char* decision_difference(const PlanRecord& a, const PlanRecord& b) {
  if (a.plan != b.plan) return "plan";
  if (a.reason != b.reason) return "reason";
  if (a.takes_memtable != b.takes_memtable) return "memtable";
  const auto input = [](const PlanRecord::Input& i) { return std::pair(i.id, i.level); };
  if (!same_names(a.inputs, b.inputs, input)) return "inputs";
  const auto slice = [](const PlanRecord::SlicePart& s) {
    return std::pair(s.frozen_file, s.file);
  };
  if (!same_names(a.slices, b.slices, slice)) return "slices";
  if (a.target_level != b.target_level) return "target_level";
  return a.target_run != b.target_run ? "target_run" : nullptr;
}

const char* size_difference(const PlanRecord& a, const PlanRecord& b) {
  if (a.memtable_bytes != b.memtable_bytes) return "memtable_bytes";
  const auto input = [](const PlanRecord::Input& i) { return i.bytes; };
  if (!same_names(a.inputs, b.inputs, input)) return "inputs";
  const auto slice = [](const PlanRecord::SlicePart& s) { return s.bytes; };
  if (!same_names(a.slices, b.slices, slice)) return "slices";
  const auto output = [](const PlanRecord::Output& o) { return std::pair(o.id, o.bytes); };
  if (!same_names(a.outputs, b.outputs, output)) return "outputs";
  const auto keys = [](const PlanRecord::Output& o) {
    return std::pair(o.keys.smallest, o.keys.largest);
  };
  if (!same_names(a.outputs, b.outputs, keys)) return "outputs";
  if (a.entries_in != b.entries_in) return "entries_in";
  return a.entries_out != b.entries_out ? "entries_out" : nullptr;
}

void explain(LogComparison& comparison) {
  if (!comparison.a || !comparison.b) {
    comparison.difference = LogDifference::kEnd;
    return;
  }
  const PlanRecord& a = *comparison.a;
  const PlanRecord& b = *comparison.b;
  if (const char* member = decision_difference(a, b)) {
    comparison.difference = LogDifference::kDecision;
    comparison.member = member;
  } else if (a.flush != b.flush || a.sequence != b.sequence) {
    comparison.difference = LogDifference::kTiming;
    comparison.member = a.flush != b.flush ? "flush" : "sequence";
  } else if (const char* size = size_difference(a, b)) {
    comparison.difference = LogDifference::kSize;
    comparison.member = size;
  }
}

}  // namespace

bool is_plan_log(const std::string& path) {
  Result<PlanLogReader> log = PlanLogReader::open(path);
  if (!log) return false;
  const Result<std::optional<std::string>> line = log.value().next_line();
  return line && line.value() && parse_plan_record(*line.value()).has_value();
}

Result<LogComparison> compare_logs(const std::string& path_a, const std::string& path_b) {
  PlanLogReader a = BOOST_OUTCOME_TRYX(PlanLogReader::open(path_a));
  PlanLogReader b = BOOST_OUTCOME_TRYX(PlanLogReader::open(path_b));
  LogComparison comparison;
  for (;;) {
    const std::optional<std::string> line_a = BOOST_OUTCOME_TRYX(a.next_line());
    const std::optional<std::string> line_b = BOOST_OUTCOME_TRYX(b.next_line());
    if (!line_a && !line_b) return comparison;
    if (line_a == line_b) {
      ++comparison.same_plans;
      continue;
    }
    if (line_a) comparison.a = BOOST_OUTCOME_TRYX(a.parse(*line_a));
    if (line_b) comparison.b = BOOST_OUTCOME_TRYX(b.parse(*line_b));
    explain(comparison);
    if (comparison.difference != LogDifference::kNone) return comparison;
    // The same plan, written differently.
    comparison.a.reset();
    comparison.b.reset();
    ++comparison.same_plans;
  }
}

std::string log_comparison_text(const LogComparison& comparison) {
  if (comparison.difference == LogDifference::kNone) {
    return fmt::format("the logs are the same: {}\n", counted_text(comparison.same_plans, "plan"));
  }
  std::string text = fmt::format("the first {} plans are the same\n", comparison.same_plans);
  const std::uint64_t number = comparison.same_plans + 1;
  switch (comparison.difference) {
    case LogDifference::kNone:
      break;
    case LogDifference::kEnd:
      text += fmt::format("plan {}: only the {} log has it\n", number,
                          comparison.a ? "first" : "second");
      break;
    case LogDifference::kDecision:
      text +=
          fmt::format("plan {}: another decision (\"{}\" differs)\n", number, comparison.member);
      break;
    case LogDifference::kTiming:
      text += fmt::format("plan {}: the same decision at another time (\"{}\" differs)\n", number,
                          comparison.member);
      break;
    case LogDifference::kSize:
      text += fmt::format("plan {}: the same decision, other sizes (\"{}\" differs)\n", number,
                          comparison.member);
      break;
  }
  if (comparison.a) text += fmt::format("  a: {}\n", plan_record_line(*comparison.a));
  if (comparison.b) text += fmt::format("  b: {}\n", plan_record_line(*comparison.b));
  return text;
}

}  // namespace lsmlab
