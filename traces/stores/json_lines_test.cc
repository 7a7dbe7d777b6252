// Logs of Docker and of collectors, with a JSON object in each line.
#include "traces/stores/json_lines.h"

#include "testing/catch.h"
#include "testing/traces/sample_logs.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores::json_lines_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

std::string as_json_lines(const std::string& text, const std::string& member,
                          const std::string& end) {
  std::string result;
  Lines lines(text);
  while (const auto line = lines.next()) {
    std::string escaped;
    for (const char letter : *line) {
      if (letter == '"' || letter == '\\') escaped += '\\';
      escaped += letter;
    }
    result += "{\"" + member + "\":\"" + escaped + end +
              "\",\"stream\":\"stderr\",\"time\":\"2026-11-27T01:00:00.1Z\"}\n";
  }
  return result;
}

TEST_CASE("A long line that Docker divided is one line again") {
  const std::string half(std::size_t{16} << 10, 'a');
  const auto record = [](const std::string& text, const std::string& stream) {
    return "{\"log\":\"" + text + "\",\"stream\":\"" + stream + "\"}\n";
  };
  REQUIRE(text_of_json_lines(record(half, "stderr") + record("other\\n", "stdout") +
                             record("end\\n", "stderr")) == "other\n" + half + "end\n");
  REQUIRE(text_of_json_lines(record("one", "stderr") + record("two", "stderr")) == "one\ntwo\n");
}

TEST_CASE("A log of RocksDB is the same behind Docker's and a collector's JSON") {
  const std::string plain = lsmlab::testing::sample_rocksdb_log();
  const Scratch scratch;
  write_text(scratch.path("plain"), plain);
  const FamilyFigures expected = figures_of(read_store(scratch.path("plain")).value(), "default");
  REQUIRE(expected.flushes.flushes == 1);
  for (const std::string& text :
       {as_json_lines(plain, "log", "\\n"), as_json_lines(plain, "message", "")}) {
    REQUIRE(has_json_lines(text));
    write_text(scratch.path("json"), text);
    const Store store = read_store(scratch.path("json")).value();
    REQUIRE(store.faults.empty());
    REQUIRE(store.version == "7.8.3");
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.flushes.bytes == expected.flushes.bytes);
    REQUIRE(figures.merge_written_bytes == expected.merge_written_bytes);
    REQUIRE(figures.stalls == expected.stalls);
  }
}

TEST_CASE("Other text is no log of JSON lines, and a cut line stays as it is") {
  REQUIRE_FALSE(has_json_lines(""));
  REQUIRE_FALSE(has_json_lines("{\"CompactionHistory\":[]}\n"));
  REQUIRE_FALSE(has_json_lines("{\"log\":7}\n"));
  REQUIRE_FALSE(has_json_lines("L0 2/0\n{\"log\":\"a\"}\n"));
  REQUIRE(text_of_json_lines("{\"log\":\"a\\n\"}\n{\"log\":\"b") == "a\n{\"log\":\"b\n");
}

}  // namespace
}  // namespace lsmlab::stores::json_lines_test
