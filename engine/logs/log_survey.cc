#include "engine/logs/log_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/files/file_names.h"
#include "engine/logs/wal.h"

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
      BOOST_OUTCOME_TRYV(read(number));
    }
    for (const auto& [successor, named_by] : successors_) {
      if (std::binary_search(numbers.begin(), numbers.end(), successor)) continue;
      note_missing(successor, fmt::format("{} names it as its successor", wal_name(named_by)));
    }
    note_next_number(names);
    return std::move(survey_);
  }

 private:
  struct Successor {
    std::uint64_t number;
    std::uint64_t named_by;
  };
  // A torn record in a log without marks. If the next log has no marks either, the record is
  // damage: such a log was begun only after its predecessor was synced whole.
  struct Suspicion {
    std::size_t log;  // in survey_.logs
    std::string place;
  };

  [[nodiscard]] std::string path_of(std::uint64_t number) const {
    return join_path(directory_, wal_name(number));
  }

  void note_missing(std::uint64_t number, const std::string& why) {
    survey_.faults.push_back(fmt::format(
        "{}: missing, though {}. Would be lost: all that was written to it", path_of(number), why));
  }

  void note_next_number(const std::vector<std::string>& names) {
    survey_.next_number = expected_.first;
    const auto pass = [&](std::uint64_t number) {
      survey_.next_number = std::max(survey_.next_number, number + 1);
    };
    if (!survey_.faults.empty()) pass(expected_.first);  // it may be the missing log
    for (const Successor& successor : successors_) pass(successor.number);
    for (const FileKind kind : {FileKind::kWal, FileKind::kSetAside}) {
      for (const std::uint64_t number : numbers_of(names, kind)) pass(number);
    }
  }

  [[nodiscard]] Result<void> read(std::uint64_t number) {
    SurveyedLog log{number};
    const std::string path = path_of(number);
    WalVisitor visitor;
    visitor.mark = [&](std::uint64_t offset, const LogMark& mark) {
      settle_suspicion(mark.kind == LogMark::Kind::kBegin);
      if (mark.kind == LogMark::Kind::kBegin && offset == 0) note_begin(path, mark.number);
    };
    visitor.batch = [&](std::uint64_t offset, const LoggedBatch& batch) -> Result<void> {
      settle_suspicion(false);
      note_gap(path, offset, batch.first_sequence);
      if (has_gap_) {
        ++survey_.dropped_batches;
        survey_.dropped_bytes += batch.encoded.size();
        log.is_kept = true;
        return success();
      }
      log.usable_bytes = offset + 1;
      const std::uint64_t batch_last = batch.first_sequence + batch.entries - 1;
      logged_ = std::max(logged_, batch_last);
      if (batch_last <= last_) return success();
      last_ = batch_last;
      ++survey_.batches;
      return success();
    };
    const WalContents contents = BOOST_OUTCOME_TRYX(read_wal(files_, path, visitor));
    settle_suspicion(false);
    if (contents.damage) note_damage(log, contents);
    if (!contents.begins_with && is_named(number)) {
      log.is_kept = log.is_kept || contents.bytes > 0;
      survey_.faults.push_back(fmt::format(
          "{}: lacks its begin mark, which a sync had made durable. Would be lost: all that was "
          "written to it",
          path));
    }
    if (contents.successor && expected_.are_synced) {
      successors_.push_back({*contents.successor, number});
    }
    survey_.logs.push_back(log);
    return success();
  }

  // A log's begin mark is durable before anything names the log.
  [[nodiscard]] bool is_named(std::uint64_t number) const {
    if (expected_.are_synced && expected_.have_marks && number == expected_.first) return true;
    return std::any_of(successors_.begin(), successors_.end(),
                       [&](const Successor& successor) { return successor.number == number; });
  }

  // A log continues where the one before it ended.
  void note_begin(const std::string& path, std::uint64_t first) {
    note_gap(path, 0, first);
    if (has_gap_ || first > logged_) return;
    has_gap_ = true;
    note_loss(fmt::format("{}: begins with write {}, which an older log already has", path, first),
              "it is a copy, or has the writes of another log");
  }

  // Notes a loss if the write after last_ is missing because `first` comes next.
  void note_gap(const std::string& path, std::uint64_t offset, std::uint64_t first) {
    if (has_gap_ || first <= last_ + 1) return;
    has_gap_ = true;
    note_loss(fmt::format("{}: the record at byte {} continues with write {}, but the one before "
                          "it ended with write {}",
                          path, offset, first, last_),
              "logs were synced, so the writes in between were durable");
  }

  // After damage, a gap in the writes is not a fault of its own.
  void note_loss(const std::string& what, const char* why) {
    if (!expected_.are_synced) {
      survey_.tears.push_back(what + "; logs were not synced");
    } else if (survey_.faults.empty()) {
      survey_.faults.push_back(
          fmt::format("{}; {}. Would be lost: all writes from here on", what, why));
    }
  }

  void note_damage(SurveyedLog& log, const WalContents& contents) {
    const LogDamage& damage = *contents.damage;
    survey_.dropped_batches += damage.batches_behind;
    survey_.dropped_bytes += contents.dropped_bytes();
    log.is_kept = log.is_kept || damage.batches_behind > 0;
    const std::string place = fmt::format("{}: the record at byte {} {}", path_of(log.number),
                                          damage.offset, damage.reason);
    const bool has_marks = contents.begins_with.has_value();
    const bool is_shown_by_order = expected_.are_synced && !has_marks && damage.batches_behind > 0;
    // No crash leaves a log that cannot be searched to its end.
    const bool is_crafted = expected_.are_synced && !damage.is_searched_whole;
    if (damage.is_proven() || is_shown_by_order || is_crafted) {
      note_fault(log, place, damage);
      return;
    }
    if (expected_.are_synced && !has_marks && contents.batches > 0) {
      suspicion_ = Suspicion{survey_.logs.size(), place};
    }
    survey_.tears.push_back(fmt::format(
        "{}; no sync had made it durable. Lost to the log's end: {} bytes, with {} whole batches",
        place, contents.dropped_bytes(), damage.batches_behind));
  }

  void note_fault(SurveyedLog& log, const std::string& place, const LogDamage& damage) {
    log.is_kept = true;
    survey_.faults.push_back(fmt::format(
        "{}; a sync had made it durable. Would be lost: it and {}{} whole batches behind it", place,
        damage.is_searched_whole ? "" : "at least ", damage.batches_behind));
  }

  // The first record of the next log decides, or its end if it has no record.
  void settle_suspicion(bool has_marks) {
    if (!suspicion_) return;
    if (!has_marks) {
      survey_.tears.pop_back();
      note_fault(survey_.logs[suspicion_->log], suspicion_->place, LogDamage{});
    }
    suspicion_.reset();
  }

  FileSystem& files_;
  const std::string& directory_;
  const ExpectedLogs& expected_;
  std::uint64_t last_;        // every write up to this one was found
  std::uint64_t logged_ = 0;  // the largest sequence number in the logs so far
  bool has_gap_ = false;
  std::optional<Suspicion> suspicion_;
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
    return refusal(survey.tears,
                   "Recovery mode tolerate-torn-tail opens the store without what is torn");
  }
  return success();
}

}  // namespace lsmlab::engine
