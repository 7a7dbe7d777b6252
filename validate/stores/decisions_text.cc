#include "validate/stores/decisions_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFilesShown = 6;

// "000045 000046 and 3 more of level 1"
std::string input_text(const DecidedInput& input) {
  std::string text;
  const std::size_t shown = std::min(input.numbers.size(), kFilesShown);
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{:06} ", input.numbers[i]);
  if (shown < input.numbers.size()) {
    text += fmt::format("and {} more ", input.numbers.size() - shown);
  }
  return text + fmt::format("of level {}", input.level);
}

std::string work_text(const DecidedWork& work) {
  std::string inputs;
  for (const DecidedInput& input : work.inputs) {
    inputs += (inputs.empty() ? "" : " with ") + input_text(input);
  }
  return fmt::format("{} to level {}", inputs, work.output_level);
}

std::string difference_text(const CheckedDecision& checked) {
  const DecidedWork& store = checked.taken.work;
  std::string text = checked.taken.job ? fmt::format("job {}", *checked.taken.job)
                                       : fmt::format("edit at byte {}", checked.offset);
  if (!checked.taken.reason.empty()) text += fmt::format(" ({})", printable(checked.taken.reason));
  text += fmt::format(": the store {} {}; ", store.is_move ? "moved" : "merged", work_text(store));
  if (!checked.policy) return text + "the policy would do nothing";
  const DecidedWork& policy = *checked.policy;
  if (policy.inputs == store.inputs && policy.output_level == store.output_level) {
    return text + fmt::format("the policy would {} them", policy.is_move ? "move" : "merge");
  }
  return text + fmt::format("the policy would {} {}", policy.is_move ? "move" : "merge",
                            work_text(policy));
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

DecisionRow sum_of(const std::vector<DecisionRow>& rows) {
  DecisionRow sum;
  for (const DecisionRow& row : rows) {
    sum.decisions += row.decisions;
    sum.bytes += row.bytes;
    sum.same_bytes += row.same_bytes;
    for (std::size_t i = 0; i < kAgreements; ++i) sum.counts[i] += row.counts[i];
  }
  return sum;
}

std::string row_text(const std::string& name, const DecisionRow& row) {
  std::string text = fmt::format("  {:<28} {:>9}", name, grouped_text(row.decisions));
  for (const std::uint64_t count : row.counts) text += fmt::format(" {:>13}", grouped_text(count));
  return text + fmt::format(" {:>11} {:>10}\n", bytes_text(row.bytes),
                            share_text(row.same_bytes, row.bytes));
}

std::string table_text(const std::vector<DecisionRow>& rows) {
  std::string text = fmt::format("  {:<28} {:>9}", "the store's decisions", "number");
  for (std::size_t i = 0; i < kAgreements; ++i) {
    text += fmt::format(" {:>13}", name_of(static_cast<Agreement>(i)));
  }
  text += fmt::format(" {:>11} {:>10}\n", "input", "same input");
  for (const DecisionRow& row : rows) {
    std::string name = fmt::format("{} {} -> {}", row.is_move ? "move" : "merge", row.start_level,
                                   row.output_level);
    if (!row.reason.empty()) name += " " + printable(row.reason);
    text += row_text(name, row);
  }
  return text + row_text("all", sum_of(rows));
}

std::string policy_text(const StoreCase& asked) {
  std::string text = fmt::format("column family \"{}\"\n  policy: {}\n",
                                 printable(asked.reported.name), printable(asked.policy.spec));
  for (const stores::PolicyGuess& guess : asked.policy.guesses) {
    text += fmt::format("    guess, {}: {}\n", guess.parameter, printable(guess.why));
  }
  return text;
}

Json work_json(const DecidedWork& work) {
  Json inputs = Json::array();
  for (const DecidedInput& input : work.inputs) {
    inputs.push_back({{"level", input.level}, {"files", input.numbers}});
  }
  return {{"kind", work.is_move ? "move" : "merge"},
          {"inputs", std::move(inputs)},
          {"output_level", work.output_level}};
}

Json decision_json(const CheckedDecision& checked) {
  const TakenDecision& taken = checked.taken;
  Json row = {
      {"offset", checked.offset},          {"job", taken.job ? Json(*taken.job) : Json(nullptr)},
      {"reason", printable(taken.reason)}, {"moment_is_known", taken.moment_is_known},
      {"input_bytes", checked.bytes},      {"agreement", name_of(checked.agreement)},
      {"store", work_json(taken.work)}};
  if (checked.agreement != Agreement::kSame) {
    row["policy"] = checked.policy ? work_json(*checked.policy) : Json(nullptr);
  }
  return row;
}

bool has_cursor(const stores::Store& store) {
  const auto& history = store.manifest->history;
  return std::any_of(history.begin(), history.end(),
                     [](const stores::HistoryEdit& step) { return !step.edit.cursors.empty(); });
}

void add_limits(std::vector<std::string>& notes, const StoreCase& asked, const stores::Store& store,
                const DecisionCheck& check) {
  const bool is_same =
      std::all_of(check.decisions.begin(), check.decisions.end(),
                  [](const auto& one) { return one.agreement == Agreement::kSame; });
  for (const std::string& option : asked.policy.unmodelled) {
    if (is_same) break;
    notes.push_back(fmt::format("{} is not modelled, and may explain differences", option));
  }
  std::uint64_t changes = 0;
  for (const stores::NamedLog& log : store.logs) changes += log.log.option_changes;
  if (changes > 0) {
    notes.push_back(
        fmt::format("the LOG has {} of SetOptions(): earlier decisions followed other "
                    "options than those of today",
                    counted_text(changes, "call")));
  }
  if (asked.policy.spec.find("priority=round-robin") != std::string::npos && !has_cursor(store)) {
    notes.emplace_back(
        "the MANIFEST has no cursor of round robin, so the policy begins at each level's first "
        "file");
  }
  if (store.system == stores::StoreSystem::kLeveldb) {
    notes.emplace_back(
        "LevelDB records neither its options nor why it merges: compactions after useless seeks "
        "and manual ones are compared, too, and show as differences");
  }
}

}  // namespace

