#include "validate/stores/what_if_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "validate/catalog/catalog.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string percent_text(double from, double to) {
  return from == 0 ? "-" : fmt::format("{:+.1f} %", 100 * (to / from - 1));
}

double at(const std::vector<double>& levels, std::size_t level) {
  return level < levels.size() ? levels[level] : 0;
}

std::string name_of(const WhatIfFigures& variant) {
  const std::string change = variant.change.empty() ? "today's options" : variant.change;
  return variant.is_loaded_anew ? change + " (loaded anew)" : change;
}

std::string time_head(bool has_clock) {
  return has_clock
             ? fmt::format(" {:>9} {:>9} {:>9} {:>7}", "writes/s", "put P99", "stalled s", "years")
             : "";
}

std::string time_cells(const WhatIfFigures& one) {
  const auto number = [](const auto& value, double scale, const char* unit) {
    return value ? fmt::format("{:.1f}{}", static_cast<double>(*value) / scale, unit)
                 : std::string("-");
  };
  return fmt::format(
      " {:>9} {:>9} {:>9} {:>7}",
      one.operations_per_second ? fmt::format("{:.0f}", *one.operations_per_second) : "-",
      number(one.put_p99_ns, 1e6, " ms"), number(one.stalled_seconds, 1, ""),
      number(one.flash_years, 1, ""));
}

std::string tree_text(const StartingTree& start) {
  std::uint64_t files = 0;
  std::uint64_t entries = 0;
  for (const StartingRun& run : start.runs) {
    files += run.files.size();
    entries += run.entries();
  }
  return fmt::format("{} of {}, in {} and {}", counted_text(entries, "entry", "entries"),
                     counted_text(start.records, "record"), counted_text(files, "file"),
                     counted_text(start.runs.size(), "sorted run"));
}

Json tree_json(const StartingTree* start) {
  if (start == nullptr) return nullptr;
  Json runs = Json::array();
  for (const StartingRun& run : start->runs) {
    runs.push_back({{"level", run.level}, {"files", run.files.size()}, {"entries", run.entries()}});
  }
  return {{"records", start->records}, {"runs_oldest_first", std::move(runs)}};
}

// What the writes from now on are taken from, where that is not the whole history.
std::string later_guess(const StoreCase& asked) {
  if (asked.workload.drawn_keys) {
    return fmt::format("they draw one of {} keys, as in the history, so that new ones become rare",
                       grouped_text(*asked.workload.drawn_keys));
  }
  return asked.workload.lately ? asked.workload.lately->why : std::string();
}

// The workload that is compared with the report.
std::string history_workload(const StoreCase& asked) {
  const auto& start = asked.starts.at_history;
  return start != nullptr ? asked.workload_after(*start, true) : asked.workload.spec;
}

std::string workload_text(const StoreCase& asked, bool has_clock) {
  std::string text = fmt::format("  policy: {}\n  workload: {}\n", printable(asked.policy.spec),
                                 history_workload(asked));
  if (asked.starts.at_history != nullptr) {
    text += fmt::format("    the records stand in the tree with which the history begins: {}\n",
                        tree_text(*asked.starts.at_history));
  }
  for (const stores::PolicyGuess& guess : asked.policy.guesses) {
    text += fmt::format("    guess, {}: {}\n", guess.parameter, printable(guess.why));
  }
  for (const stores::PolicyGuess& guess : asked.workload.guesses) {
    text += fmt::format("    guess, {}: {}\n", guess.parameter, guess.why);
  }
  if (has_clock && !asked.rules.merge_threads_guess.empty()) {
    text += fmt::format("    guess, threads that merge: {}: {}\n", asked.rules.merge_threads,
                        asked.rules.merge_threads_guess);
  }
  for (const std::string& option : asked.policy.unmodelled) {
    text += fmt::format("    not modelled: {}\n", printable(option));
  }
  return text;
}

std::vector<Json> level_rows(const StoreCase& asked, const WhatIfFigures& history,
                             const std::optional<WhatIfFigures>& counted) {
  const std::vector<double> reported = reported_by_level(asked.reported);
  std::vector<Json> rows;
  for (std::size_t level = 0; level < std::max(reported.size(), history.written_by_level.size());
       ++level) {
    rows.push_back({{"level", level},
                    {"reported", at(reported, level)},
                    {"simulated", at(history.written_by_level, level)}});
    if (counted) rows.back()["counted"] = at(counted->written_by_level, level);
  }
  while (!rows.empty() && rows.back()["reported"] == 0.0 && rows.back()["simulated"] == 0.0) {
    rows.pop_back();
  }
  return rows;
}

