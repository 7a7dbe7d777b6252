#include "validate/stores/decision_moments.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/base/check.h"

namespace lsmlab {
namespace {

using stores::EditKind;

// A moment of a log, the oldest log first.
using Moment = std::pair<std::size_t, std::uint64_t>;

struct LoggedJob {
  const stores::LoggedCompaction* compaction = nullptr;
  std::size_t log = 0;
  bool has_edit = false;
};

struct LoggedMoving {
  const stores::LoggedMove* move = nullptr;
  std::size_t log = 0;
};

std::vector<DecidedInput> by_level(std::map<std::uint32_t, std::vector<std::uint64_t>> files) {
  std::vector<DecidedInput> inputs;
  for (auto& [level, numbers] : files) {
    std::sort(numbers.begin(), numbers.end());
    inputs.push_back({level, std::move(numbers)});
  }
  return inputs;
}

std::vector<DecidedInput> inputs_of(const stores::VersionEdit& edit) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> files;
  for (const stores::DeletedFile& deleted : edit.deleted) {
    files[deleted.level].push_back(deleted.number);
  }
  return by_level(std::move(files));
}

std::vector<DecidedInput> inputs_of(const stores::LoggedCompaction& compaction) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> files;
  for (const stores::CompactionInput& input : compaction.inputs) {
    std::vector<std::uint64_t>& numbers = files[input.level];
    numbers.insert(numbers.end(), input.numbers.begin(), input.numbers.end());
  }
  return by_level(std::move(files));
}

// What the logs say about the steps of one column family, found by the numbers of files.
class LoggedSteps {
 public:
  LoggedSteps(const stores::Store& store, const std::string& family) {
    for (std::size_t i = 0; i < store.logs.size(); ++i) add(store.logs[i].log, i, family);
  }

