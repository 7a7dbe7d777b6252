// Compares the size model with an SSTable that is laid out byte by byte from docs/sstable.md.
#include "models/sizes/sstable_size.h"

#include <random>

#include "testing/catch.h"

namespace lsmlab::sstable_size_test {
namespace {

// Writes only the lengths that the document gives, as zero bytes: only their number matters.
class Layout {
 public:
  std::size_t size() const { return bytes_.size(); }
  void number(std::size_t width) { bytes_.resize(bytes_.size() + width); }
  void text(std::uint64_t length) {
    varint(length);
    bytes_.resize(bytes_.size() + length);
  }
  void varint(std::uint64_t value) {
    do {
      bytes_.push_back(0);
      value >>= 7;
    } while (value != 0);
  }
  void trailer() { number(1 + 8); }

 private:
  std::vector<std::uint8_t> bytes_;
};

struct Entry {
  std::uint64_t key_bytes;
  std::uint64_t value_bytes;
};

std::size_t laid_out(const SstableFormat& format, const std::vector<Entry>& entries) {
  Layout file;
  std::vector<std::uint64_t> first_keys;
  std::vector<std::uint64_t> last_keys;
  for (std::size_t i = 0; i < entries.size();) {
    const std::size_t begin = file.size();
    std::size_t count = 0;
    first_keys.push_back(entries[i].key_bytes);
    while (i < entries.size() && file.size() - begin + 2 * count < format.block_bytes) {
      file.varint(entries[i].key_bytes);
      file.varint(entries[i].value_bytes);
      file.number(8);
      file.number(entries[i].key_bytes);
      file.number(entries[i].value_bytes);
      ++count;
      ++i;
    }
    last_keys.push_back(entries[i - 1].key_bytes);
    for (std::size_t entry = 0; entry < count; ++entry) file.number(2);
    file.number(2);
    file.trailer();
  }
  if (format.filter_millibits_per_key > 0) {
    const double bits =
        static_cast<double>(entries.size()) * format.filter_millibits_per_key / 1000;
    std::size_t lines = 1;
    while (static_cast<double>(lines) * 512 < bits) ++lines;
    file.number(64 * lines + 1);
    file.trailer();
  }
  for (std::size_t block = 0; block < last_keys.size(); ++block) {
    if (format.has_first_keys) file.text(first_keys[block]);
    file.text(last_keys[block]);
    file.number(8 + 4);
  }
  for (std::size_t block = 0; block < last_keys.size(); ++block) file.number(4);
  file.number(4);
  file.trailer();
  file.number(6 * 8);
  file.text(entries.front().key_bytes);
  file.text(entries.back().key_bytes);
  file.trailer();
  file.number(8 + 4 + 8 + 4 + 8 + 4 + 4 + 8 + 8 + 8);
  return file.size();
}

TEST_CASE("an SSTable's size is what its layout adds up to, after every entry") {
  const std::uint64_t seed = 20261120;
  INFO("seed " << seed);
  std::mt19937_64 generator(seed);
  for (int round = 0; round < 60; ++round) {
    SstableFormat format;
    format.block_bytes = static_cast<std::uint32_t>(64 + generator() % 5000);
    format.filter_millibits_per_key = static_cast<std::uint32_t>(generator() % 3 * 4'321);
    format.has_first_keys = round % 3 == 0;
    const std::uint64_t value_max = std::uint64_t{1} << (generator() % 18);
    std::vector<Entry> entries;
    SstableSize size(format);
    for (std::size_t i = 0; i < 120; ++i) {
      entries.push_back({1 + generator() % 300, generator() % value_max});
      size.add(entries.back().key_bytes, entries.back().value_bytes);
      INFO("round " << round << " entry " << i << " block_bytes " << format.block_bytes);
      REQUIRE(size.file_bytes().value() == laid_out(format, entries));
    }
    REQUIRE(size.entries() == entries.size());
  }
}

TEST_CASE("equal entries have a closed form") {
  for (const std::uint64_t value_bytes : {0u, 1u, 112u, 127u, 128u, 1000u, 20'000u}) {
    SstableFormat format;
    format.has_first_keys = value_bytes % 2 == 0;
    SstableSize size(format);
    for (std::uint64_t entries = 1; entries <= 400; ++entries) {
      size.add(16, value_bytes);
      INFO(value_bytes << " bytes, " << entries << " entries");
      REQUIRE(uniform_sstable_bytes(format, entries, 16, value_bytes) == size.file_bytes());
    }
  }
}

TEST_CASE("an entry of 128 bytes takes 140 bytes and some for index and filter") {
  // Golden: 65,536 entries of 16 + 112 bytes, 4 KiB blocks, 10 bits a key.
  REQUIRE(sstable_entry_bytes(16, 112) == 138);
  const Bytes bytes = uniform_sstable_bytes(SstableFormat{}, 65'536, 16, 112);
  // 30 entries a block, 2,185 blocks; 1,280 filter lines.
  REQUIRE(bytes.value() ==
          65'536 * 140 + 2'185 * (2 + 9 + 33) + (1'280 * 64 + 10) + (4 + 9) + (48 + 34 + 9) + 64);
}

TEST_CASE("formats out of range are refused, every fault named") {
  SstableFormat format;
  REQUIRE(format.validate().empty());
  format.block_bytes = 65'536;
  format.filter_millibits_per_key = 1'000'000;
  REQUIRE(format.validate().size() == 2);
  format.layout = SstableLayout::kRocksdb;
  format.has_first_keys = true;
  REQUIRE(format.validate().size() == 2);  // its blocks may be that large
  format.block_bytes = 2 << 20;
  REQUIRE(format.validate().size() == 3);
}

}  // namespace
}  // namespace lsmlab::sstable_size_test
