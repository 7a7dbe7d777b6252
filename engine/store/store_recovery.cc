// Opens a store and recovers what a crash left of it:
//
//   1. read the tree from the manifest, and survey what the logs lost (log_survey.h). If the
//      recovery mode does not allow that loss, opening ends here and changes nothing;
//   2. give damaged logs a second name, under which they are kept;
//   3. begin a new manifest, so that a torn end of the old one does not matter;
//   4. remove files that the manifest does not name;
//   5. read the logs whose entries are not in files, in order, up to the first loss, and flush
//   their
//      batches. What a killed process left in the system's cache is thus durable before the store
//      builds on it;
//   6. begin a new log and remove the old ones.
//
// After a crash at any point of this, opening can start again.
#include <fmt/format.h>

#include <algorithm>

#include "engine/files/file_names.h"
#include "engine/store/store_check.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

std::string text_of(const OptionValue& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Text{}, value);
}

constexpr std::string_view kNotGiven = "(not given)";

StoreIdentity identity_of(const ConfiguredPolicy& policy, const std::string& key_prefix) {
  StoreIdentity identity{{"policy", policy.family}, {"key_prefix", key_prefix}};
  const auto add = [&](const ResolvedOptions& options) {
    for (const auto& [name, value] : options) {
      // Options that affect memory only may change from one opening to the next; what codecs leave
      // of a workload's blocks is a finding, no option; a time repeats another option.
      if (name == "block_cache" || name == kMeasuredShares || name.ends_with(kAsTime)) continue;
      if (std::holds_alternative<std::monostate>(value)) continue;
      identity.emplace_back(name, text_of(value));
    }
  };
  add(policy.options);
  add(policy.store_options);
  return identity;
}

}  // namespace

StoreIdentity StoreImpl::identity() const { return identity_of(setup_.policy, setup_.key_prefix); }

StoreIdentity StoreImpl::default_identity() const {
  const Result<ConfiguredPolicy> made = make_policy(Spec{setup_.policy.family, {}});
  // A family that requires options has no defaults to compare with.
  return made ? identity_of(made.value(), {}) : StoreIdentity();
}

Result<void> StoreImpl::check_identity(const StoreIdentity& found) const {
  const StoreIdentity wanted = identity();
  const auto value_in = [](const StoreIdentity& identity, const std::string& name) {
    const auto known = std::find_if(identity.begin(), identity.end(),
                                    [&](const auto& option) { return option.first == name; });
    return known == identity.end() ? std::string(kNotGiven) : known->second;
  };
  const StoreIdentity defaults = default_identity();
  const auto compare = [&](const StoreIdentity& named) -> Result<void> {
    for (const auto& [name, ignored] : named) {
      if (name == kMeasuredShares) continue;
      // A store that was made before an option existed behaved like the option's default.
      const bool is_known = value_in(found, name) != kNotGiven;
      const std::string known = value_in(is_known ? found : defaults, name);
      const std::string given = value_in(wanted, name);
      if (known == given) continue;
      return input_error(
          fmt::format("{}: made with {} '{}' but opened with '{}'; a store opens only with the "
                      "policy and options that made it",
                      directory_, name, known, given));
    }
    return success();
  };
  BOOST_OUTCOME_TRYV(compare(wanted));
  return compare(found);
}

Result<void> StoreImpl::recover() {
  const bool exists = BOOST_OUTCOME_TRYX(files_.exists(directory_));
  if (!exists) {
    if (!setup_.create_if_missing) {
      return input_error(fmt::format("{}: no such directory", directory_));
    }
    BOOST_OUTCOME_TRYV(files_.create_directory(directory_));
  }
  directory_lock_ = BOOST_OUTCOME_TRYX(files_.lock(path_of(kLockName)));
  BOOST_OUTCOME_TRYV(recover_tree());
  BOOST_OUTCOME_TRYV(recover_logs());
  CHECK(waiting_.empty());
  active_ = BOOST_OUTCOME_TRYX(open_log());
  first_log_ = active_->wal_number;
  if (setup_.sync_files) {
    BOOST_OUTCOME_TRYV(files_.sync_directory(directory_));  // see check_dropped_edit()
  }
  ManifestEdit edit;
  edit.now = tree_.now();
  edit.last_sequence = filed_sequence_ = last_sequence_.load();
  edit.first_wal = first_log_;
  edit.logs_are_synced = logs_are_synced_ = setup_.sync != SyncRule::kNever;
  edit.logs_have_marks = logs_have_marks_ = true;
  BOOST_OUTCOME_TRYV(manifest_->append(edit));
  for (const SurveyedLog& log : logs_found_.logs) {
    static_cast<void>(files_.remove(path_of(wal_name(log.number))));
  }
  logs_found_ = {};
  is_recovering_ = false;
  return success();
}

