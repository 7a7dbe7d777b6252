#include "engine/store_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/file_names.h"
#include "engine/key_window.h"
#include "engine/sstable.h"
#include "engine/wal.h"
#include "models/tree_figures.h"

namespace lsmlab::engine {
namespace {

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
        for (const File& file : run.files) check_table(file);
      }
    }
    for (const auto& [id, frozen] : manifest_.tree.frozen_files()) check_table(frozen.file);
    check_logs();
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
          fmt::format("{}: {} {}, and the manifest says {}", path, in_file, what, in_manifest));
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
    return same("is the last sequence number", found.sequences.last, file.sequences.last);
  }

  // As recovery reads them (store_recovery.cc): up to the first gap.
  void check_logs() {
    std::vector<std::uint64_t> numbers;
    for (const std::string& name : names_) {
      const std::optional<ParsedName> parsed = parse_name(name);
      if (parsed && parsed->kind == FileKind::kWal && parsed->number >= manifest_.first_wal) {
        numbers.push_back(parsed->number);
        named_.insert(name);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    if (manifest_.dropped_bytes > 0 &&
        (numbers.empty() || numbers.front() != manifest_.first_wal)) {
      report_.faults.push_back(
          fmt::format("{}: lacks an edit at its end that was durable, as log {} is gone",
                      manifest_name(manifest_.number), wal_name(manifest_.first_wal)));
    }
    std::uint64_t last = manifest_.last_sequence;
    bool has_gap = false;
    for (const std::uint64_t number : numbers) {
      ++report_.logs;
      const std::string path = join_path(directory_, wal_name(number));
      const auto visit = [&](std::uint64_t offset, const LoggedBatch& batch) -> Result<void> {
        const std::uint64_t batch_last = batch.first_sequence + batch.entries - 1;
        if (!has_gap && batch.first_sequence > last + 1) {
          has_gap = true;
          if (manifest_.logs_are_synced) {
            report_.faults.push_back(fmt::format(
                "{}: the batch at byte {} is write {}, and the logs before end with write {}", path,
                offset, batch.first_sequence, last));
          }
        }
        if (has_gap) report_.log_dropped_bytes += batch.encoded.size();
        if (has_gap || batch_last <= manifest_.last_sequence) return success();
        last = batch_last;
        ++report_.log_batches;
        return visit_entries(batch, [](const EntryView&) {});
      };
      const auto read = visit_wal(files_, path, visit);
      if (read) {
        report_.log_dropped_bytes += read.value().dropped_bytes;
      } else {
        report_.faults.push_back(read.error().message);
      }
    }
  }

  void note_leftovers() {
    named_.insert(manifest_name(manifest_.number));
    for (const std::string& name : names_) {
      const std::optional<ParsedName> parsed = parse_name(name);
      const bool is_fixed =
          parsed && (parsed->kind == FileKind::kCurrent || parsed->kind == FileKind::kLock);
      if (is_fixed || named_.contains(name)) continue;
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
  if (!exists) return input_error(fmt::format("{}: there is no such directory", directory));
  const bool is_store =
      BOOST_OUTCOME_TRYX(files.exists(join_path(directory, std::string(kCurrentName))));
  if (!is_store) {
    return input_error(fmt::format("{}: no store: it has no file {}", directory, kCurrentName));
  }
  const auto lock =
      BOOST_OUTCOME_TRYX(files.lock_to_read(join_path(directory, std::string(kLockName))));
  auto manifest = BOOST_OUTCOME_TRYX(read_manifest(files, directory));
  if (!manifest) return input_error(fmt::format("{}: no store", directory));
  return Check(files, directory, std::move(*manifest)).run();
}

Result<ConfiguredPolicy> policy_of_identity(const StoreIdentity& identity) {
  Spec spec;
  for (const auto& [name, value] : identity) {
    if (name == "policy") {
      spec.name = value;
    } else if (name != "key_prefix") {
      spec.parameters.emplace_back(name, value);
    }
  }
  return make_policy(spec);
}

}  // namespace lsmlab::engine
