#include "engine/store/store_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/files/file_names.h"
#include "engine/logs/log_survey.h"
#include "engine/sstable/key_window.h"
#include "engine/sstable/sstable.h"
#include "models/accounting/tree_figures.h"
#include "models/execution/forced_plans.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kReadAheadBytes = 1 << 20;

std::string value_of(const StoreIdentity& identity, std::string_view name) {
  for (const auto& [option, value] : identity) {
    if (option == name) return value;
  }
  return {};
}

class Check {
 public:
  Check(FileSystem& files, std::string directory, RecoveredManifest manifest)
      : files_(files),
        directory_(std::move(directory)),
        manifest_(std::move(manifest)),
        window_(value_of(manifest_.identity, "key_prefix")) {}

  [[nodiscard]] Result<CheckReport> run() {
    report_.identity = manifest_.identity;
    report_.manifest_edits = manifest_.edits;
    report_.manifest_dropped_bytes = manifest_.dropped_bytes;
    report_.levels = level_summaries(manifest_.tree);
    report_.frozen = frozen_summary(manifest_.tree);
    names_ = BOOST_OUTCOME_TRYX(files_.list(directory_));
    for (const Level& level : manifest_.tree.levels()) {
      for (const SortedRun& run : level.runs) {
        for (const File& file : run.files) {
          if (!file.is_virtual) check_table(file);
        }
      }
    }
    for (const FrozenFile& frozen : manifest_.tree.frozen_files()) check_table(frozen.file);
    check_manifest();
    BOOST_OUTCOME_TRYV(check_logs());
    note_leftovers();
    return std::move(report_);
  }

 private:
  void check_table(const File& file) {
    const std::string path = join_path(directory_, sstable_name(file.id));
    named_.insert(sstable_name(file.id));
    const Result<void> outcome = verify(file, path);
    if (!outcome) report_.faults.push_back(outcome.error().message);
    ++report_.tables;
    report_.table_bytes += file.bytes.value();
    report_.entries += file.entries.value();
  }

  [[nodiscard]] Result<void> verify(const File& file, const std::string& path) {
    auto readable = BOOST_OUTCOME_TRYX(files_.open(path));
    const std::uint64_t bytes = readable->size();
    const auto table =
        BOOST_OUTCOME_TRYX(SstableReader::open(std::move(readable), file.id, window_));
    BOOST_OUTCOME_TRYV(verify_sstable(*table));
    const SstableProperties& found = table->properties();
    const auto same = [&](const char* what, std::uint64_t in_file,
                          std::uint64_t in_manifest) -> Result<void> {
      if (in_file == in_manifest) return success();
      return machine_error(
          fmt::format("{}: {} {}, but the manifest records {}", path, in_file, what, in_manifest));
    };
    BOOST_OUTCOME_TRYV(same("bytes", bytes, file.bytes.value()));
    BOOST_OUTCOME_TRYV(same("entries", found.entries, file.entries.value()));
    BOOST_OUTCOME_TRYV(same("tombstones", found.tombstones, file.tombstones.value()));
    BOOST_OUTCOME_TRYV(same("key and value bytes", found.key_and_value_bytes,
                            (file.key_bytes + file.value_bytes).value()));
    BOOST_OUTCOME_TRYV(same("is the window of the smallest key", window_.of(found.smallest_key),
                            file.keys.smallest));
    BOOST_OUTCOME_TRYV(
        same("is the window of the largest key", window_.of(found.largest_key), file.keys.largest));
    BOOST_OUTCOME_TRYV(
        same("is the first sequence number", found.sequences.first, file.sequences.first));
    BOOST_OUTCOME_TRYV(
        same("is the last sequence number", found.sequences.last, file.sequences.last));
    return verify_deletion_times(file, *table, path);
  }

  [[nodiscard]] static Result<void> verify_deletion_times(const File& file,
                                                          const SstableReader& table,
                                                          const std::string& path) {
    if (file.deletion_times == nullptr) return success();
    DeletionTimes found;
    SstableScanner scanner(table, KeyRange{}, kReadAheadBytes);
    for (;;) {
      const bool has_entry = BOOST_OUTCOME_TRYX(scanner.next());
      if (!has_entry) break;
      if (scanner.entry().is_tombstone()) found.add(scanner.entry().sequence());
    }
    if (found == *file.deletion_times) return success();
    return machine_error(fmt::format(
        "{}: its tombstones were written at other times than the manifest records", path));
  }

