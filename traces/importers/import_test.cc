#include "traces/importers/import.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>

#include "testing/catch.h"
#include "testing/traces/packed.h"
#include "testing/traces/trace_testing.h"
#include "traces/files/trace_export.h"
#include "traces/importers/import_parser.h"

namespace lsmlab::import_test {
namespace {

using testing::contains;
using testing::Scratch;

struct Import {
  std::vector<Operation> operations;
  ImportReport report;
  std::string fault;
  bool files_left = false;
};

Import import_file(const Scratch& scratch, const std::string& format, bool skip = false,
                   std::uint64_t memory_bytes_max = kImportMemoryBytesMin) {
  std::filesystem::create_directory(scratch.path("temporary"));
  Import import;
  const auto report = import_trace({.format = format,
                                    .path = scratch.path("in"),
                                    .memory_bytes_max = memory_bytes_max,
                                    .temporary_directory = scratch.path("temporary"),
                                    .skip_unsupported = skip},
                                   [&](std::span<const Operation> operations) -> Result<void> {
                                     import.operations.insert(import.operations.end(),
                                                              operations.begin(), operations.end());
                                     return success();
                                   });
  if (report) {
    import.report = report.value();
  } else {
    import.fault = report.error().message;
  }
  import.files_left = !std::filesystem::is_empty(scratch.path("temporary"));
  return import;
}

Import import_text(const std::string& format, const std::string& text, bool skip = false) {
  const Scratch scratch;
  testing::write_text(scratch.path("in"), text);
  Import import = import_file(scratch, format, skip);
  REQUIRE_FALSE(import.files_left);
  return import;
}

// Operations as text; ids are replaced by their ranks: `put 0 key_bytes value_bytes`.
std::vector<std::string> ranked(const std::vector<Operation>& operations) {
  std::vector<std::uint64_t> keys;
  for (const Operation& operation : operations) keys.push_back(operation.key);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const auto rank = [&](std::uint64_t key) {
    return std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
  };
  std::vector<std::string> lines;
  for (const Operation& operation : operations) {
    constexpr std::array<const char*, 4> kNames{"put", "delete", "get", "scan"};
    std::string line = fmt::format("{} {} {}", kNames[static_cast<std::size_t>(operation.kind)],
                                   rank(operation.key), operation.key_bytes);
    if (operation.kind == OperationKind::kPut) line += fmt::format(" {}", operation.value_bytes);
    if (operation.kind == OperationKind::kScan) {
      // The number of keys that are not above the last one.
      const auto visible =
          std::upper_bound(keys.begin(), keys.end(), operation.scan_last_key) - keys.begin();
      line += fmt::format(" below {} most {}", visible, operation.scan_entries_max);
    }
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

// Importing each text must fail with an error that begins with the path and the number, and
// contains the words.
void require_fault(const std::string& format, const std::string& text, const std::string& place,
                   const std::string& words) {
  const Import import = import_text(format, text);
  INFO(text << ": " << import.fault);
  REQUIRE(contains(import.fault, "/in: " + place + ": "));
  REQUIRE(contains(import.fault, words));
  REQUIRE(import.operations.empty());
}

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string slice(const std::string& text) {
  return little(text.size(), 1) + text;  // shorter than 128 bytes
}

std::string record(std::uint64_t type, const std::string& payload) {
  return little(1'700'000'000'000'000, 8) + little(type, 1) + little(payload.size(), 4) + payload;
}

std::string begin(const std::string& version) {
  return record(1, "feedcafedeadbeef\tTrace Version: " + version +
                       "\tRocksDB Version: 8.9\tFormat: Timestamp OpType Payload\n");
}

std::string batch(std::uint32_t count, const std::string& entries) {
  return little(77, 8) + little(count, 4) + entries;
}

}  // namespace

TEST_CASE("the K-V workload generator's text is imported", "[traces][import]") {
  const Import import =
      import_text("kv-workload", "I bb vvvv\nU a v\r\nD bb \nD a\n\nQ zz\nS a m\nS b c\nI x ");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) == Lines{"put 2 2 4", "put 0 1 1", "delete 2 2", "delete 0 1",
                                             "get 4 2", "scan 0 1 below 3 most 0",
                                             "scan 1 1 below 3 most 0", "put 3 1 0"});
  REQUIRE(import.report.operations == 8);
  REQUIRE(import.report.by_kind == std::array<std::uint64_t, 4>{3, 2, 1, 2});
  REQUIRE(import.report.distinct_keys == 5);
  REQUIRE(import.report.lines_without_operation == 1);
}

TEST_CASE("bad lines of the K-V workload generator's text are told", "[traces][import]") {
  const std::string format = "kv-workload";
  require_fault(format, "I a v\nI a\n", "line 2", "\"I a\"; expected \"I KEY VALUE\"");
  require_fault(format, "I a v w\n", "line 1", "expected");
  require_fault(format, "I  v\n", "line 1", "expected");
  require_fault(format, "Q\n", "line 1", "expected");
  require_fault(format, "Q a b\n", "line 1", "expected");
  require_fault(format, "S a\n", "line 1", "\"S FIRST LAST\"");
  require_fault(format, "X a\n", "line 1", "expected I, U, D, Q, S or R");
  require_fault(format, "IQ a\n", "line 1", "expected I, U, D, Q, S or R");
  require_fault(format, "I a v\nR a b\n", "line 2", "a range delete cannot be imported");
  require_fault(format, "Q " + std::string(65'536, 'k') + "\n", "line 1", "65536");
  require_fault(format, "I a " + std::string(std::size_t{17} << 20, 'v'), "line 1", "longer than");
  const Import skipped = import_text(format, "I a v\nR a b\nQ a\n", true);
  REQUIRE(skipped.fault.empty());
  REQUIRE(skipped.report.skipped == 1);
  REQUIRE(skipped.operations.size() == 2);
}

TEST_CASE("an exported trace is imported as the same operations in the same order",
          "[traces][import]") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    INFO("seed " << seed);
    const Scratch scratch;
    auto operations = testing::random_operations(seed, 60'000);
    for (Operation& operation : operations) {
      operation.key_bytes = 16;
      operation.value_bytes %= 100;
      operation.scan_entries_max = 0;
    }
    testing::write_trace(scratch.path("t"), operations);
    REQUIRE(export_trace(*TraceReader::open(scratch.path("t")).value(), ExportFormat::kKvWorkload,
                         scratch.path("in"))
                .has_value());
    const Import import = import_file(scratch, "kv-workload");
    REQUIRE(import.fault.empty());
    REQUIRE_FALSE(import.files_left);
    REQUIRE(ranked(import.operations) == ranked(operations));
  }
}

TEST_CASE("YCSB's basic output is imported", "[traces][import]") {
  const Import import = import_text("ycsb",
                                    "***************** properties *****************\n"
                                    "\"recordcount\"=\"1000\"\n"
                                    "**********************************************\n"
                                    "INSERT usertable user2 [ field1=a b=] field0=xyz ]\n"
                                    "READ usertable user1 [ <all fields>]\n"
                                    "READ usertable user2 [ field0 field1 ]\n"
                                    "SCAN usertable user1 7 [ <all fields>]\n"
                                    "UPDATE usertable user2 [ field12= field 3= field0 x ]\n"
                                    "DELETE usertable user1\n"
                                    "[OVERALL], RunTime(ms), 12\n");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) == Lines{"put 1 5 8", "get 0 5", "get 1 5",
                                             "scan 0 5 below 2 most 7", "put 1 5 18",
                                             "delete 0 5"});
  REQUIRE(import.report.lines_without_operation == 4);
  require_fault("ycsb", "READ usertable\n", "line 1", "a table and a key");
  require_fault("ycsb", "WRITE t k\n", "line 1", "expected READ, SCAN");
  require_fault("ycsb", "INSERT t k v\n", "line 1", "fieldN=VALUE");
  require_fault("ycsb", "INSERT t k [ f=v ]\n", "line 1", "fieldN=VALUE");
  require_fault("ycsb", "SCAN t k x [ <all fields>]\n", "line 1", "records");
}

TEST_CASE("RocksDB's human-readable trace is imported", "[traces][import]") {
  const std::string format = "rocksdb-text";
  const Import import = import_text(format,
                                    "0x6262 1 0 100 17\n0x61 0 0 0 18\n0x6262 2 0 0 19\n"
                                    "0x61 6 0 0 20\n0x61 8 1 0 21\n0x63 9 1 5 22\n0x61 3 1 0 23\n");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) == Lines{"put 1 2 100", "get 0 1", "delete 1 2",
                                             "scan 0 1 below 2 most 1", "get 2 1", "put 3 1 5",
                                             "delete 2 1"});
  REQUIRE(import.report.distinct_keys == 4);
  require_fault(format, "61 1 0 100 17\n", "line 1", "hexadecimal");
  require_fault(format, "0x6 1 0 100 17\n", "line 1", "hexadecimal");
  require_fault(format, "0x6g 1 0 100 17\n", "line 1", "hexadecimal");
  require_fault(format, "0x61 1 0 100\n", "line 1", "VALUE_BYTES");
  require_fault(format, "0x61 1 0 100 17 5\n", "line 1", "VALUE_BYTES");
  require_fault(format, "0x61 1 0 4294967296 17\n", "line 1", "at most 4294967295");
  require_fault(format, "0x61 12 0 100 17\n", "line 1", "a type from 0 to 9");
  const Import skipped =
      import_text(format, "0x61 0x62 4 0 0 1\n0x61 5 0 9 2\n0x61 7 0 0 3\n0x61 0 0 0 4\n", true);
  REQUIRE(skipped.report.skipped == 3);
  REQUIRE(skipped.report.operations == 1);
}

