// Logs that are damaged, cut or missing: what was synced is never dropped without an error, and
// what a power cut leaves opens by itself.
#include <algorithm>

#include "engine/file_names.h"
#include "engine/log_survey.h"
#include "engine/record_log.h"
#include "engine/store_check.h"
#include "engine/testing/store_fixture.h"
#include "engine/wal.h"

namespace lsmlab::engine {
namespace {

using testing::kDirectory;
using testing::StoreState;

using Files = std::map<std::string, std::string>;

std::string path_of(const std::string& name) { return join_path(kDirectory, name); }

Files files_on(FaultFileSystem& disk) {
  Files files;
  const auto names = disk.list(kDirectory).value();
  for (const std::string& name : names) files[name] = disk.read_file(path_of(name)).value();
  return files;
}

std::unique_ptr<FaultFileSystem> disk_of(const Files& files) {
  auto disk = std::make_unique<FaultFileSystem>();
  for (const auto& [name, bytes] : files) disk->put_file(path_of(name), bytes);
  return disk;
}

Result<std::unique_ptr<Store>> open_store(FileSystem& disk,
                                          RecoveryMode mode = RecoveryMode::kTolerateTornTail,
                                          SyncRule sync = SyncRule::kEveryBatch) {
  StoreSetup setup = testing::small_setup("tiered", disk);
  setup.sync = sync;
  setup.recovery = mode;
  return Store::open(kDirectory, setup);
}

// The state of the first so many batches: batch i puts key i.
StoreState state_of(std::uint64_t batches) {
  StoreState state;
  for (std::uint64_t i = 0; i < batches; ++i) {
    state[fmt::format("key{:03}", i)] = fmt::format("value of {}", i);
  }
  return state;
}

enum class Marks { kAll, kNone };

// A store whose SSTables are empty and whose writes stand in `logs` synced logs of three batches
// each, as a crash leaves it while flushes lag. Every batch was synced and acknowledged.
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
    files_ = files_on(disk);
  }

  [[nodiscard]] const Files& files() const { return files_; }
  [[nodiscard]] const std::vector<std::string>& logs() const { return names_; }
  [[nodiscard]] const std::string& newest() const { return names_.back(); }
  [[nodiscard]] std::uint64_t batches() const { return kBatchesPerLog * names_.size(); }
  // Where each record of a log begins.
  [[nodiscard]] std::vector<std::uint64_t> records_of(const std::string& name) const {
    std::vector<std::uint64_t> begins;
    RecordReader records(files_.at(name));
    while (records.next()) begins.push_back(records.offset());
    return begins;
  }

