#include "validate/stores/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "models/base/shortened.h"
#include "models/tree/tree_query.h"
#include "traces/stores/option_table.h"

namespace lsmlab {
namespace {

// RocksDB's reasons that its compaction styles find in the tree. All others come from a call, a
// file's age or what it holds.
constexpr std::string_view kReasonsOfTheTree[] = {
    "",
    "Unknown",
    "LevelL0FilesNum",
    "LevelMaxLevelSize",
    "UniversalSizeAmplification",
    "UniversalSizeRatio",
    "UniversalSortedRunNum",
};

constexpr const char* kMoveOfAge = "a move of a file older than ttl";

bool is_of_the_tree(std::string_view reason) {
  return std::find(std::begin(kReasonsOfTheTree), std::end(kReasonsOfTheTree), reason) !=
         std::end(kReasonsOfTheTree);
}

DecidedWork work_of(const Plan& plan) {
  DecidedWork work;
  work.is_move = kind_of_plan(plan) == PlanKind::kMove;
  work.output_level = plan_target(plan).level;
  std::map<std::uint32_t, std::vector<std::uint64_t>> files;
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) files[input.level].push_back(id.value());
  }
  for (auto& [level, numbers] : files) {
    std::sort(numbers.begin(), numbers.end());
    work.inputs.push_back({level, std::move(numbers)});
  }
  return work;
}

Agreement compared(const DecidedWork& store, const std::optional<DecidedWork>& policy) {
  if (!policy) return Agreement::kNothing;
  if (store == *policy) return Agreement::kSame;
  const bool same_levels =
      store.start_level() == policy->start_level() && store.output_level == policy->output_level;
  if (!same_levels) return Agreement::kOtherLevel;
  return store.inputs == policy->inputs ? Agreement::kOtherKind : Agreement::kOtherFiles;
}

// The inputs as those of a plan, which the tree can reserve.
Plan reservation(const DecidedWork& work) {
  MergePlan merge;
  for (const DecidedInput& input : work.inputs) {
    PlanInput files;
    files.level = input.level;
    for (const std::uint64_t number : input.numbers) files.files.emplace_back(number);
    merge.inputs.push_back(std::move(files));
  }
  Plan plan;
  plan.action = std::move(merge);
  return plan;
}

std::uint64_t levels_of(const ConfiguredPolicy& policy) {
  for (const auto& [name, value] : policy.options) {
    const auto* const levels = std::get_if<std::uint64_t>(&value);
    if (name == "levels" && levels != nullptr) return *levels;
  }
  return stores::kStoreLevelsMax;
}

// After how many seconds RocksDB moves or merges a file because of its age; 0: never, or unknown.
std::uint64_t ttl_of(const stores::Store& store, const std::string& family) {
  const stores::FamilyOptions* const values =
      store.options ? store.options->family(family) : nullptr;
  if (values == nullptr) return 0;
  const auto text = stores::option_value(*store.options, *values, "ttl");
  std::uint64_t seconds = 0;
  if (!text) return 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  return fault == std::errc() && end == text->data() + text->size() ? seconds : 0;
}

// A LOG gives no reason for a move. RocksDB makes one because of age when the oldest data of the
// file is older than `ttl`. What time it is, the newest file tells.
class FileAges {
 public:
  explicit FileAges(std::uint64_t ttl_seconds) : ttl_seconds_(ttl_seconds) {}
  void add(const stores::HistoryEdit& step) {
    for (const stores::AddedFile& added : step.edit.added) {
      now_ = std::max(now_, added.file.creation_seconds);
      const std::uint64_t time = added.file.ancestor_seconds;
      if (time > 0) ancestors_[added.file.number] = time;
    }
  }
  [[nodiscard]] bool has_expired(const DecidedWork& work) const {
    if (ttl_seconds_ == 0) return false;
    for (const DecidedInput& input : work.inputs) {
      for (const std::uint64_t number : input.numbers) {
        const auto found = ancestors_.find(number);
        if (found != ancestors_.end() && found->second + ttl_seconds_ <= now_ + 1) return true;
      }
    }
    return false;
  }

 private:
  std::uint64_t ttl_seconds_;
  std::uint64_t now_ = 0;
  std::map<std::uint64_t, std::uint64_t> ancestors_;  // seconds since 1970, by file
};

class Checker {
 public:
  Checker(const ConfiguredPolicy& policy, StoreKeys keys, const LoggedTables& tables,
          std::uint64_t ttl_seconds)
      : policy_(policy),
        levels_(levels_of(policy)),
        tree_(std::move(keys), tables),
        ages_(ttl_seconds) {
    tree_.tree().keep(policy.policy->orderings());
  }

  DecisionCheck run(const DecisionMoments& moments) {
    check_.edits = moments.edits.size();
    auto next = moments.decisions.begin();
    for (std::size_t i = 0; i <= moments.edits.size(); ++i) {
      for (; next != moments.decisions.end() && next->edits_before <= i; ++next) {
        begin(*next, next->edit ? moments.edits[*next->edit] : nullptr);
      }
      if (i == moments.edits.size()) break;
      if (const Result<void> applied = apply(i, *moments.edits[i]); !applied) {
        check_.end = applied.error();
        break;
      }
      ++check_.edits_checked;
    }
    return std::move(check_);
  }