std::vector<DecisionRow> rows_of(const DecisionCheck& check) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool, std::string>, DecisionRow> rows;
  for (const CheckedDecision& one : check.decisions) {
    const DecidedWork& work = one.taken.work;
    DecisionRow& row =
        rows[{work.start_level(), work.output_level, work.is_move, one.taken.reason}];
    row.start_level = work.start_level();
    row.output_level = work.output_level;
    row.is_move = work.is_move;
    row.reason = one.taken.reason;
    ++row.decisions;
    ++row.counts[static_cast<std::size_t>(one.agreement)];
    row.bytes += one.bytes;
    if (one.agreement == Agreement::kSame) row.same_bytes += one.bytes;
  }
  std::vector<DecisionRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

std::vector<std::string> notes_of(const StoreCase& asked, const stores::Store& store,
                                  const DecisionCheck& check) {
  std::vector<std::string> notes;
  if (check.end) {
    notes.push_back(fmt::format("stopped after {} of {} edits: {}", check.edits_checked,
                                check.edits, check.end->message));
  }
  const std::uint64_t guessed = check.decisions.size() - check.moments_known;
  if (guessed > 0) {
    notes.push_back(fmt::format(
        "{} no LOG that tells when they were taken: they are compared on the tree right before "
        "they ended. What was flushed or merged meanwhile shows as a difference",
        guessed == 1 ? "1 decision has" : fmt::format("{} decisions have", grouped_text(guessed))));
  }
  for (const AskedDecisions& one : check.asked) {
    notes.push_back(fmt::format(
        "not compared: {} by {} ({} of input), which no policy takes by "
        "itself",
        counted_text(one.decisions, "job"), printable(one.reason), bytes_text(one.bytes)));
  }
  if (check.unfinished > 0) {
    notes.push_back(
        fmt::format("not compared: {} without an end", counted_text(check.unfinished, "job")));
  }
  if (check.lone_deletions > 0) {
    notes.push_back(fmt::format("not compared: {} that only delete files",
                                counted_text(check.lone_deletions, "edit")));
  }
  add_limits(notes, asked, store, check);
  return notes;
}

std::string decisions_text(const StoreCase& asked, const stores::Store& store,
                           const DecisionCheck& check, std::size_t most) {
  std::string text = policy_text(asked);
  text += fmt::format("\ndecisions in {}: what the policy picks on the same tree\n",
                      printable(store.manifest_source));
  text += check.decisions.empty() ? "  none: no compaction or move could be compared\n"
                                  : table_text(rows_of(check));
  std::size_t shown = 0;
  std::size_t differences = 0;
  std::string list;
  for (const CheckedDecision& one : check.decisions) {
    if (one.agreement == Agreement::kSame) continue;
    ++differences;
    if (shown == most) continue;
    ++shown;
    list += "  " + difference_text(one) + "\n";
  }
  if (differences > 0) {
    text += fmt::format("\nthe first {} of {}\n", shown, counted_text(differences, "difference")) +
            list;
  }
  const std::vector<std::string> notes = notes_of(asked, store, check);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", printable(note));
  return text;
}

Json decisions_json(const StoreCase& asked, const stores::Store& store,
                    const DecisionCheck& check) {
  Json rows = Json::array();
  for (const DecisionRow& row : rows_of(check)) {
    Json one = {{"kind", row.is_move ? "move" : "merge"},
                {"start_level", row.start_level},
                {"output_level", row.output_level},
                {"reason", printable(row.reason)},
                {"decisions", row.decisions}};
    for (std::size_t i = 0; i < kAgreements; ++i) {
      one[std::string(name_of(static_cast<Agreement>(i)))] = row.counts[i];
    }
    one["input_bytes"] = row.bytes;
    one["same_input_bytes"] = row.same_bytes;
    rows.push_back(std::move(one));
  }
  Json decisions = Json::array();
  for (const CheckedDecision& one : check.decisions) decisions.push_back(decision_json(one));
  Json notes = Json::array();
  for (const std::string& note : notes_of(asked, store, check)) notes.push_back(printable(note));
  return {{"column_family", printable(asked.reported.name)},
          {"policy", printable(asked.policy.spec)},
          {"manifest", printable(store.manifest_source)},
          {"edits", check.edits},
          {"edits_checked", check.edits_checked},
          {"notes", std::move(notes)},
          {"rows", std::move(rows)},
          {"decisions", std::move(decisions)}};
}

}  // namespace lsmlab
