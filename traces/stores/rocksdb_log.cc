// RocksDB's information log: its events and its options.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "models/base/json_parse.h"
#include "models/base/shortened.h"
#include "traces/stores/info_log.h"
#include "traces/stores/log_lines.h"
#include "traces/stores/log_outcome.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pasted_text.h"
#include "traces/stores/sourced_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEventMark = "EVENT_LOG_v1 ";
constexpr std::uint64_t kThreadsMax = 1024;
constexpr std::string_view kStallMark = " writes because ";
constexpr std::string_view kFamilyMark = "Options for column family [";

std::uint64_t count_in(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_number_unsigned() ? member->get<std::uint64_t>() : 0;
}

std::string word_in(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

std::uint32_t depth_in(const Json& object, const char* name) {
  const std::uint64_t level = count_in(object, name);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(level, 255));
}

LoggedTable table_of(const Json& event) {
  LoggedTable table;
  table.number = count_in(event, "file_number");
  table.bytes = count_in(event, "file_size");
  const auto found = event.find("table_properties");
  if (found == event.end() || !found->is_object()) return table;
  const Json& properties = *found;
  table.entries = count_in(properties, "num_entries");
  table.deletes = count_in(properties, "num_deletions");
  // RocksDB 5 calls it "deleted_keys".
  if (table.deletes == 0) table.deletes = count_in(properties, "deleted_keys");
  table.raw_key_bytes = count_in(properties, "raw_key_size");
  table.raw_value_bytes = count_in(properties, "raw_value_size");
  table.data_bytes = count_in(properties, "data_size");
  table.compression = word_in(properties, "compression");
  return table;
}

// TiKV writes the head of the log, which has the options, without times.
bool is_of_head(std::string_view line) {
  const std::string_view text = trimmed(line);
  return version_of_message(line) || text.starts_with("Options.") ||
         text.starts_with("table_factory options:") ||
         line.find(kFamilyMark) != std::string_view::npos;
}

enum class JobKind { kFlush, kCompaction };
struct Job {
  JobKind kind = JobKind::kFlush;
  std::size_t index = 0;  // into the log's flushes or compactions
};

// Jobs whose column family the log does not name belong to the default one.
void name_families(InfoLog& log) {
  for (LoggedFlush& flush : log.flushes) {
    if (flush.family.empty()) flush.family = "default";
  }
  for (LoggedCompaction& compaction : log.compactions) {
    if (compaction.family.empty()) compaction.family = "default";
  }
  const auto unnamed = log.level_files.find("");
  if (unnamed == log.level_files.end()) return;
  log.level_files.try_emplace("default", unnamed->second);
  log.level_files.erase("");
}

class RocksdbLogReader final : public InfoLogReader {
 public:
  void add_line(std::string_view line, bool is_whole, std::size_t number) override {
    InfoLog& log = result_.value;
    ++log.lines;
    const std::optional<LogLine> read = log_line(line);
    if (!read) {
      if (!is_of_head(line)) return add_continuation(line);
      is_table_dump_ = false;
      return add_message(line);
    }
    is_table_dump_ = false;
    note_time(read->micros);
    line_thread_ = std::string(read->thread);
    const std::string_view message = read->message;
    made_micros_ = made_micros(message, read->micros);
    if (statistics_.continues(message)) {
      statistics_.add_line(message, line_micros_);
      return;
    }
    statistics_.end_table();
    if (const auto event = after(message, kEventMark)) {
      add_event(*event, is_whole, number);
    } else {
      add_message(message);
    }
  }

  Salvaged<InfoLog> finish() override {
    if (result_.value.last_micros == 0 && !result_.fault) {
      result_.fault = input_error("no line begins with a time; expected the LOG of a store");
    }
    if (!result_.fault) result_.fault = statistics_.fault();
    auto& compactions = result_.value.compactions;
    for (LoggedCompaction& compaction : compactions) resolve_inputs(compaction);
    compactions.insert(compactions.end(), lone_outcomes_.begin(), lone_outcomes_.end());
    name_families(result_.value);
    return std::move(result_);
  }

 private:
  void note_time(std::uint64_t micros) {
    InfoLog& log = result_.value;
    line_micros_ = micros;
    // What is found in a log and pasted together is in no order.
    log.first_micros = log.first_micros == 0 ? micros : std::min(log.first_micros, micros);
    log.last_micros = std::max(log.last_micros, micros);
  }