bool has_log(const StoreCase& asked) {
  return asked.reported.source != stores::HistorySource::kStatistics;
}

std::string writes_text(const StoreCase& asked) {
  if (!has_waiting_writers(asked, true)) {
    return fmt::format(
        "{} come at {} a second, {}.", asked.workload.rate_is_stated ? "Operations" : "Writes",
        grouped_text(static_cast<std::uint64_t>(asked.workload.writes_per_second.value_or(0))),
        asked.workload.rate_is_stated ? "as the workload of -w says" : "the mean of the history");
  }
  const double micros = static_cast<double>(asked.clock->write_ns.value_or(0)) / 1000;
  if (!has_log(asked)) {
    return fmt::format(
        "A write takes {:.2f} us, the table's time without stalls, and waits where the rules of "
        "stalls say so.",
        micros);
  }
  return fmt::format(
      "Writers were slowed or stopped in {:.0f} % of the LOG's time. So a write takes {:.2f} us, "
      "as "
      "without stalls,\n  and waits where the rules of stalls say so.",
      100 * asked.clock->stalled_share, micros);
}

// REQUIRES: the case has a clock, and writes have a rate or a duration.
std::string clock_text(const StoreCase& asked) {
  const LoggedClock& clock = *asked.clock;
  const std::uint64_t threads = asked.rules.merge_threads;
  std::string notes =
      clock.divided_merges == 0
          ? ""
          : fmt::format(
                "  {} merge{} had several threads, which were {:.2f} times as fast as one.\n",
                grouped_text(clock.divided_merges), clock.divided_merges == 1 ? "" : "s",
                clock.divided_gain);
  if (!clock.division_note.empty()) notes += fmt::format("  {}\n", clock.division_note);
  if (asked.rules.flush_threads_min > 1) {
    notes += fmt::format(
        "  Of the store's flushes {} or more ran at once, as the table tells. One thread flushes "
        "here, so writers may\n  wait longer for memtables.\n",
        asked.rules.flush_threads_min);
  }
  return fmt::format(
      "  With clock: a flush takes {:.2f} us an entry and a merge {:.2f} us, as the {} tells. {} "
      "thread{}.\n{}  {}\n"
      "  Counted: every merge that is due ends before the next write. --device none counts only.\n",
      static_cast<double>(clock.flush_entry_ns) / 1000,
      static_cast<double>(clock.merge_entry_ns) / 1000, has_log(asked) ? "LOG" : "table", threads,
      threads == 1 ? " merges" : "s merge", notes, writes_text(asked));
}

// Sums may agree while levels do not.
std::string levels_distrust_text(double reported, const std::vector<Json>& rows,
                                 const char* column) {
  constexpr double kFar = 0.4;
  double off = 0;
  for (const Json& row : rows) {
    off += std::abs(row[column].get<double>() - row["reported"].get<double>());
  }
  if (off <= kFar * reported) return {};
  return fmt::format(
      "  The sums agree better than the levels: the differences of all levels add up to {:.0f} % "
      "of "
      "the bytes. An option that the\n  files do not tell (when level 0 merges, the base level, "
      "which "
      "file goes first) may be another: try it with --set.\n",
      100 * off / reported);
}

// Level 0 merges within itself only while a merge out of it runs, and a counted run has none that
// runs.
std::string busy_level0_text(const std::vector<Json>& rows) {
  constexpr double kOnce = 1.05;
  if (rows.empty() || rows.front()["level"] != 0) return {};
  const double reported = rows.front()["reported"];
  if (reported < 1.2 || rows.front()["simulated"].get<double>() > kOnce) return {};
  return fmt::format(
      "  Level 0 was written {:.1f} times over, because it merged within itself while other merges "
      "ran. A counted run never does\n  that: try --device NAME (lsmlab devices), with "
      "--merge-threads N if the store has more than one.\n",
      reported);
}

// What the test of trust says of all that follows it, which has a clock or none as the judged run
// has: that the other one agrees helps it nothing.
std::string distrust_text(double reported, const WhatIfFigures& history,
                          const std::optional<WhatIfFigures>& counted,
                          const std::vector<Json>& rows, JudgedRun judged) {
  constexpr double kFar = 0.25;
  const auto is_far = [&](const WhatIfFigures& one) {
    return std::abs(one.write_flushed / reported - 1) > kFar;
  };
  if (reported <= 0) return {};
  const bool judges_counted = counted && judged == JudgedRun::kCounted;
  if (!is_far(judges_counted ? *counted : history)) {
    return levels_distrust_text(reported, rows, judges_counted ? "counted" : "simulated");
  }
  if (judges_counted && !is_far(history)) {
    return "  Counted, as all figures below are, these do not agree: trust no more of them than "
           "their direction.\n  With the clock they are nearer: --device log takes it.\n";
  }
  if (!judges_counted && counted && !is_far(*counted)) {
    return "  With the clock these do not agree, and all figures below have it: trust no more of "
           "them than their direction.\n  Counted, they are nearer: --device none counts only.\n";
  }
  return fmt::format(
             "  These do not agree: something decides here that the files do not tell or that is "
             "not "
             "modelled (docs/what-if.md).\n  Figures below are those of another store that has "
             "these "
             "options; trust no more of them than their direction.\n") +
         (counted ? std::string() : busy_level0_text(rows));
}

}  // namespace