 private:
  static void write_log(FaultFileSystem& disk, std::uint64_t number, std::uint64_t first_batch,
                        bool is_newest, Marks marks) {
    const bool has_marks = marks == Marks::kAll;
    auto file = disk.create(path_of(wal_name(number)), {WriteKind::kWal});
    WalWriter log(std::move(file).value(), 0);
    if (has_marks) REQUIRE(log.begin(first_batch + 1));
    for (std::uint64_t i = first_batch; i < first_batch + kBatchesPerLog; ++i) {
      std::string entry;
      const auto& [key, value] = *state_of(i + 1).rbegin();
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

Files with_flip(const Files& files, const std::string& name, std::uint64_t bit) {
  Files flipped = files;
  char& byte = flipped.at(name)[bit / 8];
  byte = static_cast<char>(byte ^ (1 << (bit % 8)));
  return flipped;
}

// The number of batches that the store holds; nothing where they are no prefix.
std::optional<std::uint64_t> batches_in(Store& store) {
  const StoreState found = testing::scan_all(store).value();
  if (found != state_of(found.size())) return std::nullopt;
  return found.size();
}

// Empty where the loss is a fault of `check`, opening refuses and changes nothing, and recovery to
// a point in time gives a prefix and keeps the damaged log.
std::string fault_is_told(const Files& files, const std::string& damaged) {
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
  if (!batches) return "point-in-time gives no prefix";
  // A copy of every log that had batches behind the loss stays, byte for byte.
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

// Empty where the store opens by itself with so many batches, and `check` knows no fault.
std::string opens_by_itself(const Files& files, std::uint64_t batches, bool is_torn,
                            SyncRule sync = SyncRule::kEveryBatch) {
  const auto disk = disk_of(files);
  const CheckReport report = check_store(*disk, kDirectory).value();
  if (report.fault_count() > 0) {
    return "check finds a fault: " +
           (report.log_faults.empty() ? report.faults.front() : report.log_faults.front());
  }
  if (report.tears.empty() == is_torn) return "check tells a tear wrongly";
  if (is_torn && open_store(*disk, RecoveryMode::kAbsolute, sync))
    return "absolute lets a tear pass";
  const auto opened = open_store(*disk, RecoveryMode::kTolerateTornTail, sync);
  if (!opened) return opened.error().message;
  const auto found = batches_in(*opened.value());
  if (found != batches) return fmt::format("{} batches", found.value_or(999));
  return {};
}

TEST_CASE("damaged logs: each flipped bit of acknowledged batches is a fault, in any log") {
  const Sample sample(3);
  REQUIRE(opens_by_itself(sample.files(), sample.batches(), false) == "");
  for (const std::string& name : sample.logs()) {
    // Behind the last batch: its mark, and in older logs the one that names the next log.
    const std::vector<std::uint64_t> records = sample.records_of(name);
    const std::uint64_t marks_begin = records[2 * Sample::kBatchesPerLog];
    for (std::uint64_t bit = 0; bit < 8 * sample.files().at(name).size(); ++bit) {
      const Files flipped = with_flip(sample.files(), name, bit);
      INFO(name << ", bit " << bit);
      if (bit / 8 >= marks_begin) {
        REQUIRE(opens_by_itself(flipped, sample.batches(), true) == "");
      } else {
        REQUIRE(fault_is_told(flipped, name) == "");
      }
    }
  }
}

TEST_CASE("damaged logs: without marks, whole batches behind or another log show the damage") {
  const Sample sample(2, Marks::kNone);
  REQUIRE(opens_by_itself(sample.files(), sample.batches(), false) == "");
  const std::uint64_t last_batch = sample.records_of(sample.newest()).back();
  for (const std::string& name : sample.logs()) {
    for (std::uint64_t bit = 0; bit < 8 * sample.files().at(name).size(); ++bit) {
      const Files flipped = with_flip(sample.files(), name, bit);
      INFO(name << ", bit " << bit);
      if (name == sample.newest() && bit / 8 >= last_batch) {
        REQUIRE(opens_by_itself(flipped, sample.batches() - 1, true) == "");
      } else {
        REQUIRE(fault_is_told(flipped, name) == "");
      }
    }
  }
}

TEST_CASE("damaged logs: a log that is missing is a fault") {
  for (const std::size_t count : {1u, 2u, 3u}) {
    const Sample sample(count);
    for (const std::string& name : sample.logs()) {
      Files files = sample.files();
      files.erase(name);
      INFO(count << " logs, without " << name);
      REQUIRE(fault_is_told(files, "") == "");
    }
  }
}

TEST_CASE("damaged logs: an older log that is cut is a fault, the newest one is torn") {
  const Sample sample(2);
  for (const std::string& name : sample.logs()) {
    const std::string& bytes = sample.files().at(name);
    for (std::uint64_t size = 0; size < bytes.size(); ++size) {
      Files files = sample.files();
      files[name] = bytes.substr(0, size);
      INFO(name << " cut at " << size);
      if (name != sample.newest()) {
        // The end of its marks loses nothing.
        std::vector<std::string> whole;
        WalVisitor visitor;
        visitor.batch = [&](std::uint64_t, const LoggedBatch&) -> Result<void> {
          whole.emplace_back();
          return success();
        };
        FaultFileSystem one;
        one.put_file("log", files[name]);
        const WalContents contents = read_wal(one, "log", visitor).value();
        if (contents.batches == Sample::kBatchesPerLog) {
          REQUIRE(opens_by_itself(files, sample.batches(), contents.damage.has_value()) == "");
        } else {
          REQUIRE(fault_is_told(files, "") == "");
        }
        continue;
      }
      const std::vector<std::uint64_t> begins = sample.records_of(name);
      const bool is_torn =
          size > 0 && std::find(begins.begin(), begins.end(), size) == begins.end();
      // The newest log is: begin, then a batch and a mark by turns.
      const auto whole = static_cast<std::uint64_t>(
          std::upper_bound(begins.begin(), begins.end(), size) - begins.begin() - 1);
      REQUIRE(opens_by_itself(files, Sample::kBatchesPerLog + whole / 2, is_torn) == "");
    }
  }
}

TEST_CASE("damaged logs: logs that were never synced open by themselves, and keep what is lost") {
  const Sample sample(2, Marks::kNone, SyncRule::kNever);
  for (const std::string& name : sample.logs()) {
    const std::uint64_t older = name == sample.newest() ? Sample::kBatchesPerLog : 0;
    const std::vector<std::uint64_t> begins = sample.records_of(name);
    for (std::uint64_t bit = 0; bit < 8 * sample.files().at(name).size(); bit += 3) {
      const auto whole = static_cast<std::uint64_t>(
          std::upper_bound(begins.begin(), begins.end(), bit / 8) - begins.begin() - 1);
      const Files flipped = with_flip(sample.files(), name, bit);
      INFO(name << ", bit " << bit);
      REQUIRE(opens_by_itself(flipped, older + whole, true, SyncRule::kNever) == "");
      const auto disk = disk_of(flipped);
      const auto store =
          open_store(*disk, RecoveryMode::kTolerateTornTail, SyncRule::kNever).value();
      const RecoveryReport& report = store->recovery();
      REQUIRE(report.log_dropped_batches == sample.batches() - older - whole - 1);
      REQUIRE(report.logs_set_aside.empty() == (report.log_dropped_batches == 0));
      for (const std::string& kept : report.logs_set_aside) REQUIRE(disk->exists(kept).value());
    }
  }
}

TEST_CASE("damaged logs: a crash in a recovery to a point in time keeps the damaged log") {
  const Sample sample(2);
  const std::string& name = sample.logs().front();
  const Files flipped = with_flip(sample.files(), name, 8 * 70);
  for (std::uint64_t call = 1;; ++call) {
    const auto disk = disk_of(flipped);
    disk->crash_at(call);
    static_cast<void>(open_store(*disk, RecoveryMode::kPointInTime));
    const bool was_opened = !disk->has_stopped();
    for (const LossMode loss : {LossMode::kNothing, LossMode::kReordered, LossMode::kEverything}) {
      disk->restart(call, loss);
      const Files left = files_on(*disk);
      INFO("crash at call " << call << ", loss mode " << static_cast<int>(loss));
      for (const std::string& log : sample.logs()) {
        const auto kept = left.find(log + ".damaged");
        const auto original = left.find(log);
        const bool is_there = (kept != left.end() && kept->second == flipped.at(log)) ||
                              (original != left.end() && original->second == flipped.at(log));
        REQUIRE(is_there);
      }
    }
    const auto opened = open_store(*disk, RecoveryMode::kPointInTime);
    REQUIRE(opened.has_value());
    REQUIRE(batches_in(*opened.value()).has_value());
    if (was_opened) {
      REQUIRE(call > 8);
      return;
    }
  }
}

TEST_CASE("damaged logs: no log goes while another file has the name under which it is kept") {
  const Sample sample(1);
  const std::string& name = sample.newest();
  const auto disk = disk_of(with_flip(sample.files(), name, 8 * 70));
  const std::string damaged = disk->read_file(path_of(name)).value();
  disk->put_file(path_of(name + ".damaged"), "a stranger's");
  const auto refused = open_store(*disk, RecoveryMode::kPointInTime);
  REQUIRE(!refused);
  REQUIRE(refused.error().message.find("another file has the name") != std::string::npos);
  REQUIRE(disk->read_file(path_of(name)).value() == damaged);
  REQUIRE(disk->read_file(path_of(name + ".damaged")).value() == "a stranger's");
  REQUIRE(disk->remove(path_of(name + ".damaged")));
  REQUIRE(open_store(*disk, RecoveryMode::kPointInTime));
}

TEST_CASE("damaged logs: the numbers that a crafted manifest and names may carry are bounded") {
  FaultFileSystem disk;
  REQUIRE(open_store(disk).value()->close());
  ManifestSnapshot snapshot;
  {
    const auto found = read_manifest(disk, kDirectory).value();
    snapshot = {found->identity, found->tree.image(), kSequenceMax, 1, false};
  }
  std::uint64_t number = 0;
  const auto craft = [&](std::uint64_t last_sequence) {
    snapshot.last_sequence = last_sequence;
    REQUIRE(ManifestWriter::create(disk, kDirectory, number += 100, snapshot, true));
  };
  craft(kSequenceMax);
  {
    const auto store = open_store(disk).value();
    const auto refused = store->put("key", "value");
    REQUIRE(!refused);
    REQUIRE(refused.error().message.find("takes in its life") != std::string::npos);
    REQUIRE(store->get("key").value() == std::nullopt);
  }
  for (const std::uint64_t beyond : {kSequenceMax + 1, ~std::uint64_t{0}}) {
    craft(beyond);
    const auto refused = open_store(disk);
    REQUIRE(!refused);
    REQUIRE(refused.error().message.find("\"last_sequence\" is above") != std::string::npos);
  }
  craft(kSequenceMax - 1);
  disk.put_file(path_of("18446744073709551615.wal"), "");
  disk.put_file(path_of("18446744073709551615.sst"), "");
  const auto store = open_store(disk).value();
  REQUIRE(store->put("key", "value"));
  REQUIRE(!store->put("key", "again"));
}

}  // namespace
}  // namespace lsmlab::engine