 private:
  Result<void> apply(std::size_t index, const stores::HistoryEdit& step) {
    for (const stores::AddedFile& added : step.edit.added) {
      if (added.level < levels_) continue;
      return input_error(
          fmt::format("offset {}: adds a file to level {}, but the policy has {} "
                      "levels",
                      step.edit.offset, added.level, levels_));
    }
    BOOST_OUTCOME_TRYV(tree_.apply(step));
    ages_.add(step);
    // Its inputs left the tree, except for those that moved, which are idle again.
    std::erase_if(running_, [&](const Running& job) { return job.edit == index; });
    return success();
  }

  void begin(const TakenDecision& taken, const stores::HistoryEdit* step) {
    const std::optional<std::uint64_t> bytes = bytes_of(taken.work);
    if (!bytes) return;  // the edit, which comes next, will be refused with the reason
    release_failed(taken.work);
    if (!taken.edit) {
      ++check_.unfinished;
    } else if (step->kind == stores::EditKind::kDrop && !taken.job) {
      ++check_.lone_deletions;
    } else if (!is_of_the_tree(taken.reason)) {
      count_asked(taken.reason, *bytes);
    } else {
      compare(taken, step->edit.offset, *bytes);
    }
    const bool is_reserved = tree_.tree().reserve(reservation(taken.work)).has_value();
    if (is_reserved) running_.push_back({taken.edit, taken.work});
  }

  void compare(const TakenDecision& taken, std::uint64_t offset, std::uint64_t bytes) {
    CheckedDecision checked{taken, offset, bytes, {}, {}};
    if (const std::optional<Plan> plan = policy_.policy->pick(tree_.tree())) {
      checked.policy = work_of(*plan);
    }
    checked.agreement = compared(taken.work, checked.policy);
    const bool is_unexplained =
        taken.work.is_move && taken.reason.empty() && checked.agreement == Agreement::kNothing;
    if (is_unexplained && ages_.has_expired(taken.work)) {
      count_asked(kMoveOfAge, bytes);
      return;
    }
    if (taken.moment_is_known) ++check_.moments_known;
    check_.decisions.push_back(std::move(checked));
  }

  void count_asked(const std::string& reason, std::uint64_t bytes) {
    auto found = std::find_if(check_.asked.begin(), check_.asked.end(),
                              [&](const AskedDecisions& one) { return one.reason == reason; });
    if (found == check_.asked.end()) found = check_.asked.insert(found, {reason, 0, 0});
    ++found->decisions;
    found->bytes += bytes;
  }

  // Nothing if a file is not in its level.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(const DecidedWork& work) const {
    std::uint64_t bytes = 0;
    FileFinder finder(tree_.tree());
    for (const DecidedInput& input : work.inputs) {
      for (const std::uint64_t number : input.numbers) {
        const File* const file = finder.find(FileId(number));
        if (file == nullptr || finder.location().level != input.level) return std::nullopt;
        bytes += file->bytes.value();
      }
    }
    return bytes;
  }

  // A job that has no end gave up its files if another one takes them.
  void release_failed(const DecidedWork& work) {
    std::erase_if(running_, [&](const Running& job) {
      if (job.edit || !shares_files(job.work, work)) return false;
      tree_.tree().release(reservation(job.work));
      return true;
    });
  }
  [[nodiscard]] static bool shares_files(const DecidedWork& a, const DecidedWork& b) {
    for (const DecidedInput& input : a.inputs) {
      for (const DecidedInput& other : b.inputs) {
        for (const std::uint64_t number : input.numbers) {
          if (std::binary_search(other.numbers.begin(), other.numbers.end(), number)) return true;
        }
      }
    }
    return false;
  }

  struct Running {
    std::optional<std::size_t> edit;
    DecidedWork work;
  };

  const ConfiguredPolicy& policy_;
  std::uint64_t levels_;
  StoreTree tree_;
  FileAges ages_;
  std::vector<Running> running_;
  DecisionCheck check_;
};

std::optional<std::uint32_t> family_id(const stores::Manifest& manifest, const std::string& name) {
  for (const auto& [id, tree] : manifest.families) {
    if (tree.name == name && !tree.is_dropped) return id;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::kSame:
      return "same";
    case Agreement::kOtherFiles:
      return "other files";
    case Agreement::kOtherLevel:
      return "other level";
    case Agreement::kOtherKind:
      return "move or merge";
    case Agreement::kNothing:
      break;
  }
  return "nothing";
}

Result<DecisionCheck> check_decisions(const stores::Store& store, const std::string& family,
                                      const ConfiguredPolicy& policy) {
  if (!store.manifest || store.manifest->history.empty()) {
    return input_error(fmt::format(
        "{}: no edit of a MANIFEST could be read, and only a MANIFEST tells the decisions with "
        "their files; expected the store's directory or its MANIFEST",
        store.path));
  }
  if (store.system == stores::StoreSystem::kPebble) {
    return input_error(fmt::format(
        "{}: is a store of Pebble, whose decisions lsmlab has no policy for; 'lsmlab inspect' "
        "reports what they wrote",
        store.path));
  }
  const auto id = family_id(*store.manifest, family);
  if (!id) {
    return input_error(
        fmt::format("{}: the MANIFEST has no column family '{}'", store.path, excerpt(family)));
  }
  StoreKeys keys = BOOST_OUTCOME_TRYX(StoreKeys::of(*store.manifest, *id));
  const LoggedTables tables = tables_of_logs(store);
  const DecisionMoments moments = decision_moments(store, *id);
  return Checker(policy, std::move(keys), tables, ttl_of(store, family)).run(moments);
}

}  // namespace lsmlab
