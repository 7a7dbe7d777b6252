// A second reader of trace files, made only from the tables of docs/trace-format.md: offsets, marks
// and checksums are as in that document. It shares no code with lsmlab's own reader. If the two
// differ, either the document or the code is wrong.
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/files/trace_file.h"

namespace lsmlab::trace_document_test {
namespace {

using testing::bytes_of_file;
using testing::random_operations;
using testing::Scratch;
using testing::write_trace;

using Bytes8 = std::vector<std::uint8_t>;

// All integers are unsigned and little endian.
std::uint64_t number(const Bytes8& file, std::size_t offset, std::size_t bytes) {
  if (offset + bytes > file.size()) FAIL("a number at byte " << offset << " is cut off");
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | file[offset + i];
  return value;
}

std::uint64_t xxh64(const Bytes8& file, std::size_t offset, std::size_t bytes, std::uint64_t seed) {
  REQUIRE(offset + bytes <= file.size());
  return XXH64(file.data() + offset, bytes, seed);
}

std::string mark(const Bytes8& file, std::size_t offset) {
  REQUIRE(offset + 4 <= file.size());
  return {file.begin() + static_cast<std::ptrdiff_t>(offset),
          file.begin() + static_cast<std::ptrdiff_t>(offset) + 4};
}

struct DocumentedColumn {
  std::uint64_t transform = 0;
  std::vector<std::uint64_t> entries;  // with transform 2: the operations' keys are not added yet
};

// Reads the table "Column", and moves the offset behind it.
DocumentedColumn column(const Bytes8& file, std::size_t& at, std::size_t count,
                        std::uint64_t other_transform, std::uint64_t largest) {
  DocumentedColumn column;
  column.transform = number(file, at, 1);
  REQUIRE((column.transform == 0 || column.transform == other_transform));
  const std::size_t width = number(file, at + 1, 1);
  REQUIRE(width <= 8);
  const std::uint64_t compression = number(file, at + 2, 1);
  REQUIRE(number(file, at + 3, 1) == 0);
  const std::size_t stored = number(file, at + 4, 4);
  const std::uint64_t base = number(file, at + 8, 8);
  const std::uint64_t first = number(file, at + 16, 8);
  at += 24;
  const std::size_t numbers = column.transform == 1 ? count - 1 : count;
  Bytes8 plain(file.begin() + static_cast<std::ptrdiff_t>(at),
               file.begin() + static_cast<std::ptrdiff_t>(at + stored));
  at += stored;
  if (compression == 1) {
    REQUIRE(stored < width * numbers);
    Bytes8 unpacked(width * numbers);
    REQUIRE(ZSTD_decompress(unpacked.data(), unpacked.size(), plain.data(), plain.size()) ==
            unpacked.size());
    plain = unpacked;
  }
  REQUIRE((compression <= 1 && plain.size() == width * numbers));
  for (std::size_t i = 0; i < numbers; ++i) {
    column.entries.push_back(base + number(plain, i * width, width));
  }
  if (column.transform == 1) {
    std::vector<std::uint64_t> sums{first};
    for (const std::uint64_t step : column.entries) sums.push_back(sums.back() + step);
    column.entries = sums;
  } else {
    REQUIRE(first == 0);
  }
  if (column.transform != 2) {
    REQUIRE(std::all_of(column.entries.begin(), column.entries.end(),
                        [&](std::uint64_t entry) { return entry <= largest; }));
  }
  return column;
}

// Reads the payload: "The payload is six columns".
void payload(const Bytes8& file, std::size_t at, std::size_t end, std::size_t count,
             std::vector<Operation>& operations) {
  const std::uint64_t any = ~std::uint64_t{0};
  const std::uint64_t none = 99;
  const auto kinds = column(file, at, count, none, 3).entries;
  const auto puts = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), 0U));
  const auto scans = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), 3U));
  const auto keys = column(file, at, count, 1, any).entries;
  const auto key_sizes = column(file, at, count, none, 0xffff).entries;
  const auto value_sizes = column(file, at, puts, none, 0xffffffff).entries;
  const auto scan_ends = column(file, at, scans, 2, any);
  const auto scan_limits = column(file, at, scans, none, 0xffffffff).entries;
  REQUIRE(at == end);
  std::size_t put = 0;
  std::size_t scan = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Operation operation;
    operation.kind = static_cast<OperationKind>(kinds[i]);
    operation.key = keys[i];
    operation.key_bytes = static_cast<std::uint16_t>(key_sizes[i]);
    if (kinds[i] == 0) operation.value_bytes = static_cast<std::uint32_t>(value_sizes[put++]);
    if (kinds[i] == 3) {
      const std::uint64_t added = scan_ends.transform == 2 ? operation.key : 0;
      operation.scan_last_key = scan_ends.entries[scan] + added;
      operation.scan_entries_max = static_cast<std::uint32_t>(scan_limits[scan++]);
    }
    operations.push_back(operation);
  }
}