  void add_continuation(std::string_view line) {
    if (!is_table_dump_) {
      const std::string unquoted = unquoted_line(line);
      note_heading_line(unquoted, result_.value.db_bench, result_.value.options.version);
      statistics_.add_line(unquoted, line_micros_);
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with("  ")) return;
    result_.value.options.add_family(family_).values.try_emplace(
        std::string(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
  }

  void add_message(std::string_view message) {
    if (const auto has = jemalloc_of_message(message)) result_.value.has_jemalloc = *has;
    if (const auto version = version_of_message(message)) {
      result_.value.options.version = *version;
    } else if (const auto family = after(message, kFamilyMark)) {
      family_ = std::string(family->substr(0, family->rfind(']')));
      static_cast<void>(result_.value.options.add_family(family_));
    } else if (trimmed(message).starts_with("Options.")) {
      add_option_line(trimmed(message));
    } else if (trimmed(message).starts_with("table_factory options:")) {
      is_table_dump_ = true;
      if (family_.empty()) family_ = "default";
    } else if (message.find(kOutcomeMark) != std::string_view::npos) {
      note_outcome(message);
    } else if (message.find(kStallMark) != std::string_view::npos) {
      add_stall(message);
    } else {
      note_family(message);
    }
  }

  // "Options.name: value"
  void add_option_line(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name(line.substr(8, colon - 8));
    if (family_.empty() && is_family_option(name)) family_ = "default";
    StoreOptions& options = result_.value.options;
    OptionValues& values = family_.empty() ? options.database : options.add_family(family_).values;
    values.insert_or_assign(name, std::string(trimmed(line.substr(colon + 1))));
  }

  // What follows the amplifications says how the merge ended. Its event does not say it.
  void note_outcome(std::string_view message) {
    if (has_failed(message)) return static_cast<void>(failing_threads_.insert(line_thread_));
    auto merge = compaction_of_outcome(message);
    if (!merge) return;
    merge->micros = line_micros_;
    auto files = files_of_summary(message);
    if (files) result_.value.level_files[merge->family] = std::move(*files);
    if (!has_ends_) lone_outcomes_.push_back(*merge);
    outcomes_.insert_or_assign(line_thread_, std::move(*merge));
  }

  // The thread's line before the event of the end has what older events lack.
  void add_outcome(LoggedCompaction& compaction) {
    has_ends_ = true;
    lone_outcomes_.clear();
    const auto node = outcomes_.extract(line_thread_);
    if (node.empty()) return;
    LoggedCompaction& outcome = node.mapped();
    if (outcome.output_level != compaction.output_level ||
        outcome.output_files != compaction.output_files) {
      return;
    }
    set_family(compaction.job, outcome.family);
    if (compaction.inputs_are_known) return;
    compaction.inputs = std::move(outcome.inputs);
    compaction.input_bytes = outcome.input_bytes;
    compaction.inputs_are_known = true;
  }

  void add_stall(std::string_view message) {
    LoggedStall stall;
    stall.micros = line_micros_;
    stall.is_stop = message.find("Stopping writes") != std::string_view::npos;
    if (!stall.is_stop && message.find("Stalling writes") == std::string_view::npos) return;
    stall.family = family_of_message(message, stall.is_stop ? "Stopping writes" : "Stalling writes")
                       .value_or("default");
    if (message.find("level-0 files") != std::string_view::npos) {
      stall.cause = StallCause::kLevel0Files;
    } else if (message.find("immutable memtables") != std::string_view::npos) {
      stall.cause = StallCause::kMemtables;
    } else if (message.find("pending compaction") != std::string_view::npos) {
      stall.cause = StallCause::kPendingBytes;
    }
    result_.value.stalls.push_back(std::move(stall));
  }

  // Older versions name the column family of a job only in text. Events have the levels' files,
  // but for those of moves.
  void note_family(std::string_view message) {
    for (const std::string_view mark : {"Level summary: ", "Moved #"}) {
      const auto family = family_of_message(message, mark);
      auto files = family ? files_of_summary(message) : std::nullopt;
      if (files) result_.value.level_files[*family] = std::move(*files);
    }
    const auto job = after(message, "[JOB ");
    if (job) {
      const auto number = leading_number(*job);
      const auto family = family_of_message(message, "[JOB ");
      if (number && family) set_family(*number, *family);
    } else if (const auto moved = family_of_message(message, "Moving #")) {
      moving_family_ = *moved;
      if (moving_numbers_.empty()) moving_micros_ = made_micros_;
      if (const auto number = leading_number(*after(message, "Moving #"))) {
        moving_numbers_.push_back(*number);
      }
    } else if (message.find("SetOptions() on column family") != std::string_view::npos) {
      ++result_.value.option_changes;
    }
  }

  void set_family(std::uint64_t number, const std::string& family) {
    family_of_job_[number] = family;
    const auto job = jobs_.find(number);
    if (job == jobs_.end()) return;
    InfoLog& log = result_.value;
    std::string& name = job->second.kind == JobKind::kFlush
                            ? log.flushes[job->second.index].family
                            : log.compactions[job->second.index].family;
    if (name.empty()) name = family;
  }

  void add_event(std::string_view text, bool is_whole, std::size_t number) {
    const auto parsed = parse_json(trimmed(text));
    if (!parsed || !parsed.value().is_object()) {
      if (!result_.fault) {
        result_.fault = input_error(
            is_whole ? fmt::format("line {}: the event '{}' is not JSON", number, excerpt(text))
                     : fmt::format("line {}: the log ends within an event: it was cut, or is being "
                                   "written",
                                   number));
      }
      return;
    }
    const Json& event = parsed.value();
    ++result_.value.events;
    const std::string kind = word_in(event, "event");
    const std::uint64_t job = count_in(event, "job");
    if (const std::string family = word_in(event, "cf_name"); !family.empty()) {
      set_family(job, family);
    }
    if (kind == "flush_started") begin_flush(event, job);
    if (kind == "flush_finished") end_flush(event, job);
    if (kind == "compaction_started") begin_compaction(event, job);
    if (kind == "compaction_finished") end_compaction(event, job);
    if (kind == "table_file_creation") add_table(event, job);
    if (kind == "trivial_move") add_move(event, job);
  }

  std::string known_family(std::uint64_t job) const {
    const auto family = family_of_job_.find(job);
    return family == family_of_job_.end() ? "" : family->second;
  }

  void begin_flush(const Json& event, std::uint64_t job) {
    LoggedFlush flush;
    flush.job = job;
    flush.micros = line_micros_;
    flush.reason = word_in(event, "flush_reason");
    flush.begin_moment = count_in(event, "time_micros");
    flush.memtable_entries = count_in(event, "num_entries");
    // The name since version 11.
    if (flush.memtable_entries == 0) {
      flush.memtable_entries = count_in(event, "total_num_input_entries");
    }
    flush.memtable_deletes = count_in(event, "num_deletes");
    flush.memtable_bytes = count_in(event, "total_data_size");
    flush.family = known_family(job);
    jobs_[job] = {JobKind::kFlush, result_.value.flushes.size()};
    result_.value.flushes.push_back(std::move(flush));
  }

  LoggedFlush* flush_of(std::uint64_t job) {
    const auto found = jobs_.find(job);
    if (found == jobs_.end() || found->second.kind != JobKind::kFlush) return nullptr;
    return &result_.value.flushes[found->second.index];
  }
  LoggedCompaction* compaction_of(std::uint64_t job) {
    const auto found = jobs_.find(job);
    if (found == jobs_.end() || found->second.kind != JobKind::kCompaction) return nullptr;
    return &result_.value.compactions[found->second.index];
  }

  void note_levels(const Json& event, const std::string& family) {
    const auto levels = event.find("lsm_state");
    if (levels == event.end() || !levels->is_array() || levels->size() > 256) return;
    std::vector<std::uint64_t> files;
    for (const Json& count : *levels) {
      files.push_back(count.is_number_unsigned() ? count.get<std::uint64_t>() : 0);
    }
    result_.value.level_files[family] = std::move(files);
  }

  // RocksDB may begin a new log between the start and the end of a job.
  std::vector<LoggedTable> take_orphans(std::uint64_t job) {
    const auto node = orphans_.extract(job);
    return node.empty() ? std::vector<LoggedTable>() : std::move(node.mapped());
  }

  void end_flush(const Json& event, std::uint64_t job) {
    if (flush_of(job) == nullptr) {
      begin_flush(Json::object(), job);
      flush_of(job)->outputs = take_orphans(job);
    }
    LoggedFlush* flush = flush_of(job);
    flush->is_finished = true;
    flush->end_moment = count_in(event, "time_micros");
    flush->micros = line_micros_;
    flush->compression = word_in(event, "output_compression");
    note_levels(event, flush->family);
  }

  void begin_compaction(const Json& event, std::uint64_t job) {
    LoggedCompaction compaction;
    compaction.job = job;
    compaction.micros = line_micros_;
    compaction.reason = word_in(event, "compaction_reason");
    compaction.family = known_family(job);
    compaction.begin_moment = count_in(event, "time_micros");
    if (event.contains("input_data_size")) {
      compaction.input_bytes = count_in(event, "input_data_size");
    }
    for (const auto& [name, files] : event.items()) {
      if (!name.starts_with("files_L") || !files.is_array()) continue;
      const auto level = leading_number(std::string_view(name).substr(7));
      if (!level || *level > 255) continue;
      CompactionInput input;
      input.level = static_cast<std::uint32_t>(*level);
      for (const Json& number : files) {
        if (number.is_number_unsigned()) input.numbers.push_back(number.get<std::uint64_t>());
      }
      input.files = input.numbers.size();
      if (input.files == 0) continue;
      compaction.inputs.push_back(std::move(input));
    }
    jobs_[job] = {JobKind::kCompaction, result_.value.compactions.size()};
    result_.value.compactions.push_back(std::move(compaction));
  }

  void end_compaction(const Json& event, std::uint64_t job) {
    if (compaction_of(job) == nullptr) {
      begin_compaction(Json::object(), job);
      compaction_of(job)->outputs = take_orphans(job);
      compaction_of(job)->inputs_are_known = false;
    }
    // The store was closed, say, and keeps the inputs.
    if (failing_threads_.erase(line_thread_) > 0) return;
    LoggedCompaction* compaction = compaction_of(job);
    compaction->is_finished = true;
    compaction->end_moment = count_in(event, "time_micros");
    compaction->micros = line_micros_;
    compaction->output_level = depth_in(event, "output_level");
    compaction->output_files = count_in(event, "num_output_files");
    compaction->output_bytes = count_in(event, "total_output_size");
    compaction->input_entries = count_in(event, "num_input_records");
    compaction->output_entries = count_in(event, "num_output_records");
    compaction->duration_micros = count_in(event, "compaction_time_micros");
    compaction->threads =
        std::clamp<std::uint64_t>(count_in(event, "num_subcompactions"), 1, kThreadsMax);
    compaction->compression = word_in(event, "output_compression");
    add_outcome(*compaction);
    note_levels(event, compaction->family);
  }

  void add_table(const Json& event, std::uint64_t job) {
    LoggedTable table = table_of(event);
    sizes_[table.number] = table.bytes;
    if (LoggedFlush* flush = flush_of(job)) {
      flush->outputs.push_back(std::move(table));
    } else if (LoggedCompaction* compaction = compaction_of(job)) {
      compaction->outputs.push_back(std::move(table));
    } else {
      orphans_[job].push_back(std::move(table));
    }
  }

  void add_move(const Json& event, std::uint64_t job) {
    LoggedMove move;
    move.micros = line_micros_;
    move.family = known_family(job);
    if (move.family.empty()) move.family = moving_family_;
    move.level = depth_in(event, "destination_level");
    move.files = count_in(event, "files");
    move.bytes = count_in(event, "total_files_size");
    move.end_moment = count_in(event, "time_micros");
    if (moving_numbers_.size() == move.files && move.end_moment > 0) {
      move.numbers = moving_numbers_;
      const std::uint64_t begin = moving_micros_ - zone_micros(made_micros_, move.end_moment);
      move.begin_moment = std::min(begin, move.end_moment);
    }
    moving_numbers_.clear();
    result_.value.moves.push_back(std::move(move));
  }

  // Sizes are known for files that were created in this log. If one level only lacks some, it has
  // what the others leave of the sum.
  void resolve_inputs(LoggedCompaction& compaction) const {
    std::uint64_t known = 0;
    CompactionInput* unknown = nullptr;
    std::size_t unknown_count = 0;
    for (CompactionInput& input : compaction.inputs) {
      if (input.bytes) continue;
      std::uint64_t bytes = 0;
      bool is_known = true;
      for (const std::uint64_t number : input.numbers) {
        const auto size = sizes_.find(number);
        is_known = is_known && size != sizes_.end();
        if (size != sizes_.end()) bytes += size->second;
      }
      if (is_known) {
        input.bytes = bytes;
        known += bytes;
      } else {
        unknown = &input;
        ++unknown_count;
      }
    }
    if (unknown_count == 1 && compaction.input_bytes && *compaction.input_bytes >= known) {
      unknown->bytes = *compaction.input_bytes - known;
    }
  }

  Salvaged<InfoLog> result_;
  StatisticsReader statistics_{result_.value};
  std::string family_;  // whose options are being printed; empty: those of the database
  bool is_table_dump_ = false;
  std::uint64_t line_micros_ = 0;
  std::string line_thread_;
  std::set<std::string> failing_threads_;  // whose merge ends next, with an error
  std::unordered_map<std::string, LoggedCompaction> outcomes_;  // of the next ends, by thread
  std::vector<LoggedCompaction> lone_outcomes_;                 // of a log without events of ends
  bool has_ends_ = false;
  std::string moving_family_ = "default";
  std::vector<std::uint64_t> moving_numbers_;  // of the files of the next move
  std::uint64_t moving_micros_ = 0;            // when they were chosen
  std::uint64_t made_micros_ = 0;
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::unordered_map<std::uint64_t, std::vector<LoggedTable>> orphans_;  // their job is unknown
  std::unordered_map<std::uint64_t, std::string> family_of_job_;
  std::unordered_map<std::uint64_t, std::uint64_t> sizes_;  // by file number
};

}  // namespace

std::unique_ptr<InfoLogReader> rocksdb_log_reader() {
  return sourced_log_reader(
      []() -> std::unique_ptr<InfoLogReader> { return std::make_unique<RocksdbLogReader>(); });
}

}  // namespace lsmlab::stores
