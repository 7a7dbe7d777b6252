// Small stores whose writes are in logs only, and checks of what happens when logs are damaged.
#pragma once

#include <algorithm>

#include "engine/files/file_names.h"
#include "engine/logs/log_survey.h"
#include "engine/logs/record_log.h"
#include "engine/logs/wal.h"
#include "engine/store/store_check.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::testing {

using Files = std::map<std::string, std::string>;

inline std::string path_of(const std::string& name) { return join_path(kDirectory, name); }

inline Files files_on(FaultFileSystem& disk) {
  Files files;
  const auto names = disk.list(kDirectory).value();
  for (const std::string& name : names) files[name] = disk.read_file(path_of(name)).value();
  return files;
}

inline std::unique_ptr<FaultFileSystem> disk_of(const Files& files) {
  auto disk = std::make_unique<FaultFileSystem>();
  for (const auto& [name, bytes] : files) disk->put_file(path_of(name), bytes);
  return disk;
}

inline Result<std::unique_ptr<Store>> open_store(
    FileSystem& disk, RecoveryMode mode = RecoveryMode::kTolerateTornTail,
    SyncRule sync = SyncRule::kEveryBatch) {
  StoreSetup setup = small_setup("tiered", disk);
  setup.sync = sync;
  setup.recovery = mode;
  return Store::open(kDirectory, setup);
}

// The state after this many batches: batch i puts key i.
inline StoreState state_of(std::uint64_t batches) {
  StoreState state;
  for (std::uint64_t i = 0; i < batches; ++i) {
    state[fmt::format("key{:03}", i)] = fmt::format("value of {}", i);
  }
  return state;
}

enum class Marks { kAll, kNone };

// A store with empty SSTables, whose writes are in `logs` synced logs of three batches each, as a
// crash leaves it when flushes are late. Every batch was synced and acknowledged.
class Sample {
 public:
  static constexpr std::uint64_t kBatchesPerLog = 3;

  explicit Sample(std::size_t logs, Marks marks = Marks::kAll,
                  SyncRule sync = SyncRule::kEveryBatch) {
    FaultFileSystem disk;
    REQUIRE(open_store(disk, RecoveryMode::kAbsolute, sync).value()->close());
    const std::uint64_t first = numbers_of(disk.list(kDirectory).value(), FileKind::kWal).front();
    for (std::uint64_t i = 0; i < logs; ++i) {
      names_.push_back(wal_name(first + i));
      const bool is_newest = i + 1 == logs;
      write_log(disk, first + i, i * kBatchesPerLog, is_newest, marks);
    }
    if (marks == Marks::kNone) forget_marks(disk, sync);
    files_ = files_on(disk);
  }

  [[nodiscard]] const Files& files() const { return files_; }
  [[nodiscard]] const std::vector<std::string>& logs() const { return names_; }
  [[nodiscard]] const std::string& newest() const { return names_.back(); }
  [[nodiscard]] std::uint64_t batches() const { return kBatchesPerLog * names_.size(); }
  // Offsets of a log's records.
  [[nodiscard]] std::vector<std::uint64_t> records_of(const std::string& name) const {
    std::vector<std::uint64_t> begins;
    RecordReader records(files_.at(name));
    while (records.next()) begins.push_back(records.offset());
    return begins;
  }

 private:
  // Makes the manifest look like one from before logs had marks.
  static void forget_marks(FaultFileSystem& disk, SyncRule sync) {
    const auto found = read_manifest(disk, kDirectory).value();
    const ManifestSnapshot snapshot{found->identity,          found->tree.image(),
                                    found->last_sequence,     found->first_wal,
                                    sync != SyncRule::kNever, false};
    REQUIRE(ManifestWriter::create(disk, kDirectory, found->number + 1, snapshot, true));
  }