TEST_CASE("RocksDB's binary trace is imported", "[traces][import]") {
  const std::string write = batch(4, "\x01" + slice("bb") + slice("value") + std::string(1, '\0') +
                                         slice("a") + "\x05\x02" + slice("a") + slice("v") +
                                         "\x03" + slice("log") + "\x07" + slice("bb"));
  const std::string multi_get =
      little(0x700, 8) + little(2, 4) + slice(little(0, 8)) + slice(slice("a") + slice("bb"));
  const std::string text =
      begin("0.2") + record(3, little(2, 8) + slice(write)) +
      record(4, little(0xc, 8) + little(2, 4) + slice("a")) +
      record(5, little(0x30, 8) + little(0, 4) + slice("a")) +
      record(5, little(0xf0, 8) + little(0, 4) + slice("a") + slice("0") + slice("bb")) +
      record(13, multi_get) + record(2, little(0, 8));
  const Import import = import_text("rocksdb-binary", text + "whatever follows");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) == Lines{"put 1 2 5", "delete 0 1", "put 2 1 1", "delete 1 2",
                                             "get 2 1", "scan 0 1 below 2 most 1",
                                             "scan 0 1 below 1 most 1", "get 0 1", "get 1 2"});

  const std::string old = begin("0.1") + record(3, write) + record(4, little(0, 4) + slice("a")) +
                          record(5, little(0, 4) + slice("a"));
  REQUIRE(import_text("rocksdb-binary", old).operations.size() == 6);

  const Scratch scratch;
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    testing::write_text(scratch.path("in"), text.substr(0, bytes));
    INFO(bytes << " bytes of " << text.size());
    const Import cut = import_file(scratch, "rocksdb-binary");
    REQUIRE_FALSE(cut.files_left);
    REQUIRE((cut.operations.size() < 9 || text.size() - bytes <= record(2, "12345678").size()));
  }
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    std::string damaged = text;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0xff);
    testing::write_text(scratch.path("in"), damaged);
    REQUIRE_FALSE(import_file(scratch, "rocksdb-binary", true).files_left);
  }
}

