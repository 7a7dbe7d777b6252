// Logs of RocksDB that other loggers wrote.
#include "traces/stores/foreign_lines.h"

#include <string>

#include "testing/catch.h"
#include "traces/stores/store_figures.h"

namespace lsmlab::stores::foreign_lines_test {
namespace {

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "text", text));
  return store;
}

// A flush and a merge, each line behind what the function puts before it.
template <class Prefix>
std::string log_of(Prefix prefix, int bytes = 460'586) {
  const std::string size = std::to_string(bytes);
  return prefix(7) +
         "[db/flush_job.cc:333] [default] [JOB 2] Flushing memtable with next log file: 71\n" +
         prefix(7) +
         "EVENT_LOG_v1 {\"time_micros\": 1572023096058252, \"job\": 2, \"event\": "
         "\"flush_started\", "
         "\"num_memtables\": 1, \"num_entries\": 7007, \"num_deletes\": 0, \"memory_usage\": "
         "15272}\n" +
         prefix(8) +
         "EVENT_LOG_v1 {\"time_micros\": 1572023097058252, \"cf_name\": \"default\", \"job\": 2, "
         "\"event\": \"table_file_creation\", \"file_number\": 12, \"file_size\": " +
         size +
         ", \"table_properties\": {\"raw_key_size\": 161856, \"raw_value_size\": 674400, "
         "\"num_entries\": 6744}}\n" +
         prefix(9) +
         "(Original Log Time 2019/10/25-17:04:59.050834) EVENT_LOG_v1 {\"time_micros\": "
         "1572023098050834, \"job\": 2, \"event\": \"flush_finished\", \"lsm_state\": [2]}\n" +
         prefix(9) + "[default] [JOB 3] Compacting 2@0 files to L1, score 1.00\n" + prefix(9) +
         "EVENT_LOG_v1 {\"time_micros\": 1572023098060000, \"job\": 3, \"event\": "
         "\"compaction_started\", \"files_L0\": [12, 11], \"score\": 1, \"input_data_size\": "
         "900000}\n" +
         prefix(10) +
         "EVENT_LOG_v1 {\"time_micros\": 1572023099060000, \"job\": 3, \"event\": "
         "\"compaction_finished\", \"output_level\": 1, \"num_output_files\": 1, "
         "\"total_output_size\": 800000, \"num_input_records\": 100, \"num_output_records\": 90, "
         "\"lsm_state\": [0, 1]}\n";
}

std::string clock_of(int second) {
  return (second < 10 ? "17:04:0" : "17:04:") + std::to_string(second);
}

void require_both(const FamilyFigures& figures, std::uint64_t flushed) {
  REQUIRE(figures.flushes.flushes == 1);
  REQUIRE(figures.flushes.bytes == flushed);
  REQUIRE(figures.flushes.memtable_entries == 7007);
  REQUIRE(figures.merges == 1);
  REQUIRE(figures.merge_read_bytes == 900'000);
  REQUIRE(figures.merge_written_bytes == 800'000);
}

TEST_CASE("other loggers' prefixes and times leave the log's events as they are") {
  const std::string forms[] = {
      log_of([](int s) {
        return "I191025 " + clock_of(s) + ".254802 8370 storage/engine/rocksdb.go:93  [n1,s1] ";
      }),
      log_of([](int s) {
        return "2019-10-25 " + clock_of(s) +
               ",510 [Thread-28] INFO  (RocksLoggerAdapter.java [log]:53) - ";
      }),
      log_of([](int s) { return "LOG:12:2019/10/25-" + clock_of(s) + ".254802 7f1a "; }),
      log_of([](int s) { return "/db/LOG:2019/10/25-" + clock_of(s) + ".254802 7f1a "; })};
  for (const std::string& form : forms) {
    CAPTURE(form);
    const Store store = store_of(form);
    REQUIRE(store.faults.empty());
    const FamilyFigures figures = figures_of(store, "default");
    require_both(figures, 460'586);
    REQUIRE(figures.seconds == 3);
  }
}

TEST_CASE("events alone have times of their own") {
  const FamilyFigures figures =
      figures_of(store_of(log_of([](int /*second*/) { return std::string(); })), "default");
  require_both(figures, 460'586);
}

TEST_CASE("each tablet of YugabyteDB is a column family, though their jobs have the same numbers") {
  const auto of_tablet = [](const std::string& tablet) {
    return [tablet](int second) {
      return "I1025 " + clock_of(second) + ".050868  3674 event_logger.cc:77] T " + tablet +
             " P d8a555ca [R]: ";
    };
  };
  // Line by line, as they write at the same time.
  const std::string one = log_of(of_tablet("9b1c"), 1000);
  const std::string two = log_of(of_tablet("3618"), 2000);
  std::string both = "I1025 17:04:05.058142  3373 ts_tablet_manager.cc:299] Flushing tablet 3618\n";
  for (std::size_t a = 0, b = 0; a < one.size() && b < two.size();) {
    const std::size_t a_end = one.find('\n', a) + 1;
    const std::size_t b_end = two.find('\n', b) + 1;
    both += one.substr(a, a_end - a) + two.substr(b, b_end - b);
    a = a_end;
    b = b_end;
  }
  const Store store = store_of(both);
  REQUIRE(store.faults.empty());
  REQUIRE(store.families() == std::vector<std::string>{"3618 [R]", "9b1c [R]"});
  require_both(figures_of(store, "9b1c [R]"), 1000);
  require_both(figures_of(store, "3618 [R]"), 2000);
}

TEST_CASE("quotes of events that a page, a string or an editor changed are JSON's again") {
  const std::string plain = "2019/10/25-17:04:05.050868 7f1a EVENT_LOG_v1 {\"job\": 3}";
  for (const std::string quote : {"&quot;", "&#34;", "\\\"", "\u201c"}) {
    const std::string line =
        "2019/10/25-17:04:05.050868 7f1a EVENT_LOG_v1 {" + quote + "job" + quote + ": 3}";
    REQUIRE(with_plain_quotes(line) == plain);
  }
  REQUIRE_FALSE(with_plain_quotes(plain));
  // FoundationDB.
  ForeignLines lines;
  REQUIRE(
      lines.own_form("<Event Severity=\"10\" Time=\"1629167133.040469\" "
                     "DateTime=\"2021-08-17T02:25:33Z\" Type=\"RocksDBLog\" Message=\"EVENT_LOG_v1 "
                     "{&quot;job&quot;: 3}\" ThreadID=\"1380\" Roles=\"CC,CP\" />") ==
      "2021/08/17-02:25:33.000000 - EVENT_LOG_v1 {\"job\": 3}");
  REQUIRE_FALSE(lines.own_form("I1025 17:04:05.058142  3373 ts_tablet_manager.cc:299] Flushing"));
}

}  // namespace
}  // namespace lsmlab::stores::foreign_lines_test
