#include "models/sizes/key_format.h"

#include <algorithm>
#include <cmath>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::key_format_test {
namespace {

KeyFormat format_of(const char* text) { return KeyFormat::parse(text).value(); }

std::string key_of(const KeyFormat& format, std::uint64_t id, std::uint64_t bytes) {
  std::string key;
  format.write(id, bytes, key);
  return key;
}

constexpr const char* kFormats[] = {"binary", "decimal", "decimal:16", "decimal:3",
                                    "hex",    "hex:5",   "hex:1",      "user"};

TEST_CASE("a key is its id and then the padding") {
  KeyFormat binary;
  REQUIRE(key_of(binary, 0x0102, 12) == std::string("\0\0\0\0\0\0\1\2\0\0\0\0", 12));
  binary.padding = '0';
  REQUIRE(key_of(binary, 0x0102, 12) == std::string("\0\0\0\0\0\0\1\0020000", 12));
  REQUIRE(key_of(format_of("decimal:16"), 1234567, 16) == "0000000001234567");
  REQUIRE(key_of(format_of("hex:4"), 0xbeef, 4) == "beef");
  REQUIRE(key_of(format_of("user"), ~std::uint64_t{0}, 24) == "user18446744073709551615");
  KeyFormat padded = format_of("hex:4");
  padded.padding = '.';
  REQUIRE(key_of(padded, 0xa, 6) == "000a..");
  // The bounds of scans may lie above every key.
  REQUIRE(key_of(format_of("decimal:3"), 1000, 3) == "999");
}

TEST_CASE("recorded keys share what was measured at their distance, in the mean") {
  // 1024 keys: neighbours' ids are 2^54 apart and share 10.5 bytes, those two places apart 8.
  const KeyFormat format = KeyFormat::recorded({1024, {336, 256, 64}});
  REQUIRE(format.name() == "recorded");
  REQUIRE(KeyFormat::parse("recorded").error().message.find("leave the parameter out") !=
          std::string::npos);
  REQUIRE(format.id_bytes() == 0);
  const auto mean_at = [&](std::uint64_t distance) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const std::uint64_t id = i * 0x123456789;
      REQUIRE(format.shared_bytes(id, id + distance) == format.shared_bytes(id, id + distance));
      sum += format.shared_bytes(id, id + distance);
    }
    return static_cast<double>(sum) / 4096;
  };
  constexpr std::uint64_t kNeighbours = std::uint64_t{1} << 54;
  REQUIRE(std::abs(mean_at(kNeighbours) - 10.5) < 0.05);
  REQUIRE(mean_at(2 * kNeighbours) == 8);
  REQUIRE(mean_at(4 * kNeighbours) == 2);
  REQUIRE(mean_at(64 * kNeighbours) == 2);
  REQUIRE(std::abs(mean_at(kNeighbours + kNeighbours / 2) - 9.25) < 0.05);
  // Nearer than neighbours, as the bound of a scan may be.
  REQUIRE(std::abs(mean_at(1) - 10.5) < 0.05);
  REQUIRE(key_of(format, 0x0102030405060708, 3) == "\1\2\3");
}

TEST_CASE("texts of keys sort like ids, can be read, and share the bytes that are said") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  SplitMix64 random(seed);
  for (const char* const text : kFormats) {
    const KeyFormat format = format_of(text);
    REQUIRE(KeyFormat::parse(format.name()).value() == format);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t a = std::min(random.next() >> random.below(64), format.id_max());
      const std::uint64_t b =
          std::min(a + (random.next() >> random.below(64)) / 2, format.id_max());
      const std::string first = key_of(format, a, format.id_bytes() + 2);
      const std::string second = key_of(format, b, format.id_bytes() + 2);
      INFO(text << ", ids " << a << " and " << b);
      REQUIRE(format.read(first) == a);
      REQUIRE((a < b) == (first < second));
      REQUIRE((a == b) == (first == second));
      const auto differing = std::mismatch(first.begin(), first.end(), second.begin());
      const auto shared = static_cast<std::uint64_t>(differing.first - first.begin());
      REQUIRE(format.shared_bytes(a, b) == std::min(shared, format.id_bytes()));
      for (std::uint64_t at = 0; at < format.id_bytes(); ++at) {
        REQUIRE(format.byte_of(a, at) == static_cast<unsigned char>(first[at]));
      }
    }
  }
}

TEST_CASE("ids that share bytes come in intervals") {
  const KeyFormat decimal = format_of("decimal:5");
  REQUIRE(decimal.ids_sharing(0) == 0x1p64);
  REQUIRE(decimal.ids_sharing(1) == 10'000);
  REQUIRE(decimal.ids_sharing(4) == 10);
  REQUIRE(decimal.ids_sharing(5) == 1);
  REQUIRE(format_of("hex").ids_sharing(15) == 16);
  REQUIRE(KeyFormat().ids_sharing(7) == 256);
  REQUIRE(format_of("user").ids_sharing(4) == 0x1p64);
  REQUIRE(format_of("user").ids_sharing(23) == 10);
  REQUIRE(decimal.id_max() == 99'999);
  REQUIRE(format_of("hex:3").id_max() == 0xfff);
}

TEST_CASE("forms of keys that make no sense are refused") {
  for (const char* const text : {"", "Hex", "hex:", "hex:0", "hex:17", "decimal:21", "decimal:-1",
                                 "decimal:4x", "user:4", "binary:8", "hex:4:4", "decimal:300"}) {
    INFO(text);
    const auto parsed = KeyFormat::parse(text);
    REQUIRE(!parsed.has_value());
    REQUIRE(parsed.error().message.find("expected binary, hex:DIGITS") != std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::key_format_test
