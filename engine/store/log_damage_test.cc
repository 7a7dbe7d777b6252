// Logs are damaged, cut or missing. A synced write is never dropped without an error, and what a
// power cut leaves opens without help.
#include "testing/engine/damaged_logs.h"

namespace lsmlab::engine::log_damage_test {
namespace {

using namespace testing;

// LSMLAB_LOG_FLIP_STEP=37 flips every 37th bit only.
std::uint64_t flip_step() { return number_from("LSMLAB_LOG_FLIP_STEP", 1); }

TEST_CASE("damaged logs: each flipped bit of acknowledged batches is a fault, in any log") {
  const Sample sample(3);
  REQUIRE(opens_by_itself(sample.files(), sample.batches(), false) == "");
  for (const std::string& name : sample.logs()) {
    // After the last batch comes its mark; older logs also have the mark that names the next log.
    const std::vector<std::uint64_t> records = sample.records_of(name);
    const std::uint64_t marks_begin = records[2 * Sample::kBatchesPerLog];
    for (std::uint64_t bit = 0; bit < 8 * sample.files().at(name).size(); bit += flip_step()) {
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
    for (std::uint64_t bit = 0; bit < 8 * sample.files().at(name).size(); bit += flip_step()) {
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
        // Cutting the last marks loses no write.
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
      if (size < begins[1]) {
        // Its begin mark was durable before the other log could name it.
        REQUIRE(fault_is_told(files, name) == "");
        continue;
      }
      const bool is_torn =
          size > 0 && std::find(begins.begin(), begins.end(), size) == begins.end();
      // The newest log has its begin mark, then batches and marks in turn.
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

}  // namespace
}  // namespace lsmlab::engine::log_damage_test
