#include "traces/files/trace_format.h"

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"

namespace lsmlab::trace_format_test {
namespace {

std::vector<std::uint8_t> payload_of(const std::vector<Operation>& operations) {
  TraceBlockEncoder encoder;
  const auto payload = encoder.encode(operations);
  return {payload.begin(), payload.end()};
}

}  // namespace

TEST_CASE("a block gives back what went in, whatever its columns", "[traces][trace_format]") {
  TraceBlockEncoder encoder;
  TraceBlockDecoder decoder;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const auto operations = testing::random_operations(seed, 1 + seed % 100);
    std::vector<Operation> decoded(operations.size());
    REQUIRE(decoder.decode(encoder.encode(operations), decoded).has_value());
    REQUIRE(decoded == operations);
  }
}

TEST_CASE("constant columns and even steps take no bytes", "[traces][trace_format]") {
  std::vector<Operation> operations(1000);
  std::uint64_t key = 1'000'000;
  for (Operation& operation : operations) {
    key -= 7;
    operation = {.key = key,
                 .scan_last_key = key + 99,
                 .scan_entries_max = 10,
                 .key_bytes = 16,
                 .kind = OperationKind::kScan};
  }
  REQUIRE(payload_of(operations).size() == kTraceColumns * kTraceColumnHeaderBytes);
}

TEST_CASE("what a kind does not use is not kept", "[traces][trace_format]") {
  const Operation odd{.key = 1,
                      .scan_last_key = 2,
                      .scan_entries_max = 3,
                      .value_bytes = 4,
                      .key_bytes = 5,
                      .kind = OperationKind::kGet};
  std::vector<Operation> decoded(1);
  REQUIRE(TraceBlockDecoder().decode(payload_of({odd}), decoded).has_value());
  REQUIRE(decoded[0] == Operation{.key = 1, .key_bytes = 5, .kind = OperationKind::kGet});
}

// Checksums protect the decoder from accidental damage. This test is for damage with valid
// checksums.
TEST_CASE("a payload of any origin decodes to operations or an error", "[traces][trace_format]") {
  TraceBlockDecoder decoder;
  std::size_t refused = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    boost::random::mt19937_64 random(seed);
    const auto operations = testing::random_operations(seed, 1 + random() % 300);
    const auto payload = payload_of(operations);
    std::vector<Operation> decoded(operations.size());
    for (std::size_t length = 0; length < payload.size(); ++length) {
      REQUIRE_FALSE(decoder.decode(std::span(payload).first(length), decoded).has_value());
    }
    for (int change = 0; change < 500; ++change) {
      auto damaged = payload;
      const std::uint64_t bytes = 1 + random() % 4;
      for (std::uint64_t i = 0; i < bytes; ++i) {
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      }
      INFO("seed " << seed << ", change " << change);
      if (!decoder.decode(damaged, decoded)) {
        ++refused;
        continue;
      }
      for (const Operation& operation : decoded) REQUIRE(operation.kind <= OperationKind::kScan);
    }
  }
  REQUIRE(refused > 1000);
}

}  // namespace lsmlab::trace_format_test
