#include "engine/log_survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/file_names.h"
#include "engine/wal.h"

namespace lsmlab::engine {
namespace {

class Survey {
 public:
  Survey(FileSystem& files, const std::string& directory, const ExpectedLogs& expected)
      : files_(files), directory_(directory), expected_(expected), last_(expected.last_sequence) {}

  [[nodiscard]] Result<LogSurvey> run(const std::vector<std::string>& names) {
    std::vector<std::uint64_t> numbers = numbers_of(names, FileKind::kWal);
    std::erase_if(numbers, [&](std::uint64_t number) { return number < expected_.first; });
    if (expected_.are_synced && (numbers.empty() || numbers.front() != expected_.first)) {
      note_missing(expected_.first, "the manifest names it");
    }
    for (const std::uint64_t number : numbers) {
      BOOST_OUTCOME_TRYV(read(number, number == numbers.back()));
    }
    for (const auto& [successor, named_by] : successors_) {
      if (std::binary_search(numbers.begin(), numbers.end(), successor)) continue;
      note_missing(successor, fmt::format("{} names it as its successor", wal_name(named_by)));
    }
    return std::move(survey_);
  }

 private:
  struct Successor {
    std::uint64_t number;
    std::uint64_t named_by;
  };

  [[nodiscard]] std::string path_of(std::uint64_t number) const {
    return join_path(directory_, wal_name(number));
  }

  void note_missing(std::uint64_t number, const std::string& why) {
    survey_.faults.push_back(fmt::format(
        "{}: missing, though {}. At stake: all that was written to it", path_of(number), why));
  }

  [[nodiscard]] Result<void> read(std::uint64_t number, bool is_newest) {
    SurveyedLog log{number};
    const std::string path = path_of(number);
    std::uint64_t end = 0;  // of the batches that are recovered, where a gap ends them
    WalVisitor visitor;
    visitor.mark = [&](std::uint64_t, const LogMark& mark) {
      if (mark.kind == LogMark::Kind::kBegin) note_gap(path, 0, mark.number);
    };
    visitor.batch = [&](std::uint64_t offset, const LoggedBatch& batch) -> Result<void> {
      note_gap(path, offset, batch.first_sequence);
      if (has_gap_) {
        drop(log, batch.encoded.size());
        return success();
      }
      end = offset + 1;
      const std::uint64_t batch_last = batch.first_sequence + batch.entries - 1;
      if (batch.entries == 0 || batch_last <= last_) return success();
      last_ = batch_last;
      ++survey_.batches;
      return success();
    };
    const WalContents contents = BOOST_OUTCOME_TRYX(read_wal(files_, path, visitor));
    log.usable_bytes = end;
    if (contents.damage) note_damage(log, contents, is_newest);
    if (contents.successor && expected_.are_synced) {
      successors_.push_back({*contents.successor, number});
    }
    survey_.logs.push_back(log);
    return success();
  }

  // Whether the next write is missing where number `first` comes.
  void note_gap(const std::string& path, std::uint64_t offset, std::uint64_t first) {
    if (has_gap_ || first <= last_ + 1) return;
    has_gap_ = true;
    const std::string what = fmt::format(
        "{}: the record at byte {} continues with write {}, and the logs before it end "
        "with write {}",
        path, offset, first, last_);
    if (expected_.are_synced) {
      survey_.faults.push_back(what + ", though they had been synced. At stake: all from here on");
    } else {
      survey_.tears.push_back(what + ", and were not synced");
    }
  }

  void drop(SurveyedLog& log, std::uint64_t bytes) {
    ++survey_.dropped_batches;
    survey_.dropped_bytes += bytes;
    log.is_kept = true;
  }

  void note_damage(SurveyedLog& log, const WalContents& contents, bool is_newest) {
    const LogDamage& damage = *contents.damage;
    survey_.dropped_batches += damage.batches_behind;
    survey_.dropped_bytes += contents.dropped_bytes();
    // Logs without marks were synced batch by batch, and whole before their successors. One that
    // does not even begin may have been begun by a recovery, which is not a log's successor.
    const bool is_shown_by_order =
        expected_.are_synced && !contents.begins_with &&
        (damage.batches_behind > 0 || (contents.batches > 0 && !is_newest));
    const bool is_fault = damage.is_proven() || is_shown_by_order;
    const std::string place = fmt::format("{}: the record at byte {} {}", path_of(log.number),
                                          damage.offset, damage.reason);
    const std::string_view at_least = damage.is_searched_whole ? "" : "at least ";
    if (is_fault) {
      log.is_kept = true;
      survey_.faults.push_back(
          fmt::format("{}; a sync had made it durable. At stake: it and {}{} whole batches behind "
                      "it",
                      place, at_least, damage.batches_behind));
      return;
    }
    // Torn batches of logs with marks were never acknowledged; of other logs nobody can tell.
    if (damage.batches_behind > 0 && !expected_.are_synced) log.is_kept = true;
    survey_.tears.push_back(fmt::format(
        "{}; no sync had made it durable. To the end: {} bytes, with {}{} whole batches", place,
        contents.dropped_bytes(), at_least, damage.batches_behind));
  }

  FileSystem& files_;
  const std::string& directory_;
  const ExpectedLogs& expected_;
  std::uint64_t last_;  // sequence number up to which all is there
  bool has_gap_ = false;
  std::vector<Successor> successors_;
  LogSurvey survey_;
};

Error refusal(const std::vector<std::string>& losses, std::string_view advice) {
  const std::string others =
      losses.size() > 1 ? fmt::format(" (and {} more)", losses.size() - 1) : std::string();
  return machine_error(
      fmt::format("{}{}. Nothing was changed. {}", losses.front(), others, advice));
}

}  // namespace

Result<LogSurvey> survey_logs(FileSystem& files, const std::string& directory,
                              const std::vector<std::string>& names, const ExpectedLogs& expected) {
  return Survey(files, directory, expected).run(names);
}

Result<void> check_mode(const LogSurvey& survey, RecoveryMode mode) {
  if (mode == RecoveryMode::kPointInTime) return success();
  if (!survey.faults.empty()) {
    return refusal(survey.faults,
                   "Recovery mode point-in-time opens the store as it was before the loss and "
                   "keeps damaged logs under other names");
  }
  if (mode == RecoveryMode::kAbsolute && !survey.tears.empty()) {
    return refusal(survey.tears, "Recovery mode tolerate-torn-tail opens the store without it");
  }
  return success();
}

}  // namespace lsmlab::engine
