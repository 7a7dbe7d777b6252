#include "traces/stores/info_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "testing/catch.h"
#include "testing/traces/sample_logs.h"

namespace lsmlab::stores::info_log_test {
namespace {

using lsmlab::testing::hosted_log;
using lsmlab::testing::sample_leveldb_log;
using lsmlab::testing::sample_rocksdb_log;

TEST_CASE("A move was chosen when its first line was made, whatever the time zone") {
  // The lines are local times, two hours ahead of UTC, and were written later than they were made.
  const std::string head = "2026/11/28-10:45:26.900000 7 (Original Log Time 2026/11/28-10:45:26.";
  const Salvaged<InfoLog> read = read_rocksdb_log(
      head + "238956) [db/a.cc:1] [users] Moving #79 to level-3 5 bytes\n" + head +
      "238961) [db/a.cc:1] [users] Moving #76 to level-3 7 bytes\n" + head +
      "239813) EVENT_LOG_v1 {\"time_micros\": 1795855526239808, \"job\": 205, \"event\": "
      "\"trivial_move\", \"destination_level\": 3, \"files\": 2, \"total_files_size\": 12}\n");
  REQUIRE(read.value.moves.size() == 1);
  const LoggedMove& move = read.value.moves[0];
  REQUIRE(move.family == "users");
  REQUIRE(move.numbers == std::vector<std::uint64_t>{79, 76});
  REQUIRE(move.end_moment == 1795855526239808);
  REQUIRE(move.begin_moment == 1795855526238956);
}

TEST_CASE("A LOG of RocksDB gives flushes, compactions, moves and stalls by column family") {
  REQUIRE(is_rocksdb_log(sample_rocksdb_log()));
  const Salvaged<InfoLog> read = read_rocksdb_log(sample_rocksdb_log());
  REQUIRE_FALSE(read.fault);
  const InfoLog& log = read.value;
  REQUIRE(log.last_micros - log.first_micros == 40'000'000);
  REQUIRE(log.flushes.size() == 2);
  REQUIRE(log.flushes[0].family == "default");
  REQUIRE(log.flushes[0].bytes() == 1000);
  REQUIRE(log.flushes[0].memtable_entries == 110);
  REQUIRE(log.flushes[0].outputs[0].deletes == 10);
  REQUIRE(log.flushes[0].reason == "Write Buffer Full");
  REQUIRE(log.flushes[1].family == "b [2]");
  REQUIRE(log.compactions.size() == 1);
  const LoggedCompaction& merge = log.compactions[0];
  REQUIRE(merge.reason == "LevelL0FilesNum");
  REQUIRE(merge.inputs.size() == 2);
  REQUIRE(merge.inputs[0].bytes == 1000);
  // File 5 is older than the log: it has the rest of the sum.
  REQUIRE(merge.inputs[1].bytes == 2000);
  REQUIRE(merge.output_level == 1);
  REQUIRE(merge.output_bytes == 2700);
  REQUIRE(merge.outputs[0].compression == "ZSTD");
  REQUIRE(log.moves.size() == 1);
  REQUIRE(log.moves[0].level == 2);
  REQUIRE(log.moves[0].family == "default");
  REQUIRE(log.stalls.size() == 2);
  REQUIRE(log.stalls[0].family == "b [2]");
  REQUIRE(log.stalls[0].is_stop);
  REQUIRE(log.stalls[0].cause == StallCause::kMemtables);
  REQUIRE(log.stalls[1].family == "default");
  REQUIRE_FALSE(log.stalls[1].is_stop);
  REQUIRE(log.stalls[1].cause == StallCause::kLevel0Files);
  REQUIRE(log.level_files.at("default") == std::vector<std::uint64_t>{0, 1, 0});
}

TEST_CASE("A LOG within the log of Ceph or in the form of TiKV gives the same figures") {
  const InfoLog own = read_rocksdb_log(sample_rocksdb_log()).value;
  for (const bool is_ceph : {true, false}) {
    const std::string text = hosted_log(sample_rocksdb_log(), is_ceph);
    INFO(text.substr(0, 300));
    REQUIRE(is_rocksdb_log(text));
    const Salvaged<InfoLog> read = read_rocksdb_log(text);
    REQUIRE_FALSE(read.fault);
    const InfoLog& log = read.value;
    REQUIRE(log.events == own.events);
    REQUIRE(log.flushes.size() == own.flushes.size());
    REQUIRE(log.flushes[1].family == own.flushes[1].family);
    REQUIRE(log.compactions.size() == 1);
    REQUIRE(log.compactions[0].inputs[1].bytes == 2000);
    REQUIRE(log.moves.size() == 1);
    REQUIRE(log.stalls.size() == own.stalls.size());
    REQUIRE(log.options.version == "7.8.3");
    REQUIRE(log.options.family("default")->values == own.options.family("default")->values);
    REQUIRE(log.last_micros == own.last_micros);
    REQUIRE(log.statistics.at("default").rows.size() == own.statistics.at("default").rows.size());
  }
}

TEST_CASE("A job that began before the log is read from its end") {
  const std::string text = sample_rocksdb_log();
  const std::size_t flush = text.find("2026/11/27-01:00:10.100000");
  const InfoLog log = read_rocksdb_log(std::string_view(text).substr(flush)).value;
  REQUIRE(log.flushes[0].bytes() == 1000);
  REQUIRE(log.flushes[0].family == "default");
  const std::size_t merge = text.find("2026/11/27-01:00:20.500000");
  const InfoLog later = read_rocksdb_log(std::string_view(text).substr(merge)).value;
  REQUIRE(later.compactions.size() == 1);
  REQUIRE(later.compactions[0].output_bytes == 2700);
  REQUIRE(later.compactions[0].outputs.size() == 1);
  REQUIRE_FALSE(later.compactions[0].inputs_are_known);
}

TEST_CASE("A merge that was given up is not finished, and the next one of its thread may be") {
  const auto merge = [](int job, const std::string& status) {
    const std::string line = "2026/11/28-19:24:58.99309" + std::to_string(job) +
                             " 77 (Original Log Time 2026/11/28-19:24:58.993000) ";
    const std::string event = fmt::format(
        "EVENT_LOG_v1 {{\"time_micros\": {}, \"job\": {}, \"event\": ", 1795893898993026 + job,
        job);
    return line + event + "\"compaction_started\", \"files_L0\": [4]}\n" + line +
           "[db/compaction/compaction_job.cc:864] [default] compacted to: files[5 0] max score "
           "1.50, MB/sec: 1.0 rd, 1.0 wr, level 1, files in(1, 0) out(1 +0 blob) MB in(1.0, 0.0 "
           "+0.0 blob) out(1.0 +0.0 blob), read-write-amplify(2.4) write-amplify(0.4) " +
           status + ", records in: 9, records dropped: 5\n" + line + event +
           "\"compaction_finished\", \"output_level\": 1, \"num_input_records\": 9, "
           "\"num_output_records\": 4}\n";
  };
  const Salvaged<InfoLog> read =
      read_rocksdb_log(merge(1, "Shutdown in progress: Database shutdown") + merge(2, "OK"));
  REQUIRE(read.value.compactions.size() == 2);
  REQUIRE_FALSE(read.value.compactions[0].is_finished);
  REQUIRE(read.value.compactions[1].is_finished);
  REQUIRE(read.value.compactions[1].input_entries == 9);
}

TEST_CASE("A LOG of RocksDB gives the options and the tables of statistics") {
  const InfoLog log = read_rocksdb_log(sample_rocksdb_log()).value;
  REQUIRE(log.options.version == "7.8.3");
  REQUIRE(log.options.database.at("max_background_jobs") == "4");
  const FamilyOptions* family = log.options.family("default");
  REQUIRE(family != nullptr);
  REQUIRE(family->values.at("block_size") == "8192");
  REQUIRE(family->values.at("write_buffer_size") == "1000000");
  REQUIRE(log.stalled_seconds == 62.5);
  REQUIRE(log.stalled_percent == 20.5);
  REQUIRE(log.ingested_gigabytes == 1.5);
  REQUIRE(log.written_keys == 12000);
  const StatisticsTable& table = log.statistics.at("default");
  REQUIRE(table.rows.size() == 4);
  REQUIRE(table.rows[0].busy_files == 1);
  REQUIRE(table.rows[0].bytes == 129U << 19);
  REQUIRE(table.rows[1].bytes == 5U << 28);
  REQUIRE(table.rows[1].columns.at("Score") == 1.2);
  REQUIRE(table.rows[1].columns.at("KeyIn") == 50e6);
  REQUIRE(table.rows[2].columns.at("W-Amp") == 3.1);
  REQUIRE(table.flushed_gigabytes == 1.5);
  REQUIRE(table.stalls.at("level0_slowdown") == 3);
  REQUIRE(table.stalls.size() == 1);
}

TEST_CASE("Stalls are counted in the words of RocksDB 8 too") {
  InfoLog log;
  StatisticsReader reader(log);
  reader.add_line("** Compaction Stats [x] **", 1);
  reader.add_line("Write Stall (count): l0-file-count-limit-delays: 4, total-stops: 0", 1);
  reader.add_line("Write Stall (count): write-buffer-manager-limit-stops: 0", 1);
  REQUIRE(log.statistics.at("x").stalls ==
          std::map<std::string, double>{{"l0-file-count-limit-delays", 4}});
}

TEST_CASE("A LOG of LevelDB gives flushes, compactions and moves") {
  REQUIRE(is_leveldb_log(sample_leveldb_log()));
  REQUIRE_FALSE(is_leveldb_log(sample_rocksdb_log()));
  REQUIRE_FALSE(is_rocksdb_log(sample_leveldb_log()));
  const Salvaged<InfoLog> read = read_leveldb_log(sample_leveldb_log());
  REQUIRE_FALSE(read.fault);
  const InfoLog& log = read.value;
  REQUIRE(log.flushes.size() == 2);
  REQUIRE(log.flushes[1].bytes() == 97172);
  REQUIRE(log.compactions.size() == 1);
  REQUIRE(log.compactions[0].inputs[0].files == 4);
  REQUIRE(log.compactions[0].output_level == 1);
  REQUIRE(log.compactions[0].output_bytes == 360000);
  REQUIRE(log.compactions[0].output_entries == 3000);
  REQUIRE(log.moves[0].level == 2);
  REQUIRE(log.moves[0].bytes == 360000);
  REQUIRE(log.stalls.size() == 2);
  REQUIRE(log.level_files.at("default").size() == 7);
}

TEST_CASE("A log that is cut anywhere gives what is before the cut") {
  const std::string text = sample_rocksdb_log();
  std::size_t events = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto read = read_rocksdb_log(std::string_view(text).substr(0, size));
    REQUIRE(read.value.events >= events);
    events = read.value.events;
    static_cast<void>(read_leveldb_log(std::string_view(text).substr(0, size)));
  }
  const std::size_t event = text.find("\"flush_reason\"");
  const auto cut = read_rocksdb_log(std::string_view(text).substr(0, event));
  REQUIRE(cut.fault);
  REQUIRE(cut.fault->message ==
          "line 11: the log ends within an event: it was cut, or is being written");
  const std::string leveldb = sample_leveldb_log();
  for (std::size_t size = 0; size <= leveldb.size(); ++size) {
    static_cast<void>(read_leveldb_log(std::string_view(leveldb).substr(0, size)));
  }
}

// The bytes of a text, some at a time.
class TextSource final : public ByteSource {
 public:
  TextSource(std::string_view text, std::size_t step) : rest_(text), step_(step) {}
  [[nodiscard]] Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    const std::size_t count = std::min({rest_.size(), bytes.size(), step_});
    std::copy_n(rest_.begin(), count, bytes.begin());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t step_;
};

Salvaged<InfoLog> streamed(std::string_view text, std::size_t step) {
  ByteReader file("LOG", std::make_unique<TextSource>(text, step));
  return read_info_log(file, *info_log_reader(text)).value();
}

TEST_CASE("A log that comes in pieces is the same as a whole one") {
  const auto step = static_cast<std::size_t>(GENERATE(1, 7, 1000, 100000));
  for (const std::string& whole : {sample_rocksdb_log(), sample_leveldb_log()}) {
    for (const std::string_view text :
         {std::string_view(whole), std::string_view(whole).substr(0, whole.size() - 30)}) {
      const bool is_rocksdb = is_rocksdb_log(text);
      const auto expected = is_rocksdb ? read_rocksdb_log(text) : read_leveldb_log(text);
      const auto read = streamed(text, step);
      REQUIRE(read.value.system == expected.value.system);
      REQUIRE(read.value.lines == expected.value.lines);
      REQUIRE(read.value.events == expected.value.events);
      REQUIRE(read.value.last_micros == expected.value.last_micros);
      REQUIRE(read.value.compactions.size() == expected.value.compactions.size());
      REQUIRE(read.value.compactions[0].output_bytes == expected.value.compactions[0].output_bytes);
      REQUIRE(read.fault.has_value() == expected.fault.has_value());
      if (read.fault) REQUIRE(read.fault->message == expected.fault->message);
    }
  }
}

TEST_CASE("A line beyond the limit is a fault with its number, and the lines after it are read") {
  const std::string log = sample_rocksdb_log();
  const std::string text = "2026/11/27-01:00:00.000000 7f48 RocksDB version: 7.8.3 " +
                           std::string(kInfoLogLineBytesMax, 'x') + "\n" + log;
  const auto read = streamed(text, 1 << 20);
  REQUIRE(read.fault);
  REQUIRE(read.fault->message == "line 1: is longer than 16 MiB; the rest of it is left out");
  REQUIRE(read.value.events == read_rocksdb_log(log).value.events);
}

TEST_CASE("A damaged log is read without a crash") {
  const std::string text = sample_rocksdb_log();
  const std::string leveldb = sample_leveldb_log();
  for (const unsigned mask : {0x01U, 0x10U, 0x80U}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ static_cast<char>(mask));
      static_cast<void>(read_rocksdb_log(damaged));
    }
    for (std::size_t i = 0; i < leveldb.size(); ++i) {
      std::string damaged = leveldb;
      damaged[i] = static_cast<char>(damaged[i] ^ static_cast<char>(mask));
      static_cast<void>(read_leveldb_log(damaged));
    }
  }
  REQUIRE(read_rocksdb_log("nothing").fault);
  REQUIRE(read_leveldb_log("").fault);
}

TEST_CASE("The time of a log line is read only if it is one") {
  REQUIRE(micros_of_line("1970/01/02-00:00:01.000002 x") == 86'401'000'002U);
  REQUIRE_FALSE(micros_of_line("1970/13/02-00:00:01.000002 x"));
  REQUIRE_FALSE(micros_of_line("1970/01/02 00:00:01.000002 x"));
  REQUIRE_FALSE(micros_of_line("1970/01/02"));
}

}  // namespace
}  // namespace lsmlab::stores::info_log_test
