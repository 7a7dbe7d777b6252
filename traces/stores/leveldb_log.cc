// LevelDB's information log, and the time at the beginning of a line.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "traces/stores/info_log.h"
#include "traces/stores/log_dress.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr const char* kOnlyFamily = "default";  // LevelDB has one

// "4@0 + 1@1 files": the inputs of a compaction.
std::vector<CompactionInput> inputs_of(std::string_view text) {
  std::vector<CompactionInput> inputs;
  for (const std::string_view word : words_of(text)) {
    const std::size_t at = word.find('@');
    if (at == std::string_view::npos) {
      if (word == "files") break;
      continue;
    }
    const auto files = leading_number(word);
    const auto level = leading_number(word.substr(at + 1));
    if (!files || !level || *level > 255) continue;
    CompactionInput input;
    input.files = *files;
    input.level = static_cast<std::uint32_t>(*level);
    if (*files > 0) inputs.push_back(std::move(input));
  }
  return inputs;
}

class LeveldbLogReader final : public InfoLogReader {
 public:
  LeveldbLogReader() { log_.system = StoreSystem::kLeveldb; }

  void add_line(std::string_view line, bool /*is_whole*/, std::size_t /*number*/) override {
    ++log_.lines;
    const auto micros = micros_of_line(line);
    if (!micros) return;
    micros_ = *micros;
    if (log_.first_micros == 0) log_.first_micros = micros_;
    log_.last_micros = std::max(log_.last_micros, micros_);
    std::string_view message = line.substr(std::min<std::size_t>(line.size(), 27));
    const std::size_t space = message.find(' ');
    if (space == std::string_view::npos) return;
    add_message(message.substr(space + 1));
  }

  Salvaged<InfoLog> finish() override {
    Salvaged<InfoLog> result;
    if (log_.last_micros == 0) {
      result.fault = input_error("no line begins with a time; expected the LOG of a store");
    }
    result.value = std::move(log_);
    return result;
  }

 private:
  void add_message(std::string_view message) {
    const bool is_flush = message.starts_with("Level-0 table #");
    // When it opens, LevelDB flushes what the log of the last run held, full or not.
    if (!is_flush) is_recovering_ = message.starts_with("Recovering log #");
    if (is_flush) {
      add_flush(message);
    } else if (message.starts_with("Compacting ")) {
      LoggedCompaction compaction;
      compaction.family = kOnlyFamily;
      compaction.micros = micros_;
      compaction.job = ++log_.events;
      compaction.inputs = inputs_of(message.substr(11));
      compaction.begin_moment = log_.lines;
      log_.compactions.push_back(std::move(compaction));
    } else if (message.starts_with("Generated table #")) {
      add_table(message);
    } else if (message.starts_with("Compacted ")) {
      end_compaction(message);
    } else if (message.starts_with("compacted to: files[")) {
      add_levels(message.substr(20));
    } else if (message.starts_with("Moved #")) {
      add_move(message);
    } else if (message.starts_with("Current memtable full") ||
               message.starts_with("Too many L0 files")) {
      const bool by_files = message.starts_with("Too");
      log_.stalls.push_back({kOnlyFamily, micros_,
                             by_files ? StallCause::kLevel0Files : StallCause::kMemtables, true});
    }
  }

  // "Level-0 table #5: 97054 bytes OK"
  void add_flush(std::string_view message) {
    const auto rest = after(message, ": ");
    const auto number = leading_number(message.substr(15));
    if (!rest || !number || rest->starts_with("started")) return;
    const auto bytes = leading_number(*rest);
    if (!bytes || *bytes == 0) return;
    LoggedFlush flush;
    flush.family = kOnlyFamily;
    if (is_recovering_) flush.reason = kRecoveredLog;
    flush.micros = micros_;
    flush.job = ++log_.events;
    flush.is_finished = true;
    flush.end_moment = log_.lines;
    LoggedTable table;
    table.number = *number;
    table.bytes = *bytes;
    flush.outputs.push_back(std::move(table));
    log_.flushes.push_back(std::move(flush));
  }