std::string trust_text(const StoreCase& asked, const WhatIfFigures& history,
                       const std::optional<WhatIfFigures>& counted, JudgedRun judged) {
  const auto row_text = [&](const std::string& name, double theirs, double ours, double count) {
    return fmt::format("  {:<7} {:>9.2f} {:>10.2f} {:>11}{}\n", name, theirs, ours,
                       percent_text(theirs, ours),
                       counted ? fmt::format(" {:>9.2f} {:>11}", count, percent_text(theirs, count))
                               : std::string());
  };
  std::string text = fmt::format("column family \"{}\"\n", printable(asked.reported.name)) +
                     workload_text(asked, history.stalled_seconds.has_value());
  if (asked.reported.flushes.bytes == 0) {
    return text +
           "\nThe files report no flush, so there is nothing to compare the simulation with.\n";
  }
  text +=
      "\nwritten into each level per flushed byte: what the store reports, and what its options "
      "give here\n";
  text += fmt::format("  {:<7} {:>9} {:>10} {:>11}{}\n", "level", "reported",
                      counted ? "with clock" : "simulated", "difference",
                      counted ? fmt::format(" {:>9} {:>11}", "counted", "difference") : "");
  double reported = 0;
  const std::vector<Json> rows = level_rows(asked, history, counted);
  for (const Json& row : rows) {
    const double theirs = row["reported"];
    reported += theirs;
    text += row_text(std::to_string(row["level"].get<std::size_t>()), theirs, row["simulated"],
                     counted ? row["counted"].get<double>() : 0);
  }
  text += row_text("W-Amp", reported, history.write_flushed, counted ? counted->write_flushed : 0);
  text += distrust_text(reported, history, counted, rows, judged);
  if (counted) text += clock_text(asked);
  if (asked.workload.is_whole_history && asked.workload.steady_writes) {
    text +=
        "  The simulated store begins with its records; how it grew to them is not simulated.\n";
  } else if (!asked.workload.is_whole_history && asked.starts.at_history == nullptr) {
    text +=
        "  The history begins in the middle: a difference may be the tree's, which was not at "
        "rest.\n";
  }
  if (asked.starts.now == nullptr && !asked.workload.begins_at_rest() &&
      !asked.workload.guesses.empty()) {
    text += fmt::format(
        "  {} changes are tried on the same history, from an empty store.\n",
        asked.has_manifest ? "Today's tree is not the start:" : "No MANIFEST tells today's tree:");
  }
  if (asked.starts.now != nullptr) {
    text +=
        fmt::format("\nfrom now on: {}\n  the records stand in today's tree: {}\n",
                    asked.workload_after(*asked.starts.now, false), tree_text(*asked.starts.now));
    const std::string why = later_guess(asked);
    if (!why.empty()) text += fmt::format("  guess, writes: {}\n", why);
  }
  return text;
}

namespace {

// What a reader must know of a line before its figures.
std::string mark_of(const WhatIfFigures& one) {
  if (!one.complete) return "  (stopped early)";
  if (one.is_vague()) {
    return fmt::format("  (only {} flush{})", one.flushes, one.flushes == 1 ? "" : "es");
  }
  return one.read_max == 0 ? "  (keeps no data)" : "";
}

// Of the levels that the store or the simulation wrote into.
std::string level_shares_text(const stores::FamilyFigures& reported, const WhatIfFigures& history) {
  const auto total = static_cast<double>(reported.flushes.bytes + reported.merge_written_bytes);
  if (total == 0) return "";
  std::string text = "\nshare of the written bytes\n";
  for (std::size_t level = 0;
       level < std::max(reported.levels.size(), history.written_by_level.size()); ++level) {
    const std::uint64_t written =
        level < reported.levels.size() ? reported.levels[level].written_bytes : 0;
    const double simulated = at(history.written_by_level, level);
    if (written == 0 && simulated == 0) continue;
    text += fmt::format("  into level {}: {:>5.1f} % reported, {:.1f} % simulated\n", level,
                        100 * static_cast<double>(written) / total,
                        100 * simulated / history.write_flushed);
  }
  return text;
}

}  // namespace