  static void write_log(FaultFileSystem& disk, std::uint64_t number, std::uint64_t first_batch,
                        bool is_newest, Marks marks) {
    const bool has_marks = marks == Marks::kAll;
    auto file = disk.create(path_of(wal_name(number)), {WriteKind::kWal});
    WalWriter log(std::move(file).value(), 0);
    if (has_marks) REQUIRE(log.begin(number, first_batch + 1));
    for (std::uint64_t i = first_batch; i < first_batch + kBatchesPerLog; ++i) {
      std::string entry;
      const auto state = state_of(i + 1);
      const auto& [key, value] = *state.rbegin();
      encode_entry(entry, key, value, false);
      REQUIRE(log.append({i + 1, Instant(i + 1), 1, entry}));
      if (has_marks) REQUIRE(log.sync());
    }
    if (has_marks && !is_newest) REQUIRE(log.name_successor(number + 1));
    REQUIRE(log.close());
  }

  Files files_;
  std::vector<std::string> names_;
};

inline Files with_flip(const Files& files, const std::string& name, std::uint64_t bit) {
  Files flipped = files;
  char& byte = flipped.at(name)[bit / 8];
  byte = static_cast<char>(byte ^ (1 << (bit % 8)));
  return flipped;
}

// The number of batches that the store holds; nullopt if its state is not a prefix.
inline std::optional<std::uint64_t> batches_in(Store& store) {
  const StoreState found = scan_all(store).value();
  if (found != state_of(found.size())) return std::nullopt;
  return found.size();
}

// Empty if `check` reports the loss as a fault, opening refuses and changes nothing, and a
// point-in-time recovery restores a prefix and keeps the damaged log.
inline std::string fault_is_told(const Files& files, const std::string& damaged) {
  const auto disk = disk_of(files);
  const CheckReport report = check_store(*disk, kDirectory).value();
  if (report.log_faults.empty()) return "check finds no fault";
  if (!damaged.empty() && report.log_faults.front().find(damaged) == std::string::npos) {
    return "check does not name the file: " + report.log_faults.front();
  }
  for (const RecoveryMode mode : {RecoveryMode::kTolerateTornTail, RecoveryMode::kAbsolute}) {
    const auto opened = open_store(*disk, mode);
    if (opened) return "the store opens";
    if (opened.error().message.find("Nothing was changed") == std::string::npos) {
      return opened.error().message;
    }
  }
  if (files_on(*disk) != files) return "opening changed a file";

  auto opened = open_store(*disk, RecoveryMode::kPointInTime);
  if (!opened) return "point-in-time: " + opened.error().message;
  const auto batches = batches_in(*opened.value());
  if (!batches) return "point-in-time does not restore a prefix";
  // Every log with batches behind the loss is kept, byte for byte.
  for (const std::string& kept : opened.value()->recovery().logs_set_aside) {
    const std::string name = wal_name(parse_name(kept.substr(kept.rfind('/') + 1))->number);
    if (disk->read_file(kept).value() != files.at(name)) return "the kept log differs";
  }
  if (opened.value()->recovery().log_dropped_batches > 0 &&
      opened.value()->recovery().logs_set_aside.empty()) {
    return "whole batches are gone";
  }
  if (!opened.value()->put("more", "value")) return "no more writes";
  opened.value().reset();
  if (!open_store(*disk, RecoveryMode::kAbsolute)) return "the recovered store does not open";
  return {};
}

// Empty if the store opens without help and has this many batches, and `check` finds no fault.
inline std::string opens_by_itself(const Files& files, std::uint64_t batches, bool is_torn,
                                   SyncRule sync = SyncRule::kEveryBatch) {
  const auto disk = disk_of(files);
  const CheckReport report = check_store(*disk, kDirectory).value();
  if (report.fault_count() > 0) {
    return "check finds a fault: " +
           (report.log_faults.empty() ? report.faults.front() : report.log_faults.front());
  }
  if (report.tears.empty() == is_torn) return "check reports a tear wrongly";
  if (is_torn && open_store(*disk, RecoveryMode::kAbsolute, sync)) return "absolute accepts a tear";
  const auto opened = open_store(*disk, RecoveryMode::kTolerateTornTail, sync);
  if (!opened) return opened.error().message;
  const auto found = batches_in(*opened.value());
  if (found != batches) return fmt::format("{} batches", found.value_or(999));
  return {};
}

}  // namespace lsmlab::engine::testing