TEST_CASE("bad records of RocksDB's binary trace are told", "[traces][import]") {
  const std::string format = "rocksdb-binary";
  const std::string front = begin("0.2");
  const std::string place = fmt::format("record 1 at byte {}", front.size());
  require_fault(format, "", "record 0 at byte 0", "not a RocksDB query trace");
  require_fault(format, begin("0.3"), "record 0 at byte 0", "trace version");
  require_fault(format, front + record(99, ""), place, "unknown type 99");
  require_fault(format, front + record(7, ""), place, "cache or device");
  require_fault(format,
                front + record(4, little(0xc, 8) + little(0, 4) +
                                      "\x05"
                                      "a"),
                place, "cut short");
  require_fault(format, front + record(4, little(0x3c, 8)), place, "unknown members");
  require_fault(format, front + little(1, 8) + "\x04" + little(~std::uint64_t{0}, 4), place,
                "at most");
  const auto write = [&](const std::string& bytes) {
    return front + record(3, little(2, 8) + slice(bytes));
  };
  require_fault(format, write(batch(1, "\x02" + slice("k") + slice("v"))), place, "a merge");
  require_fault(format, write(batch(1, "\x0f" + slice("a") + slice("b"))), place, "range delete");
  require_fault(format, write(batch(1, "\x55")), place, "unknown tag 85");
  require_fault(format, write(batch(2, "\x07" + slice("k"))), place, "announces 2");
}