  // "Generated table #16@0: 8000 keys, 1059078 bytes"
  void add_table(std::string_view message) {
    if (log_.compactions.empty() || log_.compactions.back().is_finished) return;
    LoggedTable table;
    table.number = leading_number(message.substr(17)).value_or(0);
    if (const auto rest = after(message, ": ")) table.entries = leading_number(*rest).value_or(0);
    if (const auto rest = after(message, "keys, ")) {
      table.bytes = leading_number(*rest).value_or(0);
    }
    LoggedCompaction& compaction = log_.compactions.back();
    compaction.output_entries += table.entries;
    compaction.outputs.push_back(std::move(table));
  }

  // "Compacted 4@0 + 1@1 files => 1059078 bytes"
  void end_compaction(std::string_view message) {
    if (log_.compactions.empty() || log_.compactions.back().is_finished) return;
    LoggedCompaction& compaction = log_.compactions.back();
    const auto bytes = after(message, "=> ");
    if (!bytes) return;
    compaction.output_bytes = leading_number(*bytes).value_or(0);
    compaction.output_files = compaction.outputs.size();
    std::uint32_t level = 0;
    for (const CompactionInput& input : inputs_of(message)) level = std::max(level, input.level);
    // Files of one level only merge into the next one too.
    compaction.output_level =
        compaction.inputs.size() > 1 || compaction.inputs.empty() ? level : level + 1;
    compaction.duration_micros = micros_ - std::min(micros_, compaction.micros);
    compaction.micros = micros_;
    compaction.is_finished = true;
    compaction.end_moment = log_.lines;
  }

  void add_levels(std::string_view text) {
    std::vector<std::uint64_t> files;
    for (const std::string_view word : words_of(text.substr(0, text.find(']')))) {
      if (const auto count = leading_number(word); count && files.size() < 256) {
        files.push_back(*count);
      }
    }
    log_.level_files[kOnlyFamily] = std::move(files);
  }

  // "Moved #7 to level-2 97160 bytes OK: ..."
  void add_move(std::string_view message) {
    const auto level = after(message, "to level-");
    if (!level) return;
    LoggedMove move;
    move.family = kOnlyFamily;
    move.micros = micros_;
    move.files = 1;
    move.end_moment = log_.lines;
    if (const auto number = leading_number(message.substr(7))) move.numbers.push_back(*number);
    move.level = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(leading_number(*level).value_or(0), 255));
    if (const auto bytes = after(*level, " ")) move.bytes = leading_number(*bytes).value_or(0);
    log_.moves.push_back(std::move(move));
  }

  InfoLog log_;
  std::uint64_t micros_ = 0;
  bool is_recovering_ = false;
};

// Number of two or four digits; nothing if another character is among them.
std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value;
}

}  // namespace

// "2026/11/27-01:16:03.511835"
std::optional<std::uint64_t> micros_of_line(std::string_view line) {
  constexpr std::string_view kShape = "dddd/dd/dd-dd:dd:dd.dddddd";
  if (line.size() < kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] != 'd' && line[i] != kShape[i]) return std::nullopt;
  }
  const auto year = digits(line.substr(0, 4));
  const auto month = digits(line.substr(5, 2));
  const auto day = digits(line.substr(8, 2));
  const auto hour = digits(line.substr(11, 2));
  const auto minute = digits(line.substr(14, 2));
  const auto second = digits(line.substr(17, 2));
  const auto micros = digits(line.substr(20, 6));
  if (!year || !month || !day || !hour || !minute || !second || !micros) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok() || *year < 1970) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::uint64_t seconds =
      static_cast<std::uint64_t>(days) * 86400 + *hour * 3600U + *minute * 60U + *second;
  return seconds * 1'000'000 + *micros;
}

bool is_leveldb_log(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1U << 16);
  if (is_rocksdb_log(bytes) || !has_log_lines(head)) return false;
  for (const std::string_view mark :
       {" Creating DB ", " Recovering log #", " Level-0 table #", " Delete type=", " Compacting ",
        " Reusing MANIFEST", " Manual compaction at level"}) {
    if (head.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

std::unique_ptr<InfoLogReader> leveldb_log_reader() { return std::make_unique<LeveldbLogReader>(); }

}  // namespace lsmlab::stores