Result<void> StoreImpl::recover_tree() {
  const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files_.list(directory_));
  const std::vector<std::uint64_t> tables = numbers_of(names, FileKind::kSstable);
  const std::vector<std::uint64_t> manifests = numbers_of(names, FileKind::kManifest);
  if (!manifests.empty()) next_manifest_number_ = manifests.back() + 1;
  auto found = BOOST_OUTCOME_TRYX(read_manifest(files_, directory_));
  recovery_.is_new = !found.has_value();
  if (!found) {
    if (!tables.empty() || !numbers_of(names, FileKind::kWal).empty()) {
      return input_error(fmt::format(
          "{}: has SSTables or logs, but no {} that names their manifest; nothing was changed",
          directory_, kCurrentName));
    }
    if (!setup_.create_if_missing) {
      return input_error(fmt::format("{}: no store in this directory", directory_));
    }
    BOOST_OUTCOME_TRYV(start_manifest());
    return sweep();
  }
  BOOST_OUTCOME_TRYV(check_identity(found->identity));
  BOOST_OUTCOME_TRYV(check_dropped_edit(*found, names));
  first_log_ = found->first_wal;
  logs_are_synced_ = found->logs_are_synced;
  logs_have_marks_ = found->logs_have_marks;
  BOOST_OUTCOME_TRYV(survey(*found, names));
  recovery_.manifest_edits = found->edits;
  recovery_.manifest_dropped_bytes = found->dropped_bytes;
  tree_ = std::move(found->tree);
  tree_.keep(policy_.orderings());
  filed_sequence_ = found->last_sequence;
  last_sequence_.store(found->last_sequence);
  clock_.store(tree_.now().value());
  if (!tables.empty()) tree_.skip_file_ids_below(tables.back() + 1);
  ledger_.restore_file_bytes(tree_);
  const auto adopt = [&](const File& file) -> Result<void> {
    const std::string name = sstable_name(file.id);
    if (!file.is_virtual && !std::binary_search(tables.begin(), tables.end(), file.id.value())) {
      return machine_error(fmt::format("{}: missing, but the manifest names it", path_of(name)));
    }
    std::shared_ptr<LiveFile> live = live_file(file);
    live->last_access.store(file.last_access.value());
    live->seeks.store(file.seeks);
    live_.insert(std::move(live));
    return success();
  };
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        BOOST_OUTCOME_TRYV(adopt(file));
      }
    }
  }
  for (const FrozenFile& frozen : tree_.frozen_files()) {
    BOOST_OUTCOME_TRYV(adopt(frozen.file));
  }
  if (setup_.policy.store.keeps_ranges()) load_kept_ranges();
  BOOST_OUTCOME_TRYV(set_logs_aside());
  BOOST_OUTCOME_TRYV(start_manifest());
  return sweep();
}

// The ranges of frozen files are not asked for. A damaged file has none, so that its keys count as
// present: it must not keep sound data from being read.
void StoreImpl::load_kept_ranges() {
  std::vector<FileId> ids;
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        if (!file.is_virtual) ids.push_back(file.id);
      }
    }
  }
  for (const FileId id : ids) {
    const auto table = table_cache_.get(id);
    if (!table) continue;
    const FileLocation at = *tree_.find_file(id);
    const Bytes range_bytes =
        tree_.file_at(at).range_bytes.value_or(setup_.policy.store.range_bytes);
    tree_.set_kept_ranges(at, table.value()->kept_ranges(range_bytes));
  }
}

Result<void> StoreImpl::survey(const RecoveredManifest& found,
                               const std::vector<std::string>& names) {
  if (setup_.recovery == RecoveryMode::kAbsolute && found.dropped_bytes > 0) {
    return machine_error(fmt::format(
        "{}: its last edit, {} bytes, is incomplete; nothing was changed. Recovery mode "
        "tolerate-torn-tail opens the store without that edit",
        path_of(manifest_name(found.number)), found.dropped_bytes));
  }
  logs_found_ = BOOST_OUTCOME_TRYX(survey_logs(
      files_, directory_, names,
      {found.first_wal, found.last_sequence, found.logs_are_synced, found.logs_have_marks}));
  BOOST_OUTCOME_TRYV(check_mode(logs_found_, setup_.recovery));
  next_log_number_ = std::max(next_log_number_, logs_found_.next_number);
  if (!logs_found_.faults.empty()) {
    // The loss is accepted. If the next manifest named a missing log, a crash before it names the
    // new log would leave a store that does not open.
    const auto& logs = logs_found_.logs;
    first_log_ = logs.empty() ? next_log_number_ : logs.front().number;
    logs_are_synced_ = false;
  }
  recovery_.log_dropped_bytes = logs_found_.dropped_bytes;
  recovery_.log_dropped_batches = logs_found_.dropped_batches;
  return success();
}