TEST_CASE("Twitter's CSV is imported", "[traces][import]") {
  const std::string format = "twemcache";
  const Import import = import_text(
      format,
      "0,bbb,13,100,1,get,0\n0,a,b,3,20,1,set,60\n1,bbb,13,0,2,delete,0\n2,c,1,8,2,incr,0\n");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) == Lines{"get 1 13", "put 0 3 20", "delete 1 13", "put 2 1 8"});
  require_fault(format, "0,a,1,2,3,get\n", "line 1", "expected 7 fields");
  require_fault(format, "0,a,x,2,3,get,0\n", "line 1", "key size \"x\"");
  require_fault(format, "0,a,1,2,3,take,0\n", "line 1", "operation \"take\"");
  require_fault(format, "0,a,70000,2,3,get,0\n", "line 1", "70000");
}

TEST_CASE("Meta's CSV is imported", "[traces][import]") {
  const std::string format = "cachelib";
  const Import import = import_text(format,
                                    "key,op,size,op_count,key_size\nb,GET,9,3,20\na,SET,9,2,21\n"
                                    "b,DELETE,0,1,20\n");
  REQUIRE(import.fault.empty());
  REQUIRE(ranked(import.operations) ==
          Lines{"get 1 20", "get 1 20", "get 1 20", "put 0 21 9", "put 0 21 9", "delete 1 20"});
  REQUIRE(import.report.operations == 6);
  REQUIRE(import.report.distinct_keys == 2);
  const std::string newer = "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n";
  REQUIRE(ranked(import_text(format, newer + "5,k,12,SET_LEASE,1,7,0,0\n").operations) ==
          Lines{"put 0 12 7"});
  require_fault(format, "key,size\n", "line 1", "the header lacks");
  require_fault(format, newer + "5,k,12,GET,0,7,0,0\n", "line 2", "op_count 0; expected");
  require_fault(format, newer + "5,k,12,GET,999999999,7,0,0\n", "line 2", "999,999,999 operations");
  require_fault(format, newer + "5,k,12,GET,1\n", "line 2", "5 fields; expected 8");
  require_fault(format, newer + "5,k,12,PUT,1,7,0,0\n", "line 2", "op \"PUT\"");
  require_fault(format, newer + "5,k,12,SET,1,x,0,0\n", "line 2", "size \"x\"");
}

