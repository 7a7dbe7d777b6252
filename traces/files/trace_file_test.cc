#include "traces/files/trace_file.h"

#include <boost/random/mersenne_twister.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"

namespace lsmlab::trace_file_test {
namespace {

using testing::bytes_of_file;
using testing::contains;
using testing::random_operations;
using testing::Scratch;
using testing::write_bytes;
using testing::write_trace;

struct Reading {
  std::vector<Operation> operations;
  std::string fault;   // of open() or fill()
  std::string damage;  // what a salvaging reader reports
  TraceCounts counts;
};

Reading read_trace(const std::string& path, bool salvage = false, std::size_t step = 1000) {
  Reading reading;
  auto reader = TraceReader::open(path, {salvage});
  if (!reader) {
    reading.fault = reader.error().message;
    return reading;
  }
  std::vector<Operation> part(step);
  for (;;) {
    const auto count = reader.value()->fill(part);
    if (!count) {
      reading.fault = count.error().message;
      break;
    }
    reading.operations.insert(reading.operations.end(), part.begin(),
                              part.begin() + static_cast<std::ptrdiff_t>(count.value()));
    if (count.value() < part.size()) break;
  }
  if (reader.value()->damage()) reading.damage = reader.value()->damage()->message;
  reading.counts = reader.value()->counts();
  return reading;
}

bool is_prefix(const std::vector<Operation>& part, const std::vector<Operation>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_CASE("a trace gives back what was written", "[traces][trace_file]") {
  const Scratch scratch;
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    INFO("seed " << seed);
    boost::random::mt19937_64 random(seed);
    const std::size_t count = random() % 200'000;
    const auto operations = random_operations(seed, count);
    write_trace(scratch.path("t"), operations, "{\"seed\":" + std::to_string(seed) + "}");
    const Reading reading = read_trace(scratch.path("t"), false, 1 + random() % 100'000);
    REQUIRE(reading.fault.empty());
    REQUIRE(reading.operations == operations);
    REQUIRE(reading.counts.operations == count);
    REQUIRE(TraceReader::open(scratch.path("t")).value()->provenance() ==
            "{\"seed\":" + std::to_string(seed) + "}");
  }
}

TEST_CASE("an empty trace is a trace", "[traces][trace_file]") {
  const Scratch scratch;
  write_trace(scratch.path("t"), {});
  const Reading reading = read_trace(scratch.path("t"));
  REQUIRE(reading.fault.empty());
  REQUIRE(reading.operations.empty());
}

TEST_CASE("uniform keys with fixed sizes take at most 9 bytes an operation",
          "[traces][trace_file]") {
  const Scratch scratch;
  boost::random::mt19937_64 random(7);
  std::vector<Operation> operations(300'000);
  for (Operation& operation : operations) {
    operation.key = random();
    operation.key_bytes = 16;
    operation.kind = random() % 2 == 0 ? OperationKind::kPut : OperationKind::kGet;
    operation.value_bytes = operation.kind == OperationKind::kPut ? 112 : 0;
  }
  write_trace(scratch.path("t"), operations);
  REQUIRE(std::filesystem::file_size(scratch.path("t")) < operations.size() * 9);
  for (std::size_t i = 0; i < operations.size(); ++i) operations[i].key = i << 20;
  write_trace(scratch.path("sequential"), operations);
  REQUIRE(std::filesystem::file_size(scratch.path("sequential")) < operations.size() / 4);
}

TEST_CASE("the bytes of a small trace are fixed", "[traces][trace_file]") {
  const Scratch scratch;
  write_trace(scratch.path("t"),
              {{.key = 0x1122334455667788, .value_bytes = 112, .key_bytes = 16},
               {.key = 0x1122334455667789, .key_bytes = 16, .kind = OperationKind::kGet},
               {.key = 0x1122334455667700,
                .scan_last_key = 0x1122334455667710,
                .scan_entries_max = 5,
                .key_bytes = 16,
                .kind = OperationKind::kScan}},
              "p");
  std::string hex;
  for (const std::uint8_t byte : bytes_of_file(scratch.path("t")))
    hex += fmt::format("{:02x}", byte);
  REQUIRE(hex ==
          "896c736d7472630a010000000100000070aae9827b2ff686be424f4c4b0300000096000000000000"
          "00bb1b4b71038ddb9800010000030000000000000000000000000000000000000000020300010000"
          "03000000007766554433221100000000000000008889000000000000000000100000000000000000"
          "00000000000000000000000000000070000000000000000000000000000000000000000000000010"
          "77665544332211000000000000000000000000000000000500000000000000000000000000000046"
          "4f4f5400000000010000000000000003000000000000000100000000000000000000000000000001"
          "0000000000000001000000000000006ec018bcaa49b1c5");
}

TEST_CASE("every flipped byte of a trace is noticed", "[traces][trace_file]") {
  const Scratch scratch;
  // The second block is small, so that damage can follow a complete block.
  const auto operations = random_operations(11, 300);
  write_trace(scratch.path("t"), operations, "provenance");
  const auto bytes = bytes_of_file(scratch.path("t"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      auto damaged = bytes;
      damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ change);
      write_bytes(scratch.path("d"), damaged);
      INFO("byte " << i << " changed by " << change);
      const Reading reading = read_trace(scratch.path("d"));
      REQUIRE(contains(reading.fault, scratch.path("d")));
      REQUIRE(contains(reading.fault, "at byte "));
      REQUIRE(is_prefix(reading.operations, operations));
    }
  }
}

TEST_CASE("every truncation of a trace is noticed", "[traces][trace_file]") {
  const Scratch scratch;
  const auto operations = random_operations(12, 300);
  write_trace(scratch.path("t"), operations, "provenance");
  auto bytes = bytes_of_file(scratch.path("t"));
  bytes.push_back(0);
  write_bytes(scratch.path("d"), bytes);
  REQUIRE(contains(read_trace(scratch.path("d")).fault, "bytes follow the footer"));
  bytes.pop_back();
  while (!bytes.empty()) {
    bytes.pop_back();
    write_bytes(scratch.path("d"), bytes);
    INFO(bytes.size() << " bytes left");
    REQUIRE_FALSE(read_trace(scratch.path("d")).fault.empty());
    const Reading salvaged = read_trace(scratch.path("d"), true);
    REQUIRE_FALSE((salvaged.fault + salvaged.damage).empty());
    REQUIRE(is_prefix(salvaged.operations, operations));
  }
}

TEST_CASE("salvage hands out every block before the damage", "[traces][trace_file]") {
  const Scratch scratch;
  const auto operations = random_operations(13, 3 * kTraceBlockOperationsMax + 10);
  write_trace(scratch.path("t"), operations);
  auto bytes = bytes_of_file(scratch.path("t"));
  bytes[bytes.size() - 100] = static_cast<std::uint8_t>(
      bytes[bytes.size() - 100] ^ 1);  // in the last block: the footer takes 64 bytes
  write_bytes(scratch.path("d"), bytes);
  const Reading strict = read_trace(scratch.path("d"));
  REQUIRE(contains(strict.fault, "/d: block 3 at byte "));
  const Reading salvaged = read_trace(scratch.path("d"), true);
  REQUIRE(salvaged.fault.empty());
  REQUIRE(salvaged.damage == strict.fault);
  REQUIRE(salvaged.operations.size() == 3 * kTraceBlockOperationsMax);
  REQUIRE(is_prefix(salvaged.operations, operations));
}

TEST_CASE("a block that is missing or moved is noticed", "[traces][trace_file]") {
  const Scratch scratch;
  // Blocks of equal layout: 24 bytes of header, 6 columns, keys of 8 bytes.
  boost::random::mt19937_64 random(3);
  std::vector<Operation> operations(3 * kTraceBlockOperationsMax);
  for (Operation& operation : operations) operation.key = random();
  write_trace(scratch.path("t"), operations);
  const auto bytes = bytes_of_file(scratch.path("t"));
  constexpr std::ptrdiff_t kBlockBytes = 24 + 6 * 24 + 8 * kTraceBlockOperationsMax;
  REQUIRE(bytes.size() == 24 + 3 * kBlockBytes + 64);
  auto missing = bytes;
  missing.erase(missing.begin() + 24 + kBlockBytes, missing.begin() + 24 + 2 * kBlockBytes);
  write_bytes(scratch.path("d"), missing);
  REQUIRE(contains(read_trace(scratch.path("d")).fault, "block 1 at byte"));
  auto moved = bytes;
  std::swap_ranges(moved.begin() + 24, moved.begin() + 24 + kBlockBytes,
                   moved.begin() + 24 + kBlockBytes);
  write_bytes(scratch.path("d"), moved);
  REQUIRE(contains(read_trace(scratch.path("d")).fault, "block 0 at byte 24"));
}

TEST_CASE("an unfinished trace leaves no file and spares the old one", "[traces][trace_file]") {
  const Scratch scratch;
  write_trace(scratch.path("t"), random_operations(1, 10));
  const auto before = bytes_of_file(scratch.path("t"));
  {
    auto writer = TraceWriter::create(scratch.path("t"));
    REQUIRE(writer.has_value());
    REQUIRE(writer.value()->append(random_operations(2, 100'000)).has_value());
  }
  REQUIRE(bytes_of_file(scratch.path("t")) == before);
  const std::filesystem::directory_iterator files(scratch.path());
  REQUIRE(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("what cannot be a trace is refused", "[traces][trace_file]") {
  const Scratch scratch;
  write_bytes(scratch.path("text"), {'I', ' ', 'a', ' ', 'b', '\n'});
  REQUIRE(contains(read_trace(scratch.path("text")).fault, "this is not an lsmlab trace file"));
  REQUIRE(contains(read_trace(scratch.path("none")).fault, "No such file"));
  REQUIRE(contains(read_trace(scratch.path()).fault, "is a directory"));
  REQUIRE(contains(TraceWriter::create("/dev/null").error().message, "not a regular file"));
  REQUIRE_FALSE(TraceWriter::create(scratch.path("none/t")).has_value());
  REQUIRE_FALSE(
      TraceWriter::create(scratch.path("t"), std::string(kTraceProvenanceBytesMax + 1, 'x'))
          .has_value());
  auto writer = TraceWriter::create(scratch.path("t"));
  const Operation odd{.kind = static_cast<OperationKind>(9)};
  REQUIRE_FALSE(writer.value()->append({&odd, 1}).has_value());
}

}  // namespace lsmlab::trace_file_test