  [[nodiscard]] Result<void> check_logs() {
    const LogSurvey survey =
        BOOST_OUTCOME_TRYX(survey_logs(files_, directory_, names_,
                                       {manifest_.first_wal, manifest_.last_sequence,
                                        manifest_.logs_are_synced, manifest_.logs_have_marks}));
    report_.logs = survey.logs.size();
    report_.log_batches = survey.batches;
    report_.log_dropped_bytes = survey.dropped_bytes;
    report_.log_dropped_batches = survey.dropped_batches;
    report_.log_faults = survey.faults;
    report_.tears.insert(report_.tears.end(), survey.tears.begin(), survey.tears.end());
    for (const SurveyedLog& log : survey.logs) named_.insert(wal_name(log.number));
    return success();
  }

  void check_manifest() {
    if (manifest_.dropped_bytes == 0) return;
    const std::string log = wal_name(manifest_.first_wal);
    const std::string name = join_path(directory_, manifest_name(manifest_.number));
    if (std::find(names_.begin(), names_.end(), log) == names_.end()) {
      report_.faults.push_back(fmt::format(
          "{}: lost a durable edit at its end; without that edit log {} is needed, but it is gone",
          name, log));
    } else {
      report_.tears.push_back(
          fmt::format("{}: its last edit, {} bytes, is incomplete, as after a power cut", name,
                      manifest_.dropped_bytes));
    }
  }

  void note_leftovers() {
    named_.insert(manifest_name(manifest_.number));
    for (const std::string& name : names_) {
      const std::optional<ParsedName> parsed = parse_name(name);
      const bool is_fixed =
          parsed && (parsed->kind == FileKind::kCurrent || parsed->kind == FileKind::kLock);
      if (is_fixed || named_.contains(name)) continue;
      if (parsed && parsed->kind == FileKind::kSetAside) {
        report_.set_aside.push_back(name);
        continue;
      }
      report_.leftovers.push_back(parsed ? name : name + " (not a store's)");
    }
  }

  FileSystem& files_;
  std::string directory_;
  RecoveredManifest manifest_;
  KeyWindow window_;
  std::vector<std::string> names_;
  std::set<std::string> named_;  // files that belong to the store
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check_store(FileSystem& files, const std::string& directory) {
  const bool exists = BOOST_OUTCOME_TRYX(files.exists(directory));
  if (!exists) return input_error(fmt::format("{}: no such directory", directory));
  const bool is_store =
      BOOST_OUTCOME_TRYX(files.exists(join_path(directory, std::string(kCurrentName))));
  if (!is_store) {
    return input_error(
        fmt::format("{}: no store here: the directory has no file {}", directory, kCurrentName));
  }
  const auto lock =
      BOOST_OUTCOME_TRYX(files.lock_to_read(join_path(directory, std::string(kLockName))));
  auto manifest = BOOST_OUTCOME_TRYX(read_manifest(files, directory));
  if (!manifest) return input_error(fmt::format("{}: no store here", directory));
  return Check(files, directory, std::move(*manifest)).run();
}

Result<ConfiguredPolicy> policy_of_identity(const StoreIdentity& identity) {
  Spec spec;
  for (const auto& [name, value] : identity) {
    if (name == "policy") {
      spec.name = value;
    } else if (name != "key_prefix" && name != kForcedPlansParameter && name != kMeasuredShares) {
      spec.parameters.emplace_back(name, value);
    }
  }
  ConfiguredPolicy policy = BOOST_OUTCOME_TRYX(make_policy(spec));
  const std::string log = value_of(identity, kForcedPlansParameter);
  if (log.empty()) return policy;
  // The plan log may be gone, and the policy's own plans may not fit a tree that forced plans made.
  policy.policy = BOOST_OUTCOME_TRYX(force_plans(policy.policy, {}));
  policy.has_forced_plans = true;
  policy.options.emplace_back(kForcedPlansParameter, log);
  return policy;
}

}  // namespace lsmlab::engine
