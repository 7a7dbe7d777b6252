// How recoveries treat damaged logs: after crashes, copies of logs, and bytes that look like
// records but are not.
#include "engine/logs/field_codec.h"
#include "testing/engine/damaged_logs.h"

namespace lsmlab::engine::log_recovery_test {
namespace {

using namespace testing;

// Crashes at every call of a point-in-time recovery. Afterwards such a recovery still opens a
// prefix, and each log of `logs` exists under one of its names.
void crash_recovery(const Files& files, const std::vector<std::string>& logs) {
  for (std::uint64_t call = 1;; ++call) {
    for (const LossMode loss :
         {LossMode::kNothing, LossMode::kPrefix, LossMode::kReordered, LossMode::kEverything}) {
      INFO("crash at call " << call << ", loss mode " << static_cast<int>(loss));
      const auto disk = disk_of(files);
      disk->crash_at(call);
      static_cast<void>(open_store(*disk, RecoveryMode::kPointInTime));
      const bool was_opened = !disk->has_stopped();
      disk->restart(call, loss);
      const Files left = files_on(*disk);
      for (const std::string& log : logs) {
        const auto kept = left.find(log + ".damaged");
        const auto original = left.find(log);
        const bool is_there = (kept != left.end() && kept->second == files.at(log)) ||
                              (original != left.end() && original->second == files.at(log));
        REQUIRE(is_there);
      }
      const auto opened = open_store(*disk, RecoveryMode::kPointInTime);
      INFO((opened ? "" : opened.error().message));
      REQUIRE(opened.has_value());
      REQUIRE(batches_in(*opened.value()).has_value());
      if (!was_opened || loss != LossMode::kEverything) continue;
      REQUIRE(call > 8);
      return;
    }
  }
}

TEST_CASE("damaged logs: a crash in a recovery to a point in time keeps the damaged logs") {
  const Sample sample(2);
  crash_recovery(with_flip(sample.files(), sample.logs().front(), 8 * 70), sample.logs());
}

TEST_CASE("damaged logs: a crash in a recovery without some logs leaves what can be recovered") {
  const Sample sample(3);
  for (const std::string& name : sample.logs()) {
    Files files = sample.files();
    files.erase(name);
    std::vector<std::string> behind;
    for (const std::string& log : sample.logs()) {
      if (log > name) behind.push_back(log);
    }
    INFO("without " << name);
    crash_recovery(files, behind);
  }
  Files none = sample.files();
  for (const std::string& name : sample.logs()) none.erase(name);
  crash_recovery(none, {});
}

TEST_CASE("damaged logs: a torn batch is torn, whatever its value looks like") {
  const auto numbers = [](std::uint32_t count, std::size_t width) {
    std::string value;
    for (std::uint32_t i = 0; i < count; ++i) {
      value.append(reinterpret_cast<const char*>(&i), sizeof i);
      value.append(width - sizeof i, '\0');
    }
    return value;
  };
  std::string text_utf16;
  while (text_utf16.size() < (1 << 20)) text_utf16 += std::string("a\0 \0l\0o\0g\0.\0", 12);
  const Sample other(3);
  const std::string inner = other.files().at(other.logs()[1]);
  for (const SyncRule sync : {SyncRule::kEveryBatch, SyncRule::kNever}) {
    const Sample sample(1, sync == SyncRule::kNever ? Marks::kNone : Marks::kAll, sync);
    for (const std::string& value : {numbers(4000, 4), numbers(4000, 8), text_utf16, inner}) {
      std::string entry;
      encode_entry(entry, "torn", value, false);
      std::string payload;
      append_fixed(payload, sample.batches() + 1);
      append_varint(payload, sample.batches() + 1);
      append_varint(payload, 1);
      payload += entry;
      Files files = sample.files();
      std::string& log = files[sample.newest()];
      const std::size_t whole = log.size();
      append_record(log, payload);
      for (const std::size_t cut : {log.size() - 1, whole + (log.size() - whole) * 3 / 4}) {
        Files torn = files;
        torn[sample.newest()].resize(cut);
        INFO(value.size() << " bytes, cut at " << cut << " of " << log.size());
        REQUIRE(opens_by_itself(torn, sample.batches(), true, sync) == "");
      }
    }
  }
}

TEST_CASE("damaged logs: a log that is a copy of another is a fault, and recovers no write twice") {
  const Sample sample(3);
  // A copy after the newest log, in place of it, and of another log.
  const std::uint64_t next = parse_name(sample.newest())->number + 1;
  for (const std::string& name : {wal_name(next), wal_name(next + 4), sample.newest()}) {
    Files files = sample.files();
    files[name] = files.at(sample.logs().front());
    INFO("a copy as " << name);
    const auto disk = disk_of(files);
    REQUIRE(check_store(*disk, kDirectory).value().log_faults.size() >= 1);
    REQUIRE(!open_store(*disk));
    auto store = open_store(*disk, RecoveryMode::kPointInTime).value();
    const std::uint64_t found = batches_in(*store).value();
    REQUIRE(found >= 2 * Sample::kBatchesPerLog);
    REQUIRE(store->recovery().batches == found);
    REQUIRE(store->put("key000", "newer"));
    REQUIRE(store->flush());
    REQUIRE(store->get("key000").value() == "newer");
  }
}

TEST_CASE("damaged logs: a torn log of before there were marks, and a recovery that was killed") {
  const Sample sample(1, Marks::kNone);
  Files files = sample.files();
  files[sample.newest()].resize(files[sample.newest()].size() - 3);
  for (std::uint64_t call = 1;; ++call) {
    const auto disk = disk_of(files);
    disk->crash_at(call);
    static_cast<void>(open_store(*disk));
    const bool was_opened = !disk->has_stopped();
    disk->restart(call, LossMode::kNothing);
    // A log without a whole record looks as if a store without marks had begun it after syncing the
    // previous log.
    const std::string newest =
        wal_name(numbers_of(disk->list(kDirectory).value(), FileKind::kWal).back());
    const std::string bytes = disk->read_file(path_of(newest)).value();
    if (!RecordReader(bytes).next()) continue;
    const auto opened = open_store(*disk);
    INFO("crash at call " << call << (opened ? "" : opened.error().message));
    REQUIRE(opened.has_value());
    REQUIRE(batches_in(*opened.value()) == sample.batches() - 1);
    if (was_opened) return;
  }
}

TEST_CASE("damaged logs: whole batches behind a tear are kept, synced or not") {
  // Two clients' batches before their first sync: nothing proves which sector reached the disk.
  const Sample sample(1);
  Files files = sample.files();
  std::string& log = files[sample.newest()];
  log.resize(sample.records_of(sample.newest())[1]);  // the begin mark
  for (std::uint64_t i = 1; i <= 2; ++i) {
    std::string payload;
    append_fixed(payload, i);
    append_varint(payload, i);
    append_varint(payload, 1);
    encode_entry(payload, "key", "value", false);
    append_record(log, payload);
  }
  const Files torn = with_flip(files, sample.newest(), 8 * 40);
  REQUIRE(opens_by_itself(torn, 0, true) == "");
  const auto disk = disk_of(torn);
  const auto store = open_store(*disk).value();
  REQUIRE(store->recovery().log_dropped_batches == 1);
  REQUIRE(store->recovery().logs_set_aside.size() == 1);
  REQUIRE(disk->read_file(store->recovery().logs_set_aside.front()).value() ==
          torn.at(sample.newest()));
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
}  // namespace lsmlab::engine::log_recovery_test