std::string variants_text(const StoreCase& asked, const WhatIfAnswer& answer) {
  const std::vector<WhatIfFigures>& variants = answer.variants;
  const bool has_clock = variants.front().stalled_seconds.has_value();
  std::size_t width = 16;
  for (const WhatIfFigures& one : variants) width = std::max(width, name_of(one).size());
  std::string text =
      fmt::format("\n{:<{}} {:>11} {:>7} {:>9} {:>9} {:>8} {:>10} {:>10} {:>13}{}\n", "", width,
                  "write ampl.", "W-Amp", "change", "runs mean", "runs max", "peak space",
                  "peak disk", "largest merge", time_head(has_clock));
  for (const WhatIfFigures& one : variants) {
    text += fmt::format("{:<{}} {:>11.2f} {:>7.2f} {:>9} {:>9.2f} {:>8} {:>10} {:>10} {:>13}{}{}\n",
                        name_of(one), width, one.write, one.write_flushed,
                        percent_text(answer.baseline_of(one).write_flushed, one.write_flushed),
                        one.read_mean, one.read_max,
                        one.space ? fmt::format("{:.2f}", *one.space) : "-",
                        bytes_text(one.peak_file_bytes), bytes_text(one.merge_output_max_bytes),
                        has_clock ? time_cells(one) : "", mark_of(one));
  }
  if (!answer.lack_of_all.empty()) {
    text += fmt::format("{}: not simulated: {}\n", kAllTogether, answer.lack_of_all);
  }
  text +=
      "\nwrite ampl.: bytes written / bytes of keys and values; W-Amp: / bytes flushed. Runs are "
      "those that a lookup may\nvisit. Peak space: most bytes on disk / live bytes then; the "
      "largest merge needs so much free.\n";
  if (std::any_of(variants.begin(), variants.end(),
                  [](const WhatIfFigures& one) { return one.is_loaded_anew; })) {
    text +=
        "Loaded anew: the policy cannot go on from today's tree, so it runs the history's workload "
        "from an empty store. The\nchange is the difference from today's options that begin so, "
        "too.\n";
  }
  const bool is_estimated =
      std::any_of(variants.begin(), variants.end(),
                  [](const WhatIfFigures& one) { return one.resolution == "range"; });
  if (is_estimated) {
    text +=
        "Simulated at resolution range, because of the number of writes: sizes are computed from "
        "densities of keys,\nmostly within 1 to 3 % of exact keys (docs/range.md).\n";
  }
  if (has_clock) {
    text +=
        !has_waiting_writers(asked, answer.counted_history.has_value())
            ? "With the store's own rate of writes, put P99 counts from when a write was due: "
              "those behind a stall have waited, too.\n"
            : "A client writes again when its last write has ended, so put P99 has what each write "
              "waited itself, not what those\nbehind it would have waited.\n";
  } else {
    text +=
        "Counted without a clock: every merge that is due ends before the next write. --device "
        "NAME takes the time they need\ninto account, and shows stalls.\n";
  }
  return text;
}

