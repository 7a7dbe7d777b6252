// Compressed files of RocksDB and LevelDB whose entries have values, or none.
#include "models/sizes/prefix_table_size.h"
#include "testing/catch.h"

namespace lsmlab::prefix_compression_test {
namespace {

constexpr std::uint64_t kEntries = 10'000;
constexpr std::uint64_t kKeyBytes = 16;
constexpr std::uint64_t kValueBytes = 100;

SstableFormat format_of(SstableLayout layout, const BlockCompression& compression) {
  SstableFormat format;
  format.layout = layout;
  format.compression = compression;
  return format;
}

// Every `period`-th entry has a value.
std::uint64_t data_bytes(const SstableFormat& format, std::uint64_t period) {
  PrefixTableSize size(format);
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    const bool has_value = period > 0 && i % period == 0;
    size.add(i << 20, kKeyBytes, has_value ? kValueBytes : 0);
  }
  return size.all_data_bytes();
}

std::uint64_t expected_data_bytes(const SstableFormat& format, double values, double bare) {
  PrefixTableSize size(format);
  size.add_expected({kEntries, kKeyBytes, kValueBytes * values, 1 << 20, true, bare});
  return size.all_data_bytes();
}

TEST_CASE("a file of entries without values compresses by their share, others by theirs") {
  const BlockCompression both{Compression::kLz4, 600'000, kWholeMillionths, 200'000};
  const BlockCompression of_values{Compression::kLz4, 600'000};
  const BlockCompression of_bare{Compression::kLz4, 200'000};
  for (const SstableLayout layout : {SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    REQUIRE(data_bytes(format_of(layout, both), 0) == data_bytes(format_of(layout, of_bare), 0));
    REQUIRE(data_bytes(format_of(layout, both), 1) == data_bytes(format_of(layout, of_values), 1));
    REQUIRE(expected_data_bytes(format_of(layout, both), 0, 1) ==
            expected_data_bytes(format_of(layout, of_bare), 0, 1));
    REQUIRE(expected_data_bytes(format_of(layout, both), 1, 0) ==
            expected_data_bytes(format_of(layout, of_values), 1, 0));
  }
}

TEST_CASE("a mixed file lies between, as its bytes do, by means as entry by entry") {
  // A quarter of the entries has values: RocksDB's entry has 3 bytes of lengths, and 6 to 16 bytes
  // of its key with 8 bytes of tag are not shared. So values make out about two thirds.
  const BlockCompression both{Compression::kLz4, 600'000, kWholeMillionths, 200'000};
  const SstableFormat format = format_of(SstableLayout::kRocksdb, both);
  const auto plain = static_cast<double>(data_bytes(format_of(SstableLayout::kRocksdb, {}), 4));
  const auto mixed = static_cast<double>(data_bytes(format, 4));
  REQUIRE(mixed > plain * 0.45);
  REQUIRE(mixed < plain * 0.55);
  const auto expected = static_cast<double>(expected_data_bytes(format, 0.25, 0.75));
  REQUIRE(expected > mixed * 0.97);
  REQUIRE(expected < mixed * 1.03);
}

}  // namespace
}  // namespace lsmlab::prefix_compression_test