  [[nodiscard]] std::optional<Moment> end_of(const stores::HistoryEdit& step) const {
    for (const stores::AddedFile& added : step.edit.added) {
      if (step.kind == EditKind::kMove) {
        const auto move = moves_.find({added.file.number, added.level});
        if (move != moves_.end()) return Moment{move->second.log, move->second.move->end_moment};
      } else if (const auto end = ends_.find(added.file.number); end != ends_.end()) {
        return end->second;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Moment> begin_of_move(const stores::VersionEdit& edit) const {
    const stores::AddedFile& first = edit.added.front();
    const auto move = moves_.find({first.file.number, first.level});
    if (move == moves_.end() || move->second.move->begin_moment == 0) return std::nullopt;
    return Moment{move->second.log, move->second.move->begin_moment};
  }
  // By its outputs; without outputs, by its inputs. Null where there is none.
  [[nodiscard]] LoggedJob* job_of(const stores::VersionEdit& edit,
                                  const std::vector<DecidedInput>& inputs) {
    if (!edit.added.empty()) {
      const auto job = by_output_.find(edit.added.front().file.number);
      return job == by_output_.end() ? nullptr : &jobs_[job->second];
    }
    for (LoggedJob& job : jobs_) {
      const stores::LoggedCompaction& logged = *job.compaction;
      const bool may_be = !job.has_edit && logged.is_finished && logged.outputs.empty();
      if (may_be && inputs_of(logged) == inputs) return &job;
    }
    return nullptr;
  }
  [[nodiscard]] const std::vector<LoggedJob>& jobs() const { return jobs_; }

 private:
  void add(const stores::InfoLog& log, std::size_t index, const std::string& family) {
    for (const stores::LoggedFlush& flush : log.flushes) {
      if (flush.end_moment == 0) continue;
      for (const auto& table : flush.outputs) ends_[table.number] = {index, flush.end_moment};
    }
    for (const stores::LoggedMove& move : log.moves) {
      for (const std::uint64_t number : move.numbers) {
        moves_[{number, move.level}] = {&move, index};
      }
    }
    for (const stores::LoggedCompaction& compaction : log.compactions) {
      if (compaction.family != family) continue;
      for (const auto& table : compaction.outputs) {
        by_output_[table.number] = jobs_.size();
        if (compaction.end_moment > 0) ends_[table.number] = {index, compaction.end_moment};
      }
      jobs_.push_back({&compaction, index});
    }
  }

  std::map<std::uint64_t, Moment> ends_;                                   // by file
  std::map<std::pair<std::uint64_t, std::uint32_t>, LoggedMoving> moves_;  // and by level
  std::vector<LoggedJob> jobs_;
  std::map<std::uint64_t, std::size_t> by_output_;
};

std::uint32_t output_level(const stores::VersionEdit& edit, const DecidedWork& work) {
  if (!edit.added.empty()) return edit.added.front().level;
  return work.inputs.empty() ? 0 : work.inputs.back().level;
}

class MomentFinder {
 public:
  MomentFinder(const stores::Store& store, std::uint32_t family)
      : steps_(store, store.manifest->families.at(family).name) {
    for (const stores::HistoryEdit& step : store.manifest->history) {
      if (step.edit.family != family || step.kind == EditKind::kSettings) continue;
      moments_.edits.push_back(&step);
      ends_.push_back(steps_.end_of(step));
    }
  }

  DecisionMoments find() {
    for (std::size_t i = 0; i < moments_.edits.size(); ++i) {
      const stores::HistoryEdit& step = *moments_.edits[i];
      if (!step.edit.deleted.empty()) add_ended(i, step);
      for (const stores::AddedFile& added : step.edit.added) came_with_[added.file.number] = i + 1;
    }
    for (const LoggedJob& job : steps_.jobs()) add_unfinished(job);
    std::stable_sort(taken_.begin(), taken_.end(), [](const Taken& a, const Taken& b) {
      return std::tuple(a.decision.edits_before, a.begin) <
             std::tuple(b.decision.edits_before, b.begin);
    });
    for (Taken& taken : taken_) moments_.decisions.push_back(std::move(taken.decision));
    return std::move(moments_);
  }

 private:
  struct Taken {
    TakenDecision decision;
    // If it is unknown: right before the edit, after all other decisions there.
    Moment begin = {SIZE_MAX, SIZE_MAX};
  };

  void add_ended(std::size_t index, const stores::HistoryEdit& step) {
    Taken taken;
    TakenDecision& decision = taken.decision;
    decision.edit = index;
    decision.edits_before = index;
    decision.work.is_move = step.kind == EditKind::kMove;
    decision.work.inputs = inputs_of(step.edit);
    decision.work.output_level = output_level(step.edit, decision.work);
    if (decision.work.is_move) {
      // LevelDB moves a file as soon as it has chosen it.
      decision.moment_is_known = ends_[index].has_value();
      if (const auto begin = steps_.begin_of_move(step.edit)) place(taken, *begin, index);
    }
    LoggedJob* const job =
        decision.work.is_move ? nullptr : steps_.job_of(step.edit, decision.work.inputs);
    if (job != nullptr) {
      job->has_edit = true;
      const stores::LoggedCompaction& logged = *job->compaction;
      decision.job = logged.job;
      decision.reason = logged.reason;
      if (step.edit.added.empty()) {
        decision.work.output_level = logged.output_level;
        if (logged.end_moment > 0) ends_[index] = {job->log, logged.end_moment};
      }
      if (logged.begin_moment > 0) place(taken, {job->log, logged.begin_moment}, index);
    }
    taken_.push_back(std::move(taken));
  }

  void add_unfinished(const LoggedJob& job) {
    const stores::LoggedCompaction& logged = *job.compaction;
    if (job.has_edit || logged.begin_moment == 0 || logged.is_finished) return;
    Taken taken;
    taken.decision.job = logged.job;
    taken.decision.reason = logged.reason;
    taken.decision.work.inputs = inputs_of(logged);
    place(taken, {job.log, logged.begin_moment}, moments_.edits.size());
    taken_.push_back(std::move(taken));
  }

  // After all edits that had ended then, and after those that its files came with.
  void place(Taken& taken, const Moment& begin, std::size_t limit) {
    std::size_t before = limit;
    while (before > 0 && !(ends_[before - 1] && *ends_[before - 1] <= begin)) --before;
    for (const DecidedInput& input : taken.decision.work.inputs) {
      for (const std::uint64_t number : input.numbers) {
        const auto came = came_with_.find(number);
        if (came != came_with_.end()) before = std::max(before, std::min(came->second, limit));
      }
    }
    taken.decision.edits_before = before;
    taken.decision.moment_is_known = true;
    taken.begin = begin;
  }

  LoggedSteps steps_;
  DecisionMoments moments_;
  std::vector<Taken> taken_;
  std::vector<std::optional<Moment>> ends_;         // of the edits
  std::map<std::uint64_t, std::size_t> came_with_;  // files: how many edits until they were there
};

}  // namespace

DecisionMoments decision_moments(const stores::Store& store, std::uint32_t family) {
  CHECK(store.manifest && store.manifest->families.contains(family));
  return MomentFinder(store, family).find();
}

}  // namespace lsmlab