// Reads the tables "Header", "Block" and "Footer".
std::vector<Operation> read_by_document(const Bytes8& file, std::string& provenance) {
  const Bytes8 magic{0x89, 0x6c, 0x73, 0x6d, 0x74, 0x72, 0x63, 0x0a};
  REQUIRE(std::equal(magic.begin(), magic.end(), file.begin()));
  REQUIRE(number(file, 8, 4) == 1);
  const std::size_t provenance_bytes = number(file, 12, 4);
  provenance.assign(file.begin() + 16,
                    file.begin() + 16 + static_cast<std::ptrdiff_t>(provenance_bytes));
  std::uint64_t checksum = xxh64(file, 16, provenance_bytes, xxh64(file, 0, 16, 0));
  REQUIRE(number(file, 16 + provenance_bytes, 8) == checksum);
  std::size_t at = 24 + provenance_bytes;
  std::vector<Operation> operations;
  std::uint64_t blocks = 0;
  for (; mark(file, at) == "BOLK"; ++blocks) {
    const std::size_t count = number(file, at + 4, 4);
    REQUIRE((count >= 1 && count <= 65'536));
    const std::size_t payload_bytes = number(file, at + 8, 4);
    REQUIRE(number(file, at + 12, 4) == 0);
    checksum = xxh64(file, at + 24, payload_bytes, xxh64(file, at, 16, checksum));
    REQUIRE(number(file, at + 16, 8) == checksum);
    payload(file, at + 24, at + 24 + payload_bytes, count, operations);
    at += 24 + payload_bytes;
  }
  REQUIRE(mark(file, at) == "FOOT");
  REQUIRE(number(file, at + 4, 4) == 0);
  REQUIRE(number(file, at + 8, 8) == blocks);
  REQUIRE(number(file, at + 16, 8) == operations.size());
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const auto of_kind =
        std::count_if(operations.begin(), operations.end(), [&](const Operation& operation) {
          return static_cast<std::size_t>(operation.kind) == kind;
        });
    REQUIRE(number(file, at + 24 + 8 * kind, 8) == static_cast<std::uint64_t>(of_kind));
  }
  REQUIRE(number(file, at + 56, 8) == xxh64(file, at, 56, checksum));
  REQUIRE(file.size() == at + 64);
  return operations;
}

}  // namespace

TEST_CASE("a trace reads by its document as the project reads it", "[traces][trace_document]") {
  const Scratch scratch;
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    INFO("seed " << seed);
    const std::size_t count = seed == 1 ? 0 : seed == 2 ? 1 : seed * 25'000;
    const auto written = random_operations(seed, count);
    write_trace(scratch.path("t"), written, seed % 2 == 0 ? "{\"seed\":1}" : "");
    const auto reader = TraceReader::open(scratch.path("t")).value();
    std::vector<Operation> read(count + 1);
    read.resize(reader->fill(read).value());
    std::string provenance;
    REQUIRE((read_by_document(bytes_of_file(scratch.path("t")), provenance) == read));
    REQUIRE(provenance == reader->provenance());
  }
}

TEST_CASE("the document names the marks that files have", "[traces][trace_document]") {
  std::ifstream file(std::string(LSMLAB_SOURCE_DIR) + "/docs/trace-format.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const char* words : {"mark: `BOLK`", "mark: `FOOT`", "`89 6c 73 6d 74 72 63 0a`"}) {
    INFO(words);
    REQUIRE(testing::contains(text.str(), words));
  }
}

}  // namespace lsmlab::trace_document_test