TEST_CASE("an import that fails leaves no temporary file", "[traces][import]") {
  const Scratch scratch;
  REQUIRE(contains(import_file(scratch, "ycsb").fault, "No such file"));
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("I key{:08} v\n", i * 7919 % 100'000);
  testing::write_text(scratch.path("in"), text + "X\n");
  const Import import = import_file(scratch, "kv-workload");
  REQUIRE(contains(import.fault, "line 100001"));
  REQUIRE_FALSE(import.files_left);
  const auto stopped = import_trace(
      {.path = scratch.path("in"), .temporary_directory = scratch.path("temporary")},
      [](std::span<const Operation>) -> Result<void> { return machine_error("the sink is full"); });
  REQUIRE_FALSE(stopped.has_value());
  REQUIRE(std::filesystem::is_empty(scratch.path("temporary")));
  REQUIRE(contains(import_file(scratch, "kv-workload", false, 1000).fault, "at least"));
}

TEST_CASE("every format is read through gzip and zstd as it is", "[traces][import]") {
  for (const importing::Importer& importer : importing::make_importers()) {
    const std::string& format = importer.name;
    const std::string text(importer.example);
    const Import plain = import_text(format, text);
    INFO(format << ": " << text << ": " << plain.fault);
    REQUIRE(plain.fault.empty());
    REQUIRE(!plain.operations.empty());
    const std::unique_ptr<importing::InputReader> reader = importer.make();
    const bool is_text = dynamic_cast<importing::LineParser*>(reader.get()) != nullptr;
    for (const std::string& form : {is_text ? "\xef\xbb\xbf" + text : text, testing::gzip(text),
                                    testing::zstd(text), testing::gzip("") + testing::gzip(text)}) {
      const Import import = import_text(format, form);
      INFO(import.fault);
      REQUIRE(import.fault.empty());
      REQUIRE(import.operations == plain.operations);
    }
    const std::string packed = testing::gzip(text);
    const Import cut = import_text(format, packed.substr(0, packed.size() - 9));
    INFO(cut.fault);
    REQUIRE(contains(cut.fault, "/in: "));
    REQUIRE(contains(cut.fault, "of the compressed file"));
  }
  const auto wrong = import_text("rocksdb-binary", testing::zstd("rubbish, and much"));
  REQUIRE(contains(wrong.fault, "/in: record 0 at byte 0 of what is unpacked: "));
}

TEST_CASE("a row that stands for very many operations is refused, or stopped from outside",
          "[traces][import]") {
  const Scratch scratch;
  const std::string text = "key,op,size,op_count\nk,SET,9,1000001\n";
  require_fault("cachelib", text, "line 2",
                "expands this row to 1,000,001 operations; expected at most 1,000,000");
  testing::write_text(scratch.path("in"), "key,op,size,op_count\nk,SET,9,1000000000000\n");
  std::atomic<bool> stop{false};
  std::uint64_t delivered = 0;
  const auto report = import_trace({.format = "cachelib",
                                    .path = scratch.path("in"),
                                    .repeats_max = 1'000'000'000'000,
                                    .stop = &stop},
                                   [&](std::span<const Operation> operations) -> Result<void> {
                                     delivered += operations.size();
                                     if (delivered > 100'000) stop = true;
                                     return success();
                                   });
  REQUIRE_FALSE(report.has_value());
  REQUIRE(delivered < 200'000);
}

TEST_CASE("rows that stand for more operations than a trace holds are refused, progress is told",
          "[traces][import]") {
  const Scratch scratch;
  testing::write_text(scratch.path("in"),
                      "key,op,size,op_count\nk,SET,9,281474976710655\nk,GET,9,2\n");
  const ImportOptions options{
      .format = "cachelib", .path = scratch.path("in"), .repeats_max = ~std::uint64_t{0}};
  const auto report = import_trace(options, [](std::span<const Operation>) { return success(); });
  REQUIRE(contains(report.error().message, "/in: line 3: 281,474,976,710,657 operations so far"));
  testing::write_text(scratch.path("in"), "key,op,size,op_count\nk,SET,9,9000000\n");
  ImportOptions told = options;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
  told.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.emplace_back(done, total);
  };
  REQUIRE(import_trace(told, [](std::span<const Operation>) { return success(); }).has_value());
  REQUIRE(progress.size() == 2);
  REQUIRE(progress[1].first == 2 * progress[0].first);
  REQUIRE(progress[1].second == 9'000'000);
}

TEST_CASE("a set flag ends an import of lines without operations", "[traces][import]") {
  const Scratch scratch;
  testing::write_text(scratch.path("in"), testing::gzip(std::string(1'000'000, '\n')));
  const std::atomic<bool> stop{true};
  const auto report =
      import_trace({.format = "kv-workload", .path = scratch.path("in"), .stop = &stop},
                   [](std::span<const Operation>) { return success(); });
  REQUIRE_FALSE(report.has_value());
}

TEST_CASE("a line of nothing but commas takes no memory for its fields", "[traces][import]") {
  const std::string commas(1'000'000, ',');
  require_fault("cachelib", commas + "\n", "line 1", "a header of 1000001 fields");
  require_fault("cachelib", "key,op,size\n" + commas + "\n", "line 2",
                "1000001 fields; expected 3");
}

TEST_CASE("formats are known by their names", "[traces][import]") {
  const std::vector<std::string> names = names_of_import_formats();
  REQUIRE(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end());
  for (const ImportFormat& format : import_formats()) {
    INFO(format.name);
    REQUIRE(!format.summary.empty());
  }
  const Scratch scratch;
  testing::write_text(scratch.path("in"), "");
  REQUIRE(import_file(scratch, "ycsb").fault.empty());
  REQUIRE(contains(import_file(scratch, "YCBS").fault, "unknown format 'YCBS'; expected one of "));
  REQUIRE(contains(import_file(scratch, "ycbs").fault, "did you mean 'ycsb'?"));
}

}  // namespace lsmlab::import_test