// Gives damaged logs a second name: the first name may be removed only when the manifest no longer
// needs the log. After a crash in between, the log has both names.
Result<void> StoreImpl::set_logs_aside() {
  for (const SurveyedLog& log : logs_found_.logs) {
    if (!log.is_kept) continue;
    const std::string path = path_of(wal_name(log.number));
    const std::string kept = path_of(set_aside_name(log.number));
    const bool is_there = BOOST_OUTCOME_TRYX(files_.exists(kept));
    if (!is_there) {
      BOOST_OUTCOME_TRYV(keep_log(path, kept));
    } else {
      const std::string wanted = BOOST_OUTCOME_TRYX(files_.read_file(path));
      const std::string found = BOOST_OUTCOME_TRYX(files_.read_file(kept));
      if (found != wanted) {
        return machine_error(fmt::format(
            "{}: another file has the name under which {} is to be kept; move that file away", kept,
            path));
      }
    }
    recovery_.logs_set_aside.push_back(kept);
  }
  if (recovery_.logs_set_aside.empty()) return success();
  return files_.sync_directory(directory_);
}

Result<void> StoreImpl::keep_log(const std::string& path, const std::string& kept) {
  if (files_.link(path, kept)) return success();
  // Not every file system supports two names for a file.
  const std::string unfinished = kept + ".new";
  const std::string bytes = BOOST_OUTCOME_TRYX(files_.read_file(path));
  auto copy = BOOST_OUTCOME_TRYX(files_.create(unfinished, {WriteKind::kOther}));
  BOOST_OUTCOME_TRYV(copy->append(bytes));
  BOOST_OUTCOME_TRYV(copy->sync());
  BOOST_OUTCOME_TRYV(copy->close());
  return files_.rename(unfinished, kept);
}

// If a crash tore the last edit, the store never acted on it. The first log that was needed before
// it then still exists, because that log's name was durable before any edit could name it. If that
// log is gone, the edit was once whole, and removing unnamed files would lose what it put into
// them.
Result<void> StoreImpl::check_dropped_edit(const RecoveredManifest& found,
                                           const std::vector<std::string>& names) const {
  if (found.dropped_bytes == 0 || !setup_.sync_files) return success();
  const std::string log = wal_name(found.first_wal);
  if (std::find(names.begin(), names.end(), log) != names.end()) return success();
  return machine_error(fmt::format(
      "{}: the last edit, {} bytes, is damaged, and log {}, which is needed without that edit, is "
      "gone; nothing was changed",
      path_of(manifest_name(found.number)), found.dropped_bytes, log));
}

Result<void> StoreImpl::sweep() {
  // List again: the new manifest has replaced a CURRENT that a crash left incomplete.
  const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files_.list(directory_));
  for (const std::string& name : names) {
    const std::optional<ParsedName> parsed = parse_name(name);
    if (!parsed) continue;
    bool is_needed = true;
    if (parsed->kind == FileKind::kSstable) is_needed = live_.contains(FileId(parsed->number));
    if (parsed->kind == FileKind::kWal) is_needed = parsed->number >= first_log_;
    if (parsed->kind == FileKind::kManifest) is_needed = parsed->number == manifest_->number();
    if (parsed->kind == FileKind::kTemporary) is_needed = false;
    if (is_needed) continue;
    BOOST_OUTCOME_TRYV(files_.remove(path_of(name)));
    ++recovery_.files_removed;
  }
  return success();
}

Result<void> StoreImpl::recover_logs() {
  active_ =
      std::make_shared<MemtableSlot>(window_, setup_.policy.store, memory_reserve_, first_log_);
  for (const SurveyedLog& log : logs_found_.logs) {
    ++recovery_.logs;
    if (log.usable_bytes == 0) continue;
    WalVisitor visitor;
    visitor.batch = [&](std::uint64_t offset, const LoggedBatch& batch) -> Result<void> {
      return offset < log.usable_bytes ? recover_batch(batch) : success();
    };
    BOOST_OUTCOME_TRYV(read_wal(files_, path_of(wal_name(log.number)), visitor));
  }
  return flush_recovered();
}

Result<void> StoreImpl::recover_batch(const LoggedBatch& batch) {
  const std::uint64_t last = batch.first_sequence + batch.entries - 1;
  // Already in SSTables or in an earlier log.
  if (batch.entries == 0 || last <= last_sequence_.load()) return success();
  BOOST_OUTCOME_TRYV(
      visit_entries(batch, [&](const EntryView& entry) { active_->table.add(entry, batch.now); }));
  last_sequence_.store(last);
  clock_.store(std::max(clock_.load(), batch.now.value()));
  writes_ += batch.entries;
  ++recovery_.batches;
  recovery_.entries += batch.entries;
  return is_memtable_full() ? flush_recovered() : success();
}

Result<void> StoreImpl::flush_recovered() {
  Lock state(mutex_);
  if (active_->table.writes() > 0) {
    active_->last_sequence = last_sequence_.load();
    active_->traffic = {0, writes_, 0, active_->table.deletes()};
    writes_ = 0;
    waiting_.push_back(active_);
    active_ =
        std::make_shared<MemtableSlot>(window_, setup_.policy.store, memory_reserve_, first_log_);
  }
  return settle_stepped(state);
}

}  // namespace lsmlab::engine