Json what_if_json(const StoreCase& asked, const WhatIfAnswer& answer) {
  const std::vector<WhatIfFigures>& variants = answer.variants;
  const auto guesses_json = [](const std::vector<stores::PolicyGuess>& guesses) {
    Json rows = Json::array();
    for (const stores::PolicyGuess& one : guesses) {
      rows.push_back({{"parameter", printable(one.parameter)}, {"guess", printable(one.why)}});
    }
    return rows;
  };
  Json rows = Json::array();
  for (const WhatIfFigures& one : variants) {
    Json row = {{"change", one.change.empty() ? Json(nullptr) : Json(one.change)},
                {"is_loaded_anew", one.is_loaded_anew},
                {"complete", one.complete},
                {"resolution", one.resolution},
                {"flushes", one.flushes},
                {"write", one.write},
                {"write_flushed", one.write_flushed},
                {"written_by_level", one.written_by_level},
                {"read_mean", one.read_mean},
                {"read_max", one.read_max},
                {"peak_space", one.space ? Json(*one.space) : Json(nullptr)},
                {"peak_file_bytes", static_cast<std::uint64_t>(one.peak_file_bytes)},
                {"merge_output_max_bytes", one.merge_output_max_bytes}};
    if (one.stalled_seconds) {
      row["operations_per_second"] =
          one.operations_per_second ? Json(*one.operations_per_second) : Json(nullptr);
      row["put_p99_ns"] = one.put_p99_ns ? Json(*one.put_p99_ns) : Json(nullptr);
      row["stalled_seconds"] = *one.stalled_seconds;
      row["flash_years"] = one.flash_years ? Json(*one.flash_years) : Json(nullptr);
    }
    rows.push_back(std::move(row));
  }
  Json unmodelled = Json::array();
  for (const std::string& option : asked.policy.unmodelled) unmodelled.push_back(printable(option));
  const auto reported = asked.reported.write_amplification();
  return {{"column_family", printable(asked.reported.name)},
          {"policy", printable(asked.policy.spec)},
          {"policy_guesses", guesses_json(asked.policy.guesses)},
          {"unmodelled_options", std::move(unmodelled)},
          {"workload", history_workload(asked)},
          {"workload_guesses", guesses_json(asked.workload.guesses)},
          {"is_whole_history", asked.workload.is_whole_history},
          {"reported_write_flushed", reported ? Json(*reported) : Json(nullptr)},
          {"levels", level_rows(asked, answer.history, answer.counted_history)},
          {"simulated_write_flushed", answer.history.write_flushed},
          {"counted_write_flushed",
           answer.counted_history ? Json(answer.counted_history->write_flushed) : Json(nullptr)},
          {"merge_threads",
           answer.history.stalled_seconds ? Json(asked.rules.merge_threads) : Json(nullptr)},
          {"merge_threads_guess",
           answer.history.stalled_seconds && !asked.rules.merge_threads_guess.empty()
               ? Json(asked.rules.merge_threads_guess)
               : Json(nullptr)},
          {"device", answer.counted_history ? Json(asked.clock->device) : Json(nullptr)},
          {"tree_at_history", tree_json(asked.starts.at_history.get())},
          {"tree_now", tree_json(asked.starts.now.get())},
          {"workload_from_now", asked.starts.now != nullptr
                                    ? Json(asked.workload_after(*asked.starts.now, false))
                                    : Json(nullptr)},
          {"workload_from_now_guess",
           later_guess(asked).empty() ? Json(nullptr) : Json(later_guess(asked))},
          {"variants", std::move(rows)},
          {"lack_of_all_together",
           answer.lack_of_all.empty() ? Json(nullptr) : Json(answer.lack_of_all)}};
}

std::string explanation_text(const StoreCase& asked, const WhatIfAnswer& answer, std::size_t most) {
  const stores::FamilyFigures& reported = asked.reported;
  const std::vector<WhatIfFigures>& variants = answer.variants;
  const WhatIfFigures& today = variants.front();
  const auto total = static_cast<double>(reported.flushes.bytes + reported.merge_written_bytes);
  std::string text = level_shares_text(reported, answer.history);
  for (const auto& [reason, figures] : reported.reasons) {
    text += fmt::format("  by {}: {:.1f} % in {} merges\n", printable(reason),
                        100 * static_cast<double>(figures.written_bytes) / total, figures.merges);
  }
  std::vector<const WhatIfFigures*> changes;
  std::size_t tried = 0;
  for (const WhatIfFigures& one : variants) {
    if (one.change.empty() || !one.complete || one.is_loaded_anew) continue;
    ++tried;
    if (!one.is_vague()) changes.push_back(&one);
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const WhatIfFigures* a, const WhatIfFigures* b) { return a->write < b->write; });
  text += fmt::format(
      "\nchanges with the largest effect on the written bytes, of {} that were tried\n", tried);
  if (changes.empty() || changes.front()->write >= today.write) text += "  none writes less\n";
  for (std::size_t i = 0; i < std::min(most, changes.size()); ++i) {
    const WhatIfFigures& one = *changes[i];
    if (one.write >= today.write) break;
    text += fmt::format(
        "  {}: write ampl. {:.1f} -> {:.1f} (W-Amp {:.1f} -> {:.1f}); sorted runs at most "
        "{} -> {}; peak space {:.2f} -> {:.2f}\n",
        one.change, today.write, one.write, today.write_flushed, one.write_flushed, today.read_max,
        one.read_max, today.space.value_or(0), one.space.value_or(0));
  }
  if (changes.size() < tried) {
    text += fmt::format(
        "  {} of them fill{} fewer than {} memtables in this workload, too few to tell\n",
        tried - changes.size(), tried - changes.size() == 1 ? "s" : "", WhatIfFigures::kFlushesMin);
  }
  return text +
         "write ampl.: bytes written / bytes of keys and values; W-Amp: / bytes flushed, without "
         "what memtables and\ncompression save\n";
}

}  // namespace lsmlab
