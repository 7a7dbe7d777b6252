#include "sim/ranges/range_sizes.h"

#include <cmath>

#include "models/base/random.h"
#include "models/execution/output_cut.h"
#include "testing/catch.h"

namespace lsmlab::range_sizes_test {
namespace {

// Adds entries one by one until the size rule of OutputCutter is met.
std::uint64_t counted_to_fill(const SstableFormat& format, CutMeasure measure,
                              std::uint64_t bytes_max, std::uint64_t key_bytes,
                              std::uint64_t value_bytes) {
  SstableSize size(format);
  for (;;) {
    size.add(key_bytes, value_bytes);
    const Bytes measured =
        measure == CutMeasure::kEntries ? size.entry_bytes() : size.stored_data_bytes();
    if (measured.value() >= bytes_max) return size.entries();
  }
}

TEST_CASE("range sizes: a file of equal puts is as large as entry by entry") {
  const std::uint64_t seed = 34;
  INFO("seed " << seed);
  SplitMix64 random(seed);
  for (int i = 0; i < 200; ++i) {
    SstableFormat format;
    format.block_bytes = static_cast<std::uint32_t>(64 + random.below(8'000));
    const std::uint64_t key_bytes = 8 + random.below(40);
    const std::uint64_t value_bytes = random.below(500);
    const RangeSizes sizes(key_bytes, value_bytes);
    const EntryMix mix{1 + random.below(3'000), random.below(2) * random.below(500)};
    SstableSize counted(format);
    for (std::uint64_t put = 0; put < mix.puts; ++put) counted.add(key_bytes, value_bytes);
    for (std::uint64_t t = 0; t < mix.tombstones; ++t) counted.add(key_bytes, 0);
    REQUIRE(sizes.file_bytes(format, mix) == counted.file_bytes());
    REQUIRE(sizes.size_of(format, mix).stored_data_bytes() == counted.stored_data_bytes());
    for (const CutMeasure measure : {CutMeasure::kEntries, CutMeasure::kStoredBlocks}) {
      const std::uint64_t bytes_max = 1 + random.below(200'000);
      REQUIRE(sizes.entries_to_fill(format, measure, bytes_max, {mix.puts, 0}) ==
              counted_to_fill(format, measure, bytes_max, key_bytes, value_bytes));
    }
  }
}

// Sizes around 100.5 and 15.25 bytes: the sums are those of the means, and blocks close within an
// entry of where mixed sizes close them.
TEST_CASE("range sizes: entries of mixed sizes take what entries of the mean take") {
  const RangeSizes sizes(MeanBytes{(15 << MeanBytes::kBits) + (1 << (MeanBytes::kBits - 2))},
                         MeanBytes{(100 << MeanBytes::kBits) + (1 << (MeanBytes::kBits - 1))});
  REQUIRE(sizes.key_bytes(1'000) == 15'250);
  REQUIRE(sizes.value_bytes(1'000) == 100'500);
  std::uint64_t keys = 0;
  std::uint64_t values = 0;
  std::uint64_t count = 0;
  for (const EqualEntries& part : sizes.puts(1'000)) {
    keys += part.count * part.key_bytes;
    values += part.count * part.value_bytes;
    count += part.count;
  }
  REQUIRE(count == 1'000);
  REQUIRE(keys == 15'250);
  REQUIRE(values == 100'500);
  SplitMix64 random(35);
  SstableSize counted(SstableFormat{});
  constexpr std::uint64_t kEntries = 20'000;
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    counted.add(14 + random.below(2) + random.below(2) * random.below(4), 1 + random.below(200));
  }
  const auto exact = static_cast<double>(counted.file_bytes().value());
  const auto modelled =
      static_cast<double>(sizes.file_bytes(SstableFormat{}, {kEntries, 0}).value());
  REQUIRE(std::abs(modelled / exact - 1) < 0.01);
}

TEST_CASE("range sizes: of bytes alone a file has no overhead") {
  const RangeSizes sizes = RangeSizes::of_bytes();
  REQUIRE(sizes.file_bytes({}, {1'000, 0}) == Bytes(1'000));
  REQUIRE(sizes.entries_to_fill({}, CutMeasure::kStoredBlocks, 4'096, {1'000, 0}) == 4'096);
}

// Against entries at random places, added one by one.
TEST_CASE("range sizes: files in the formats of other stores have their expected sizes") {
  const std::uint64_t seed = 5;
  INFO("seed " << seed);
  SplitMix64 random(seed);
  for (int i = 0; i < 120; ++i) {
    SstableFormat format;
    format.layout = i % 2 == 0 ? SstableLayout::kRocksdb : SstableLayout::kLeveldb;
    format.block_bytes = static_cast<std::uint32_t>(1'024 << random.below(7));
    format.filter_millibits_per_key = i % 3 == 0 ? 0 : 10'000;
    const bool is_even = i % 5 == 0;
    const char* const texts[] = {"binary", "binary", "decimal:20", "hex:16", "user"};
    format.keys = KeyFormat::parse(texts[random.below(5)]).value();
    const std::uint64_t key_bytes = format.keys.id_bytes() + random.below(24);
    const std::uint64_t value_bytes = i % 4 == 0 ? random.below(2'000) : random.below(300);
    const std::uint64_t gap = std::uint64_t{256} << random.below(36);
    const std::uint64_t entries = 5'000 + random.below(20'000);
    SstableSize counted(format);
    double place = 0;
    for (std::uint64_t e = 0; e < entries; ++e) {
      const double step = is_even ? 1 : -std::log(1 - random.unit());
      place += 1 + step * static_cast<double>(gap);
      counted.add_key(static_cast<std::uint64_t>(place), key_bytes, value_bytes);
    }
    RangeSizes sizes(key_bytes, value_bytes);
    if (is_even) sizes.use_even_keys();
    const EntryMix mix{entries, 0, gap};
    const auto ratio = [](Bytes a, Bytes b) {
      return static_cast<double>(a.value()) / static_cast<double>(b.value());
    };
    INFO("format " << i << ", block " << format.block_bytes << ", keys " << format.keys.name()
                   << " of " << key_bytes << ", values " << value_bytes << ", gap " << gap
                   << ", entries " << entries);
    const double file = ratio(sizes.file_bytes(format, mix), counted.file_bytes());
    const double data =
        ratio(sizes.size_of(format, mix).all_data_bytes(), counted.all_data_bytes());
    INFO("file " << file << ", data " << data);
    REQUIRE(std::abs(file - 1) < 0.005);
    REQUIRE(std::abs(data - 1) < 0.005);
    const std::uint64_t to_fill =
        sizes.entries_to_fill(format, CutMeasure::kStoredBlocks, 200'000, mix);
    const auto stored = [&](std::uint64_t count) {
      return sizes.size_of(format, {count, 0, gap}).stored_data_bytes().value();
    };
    REQUIRE(stored(to_fill) >= 200'000);
    REQUIRE(stored(to_fill - 1) < 200'000);
  }
}

TEST_CASE("equal files scatter around their expected size where keys share bytes") {
  const RangeSizes sizes(16, 100);
  const EntryMix mix{40'000, 0, std::uint64_t{1} << 40};
  SstableFormat format;
  const Bytes own = sizes.file_bytes(format, mix);
  REQUIRE(sizes.ended_file_bytes(format, mix, {{}, 1}) == own);
  format.layout = SstableLayout::kRocksdb;
  const auto expected = static_cast<double>(sizes.file_bytes(format, mix).value());
  constexpr std::uint64_t kFiles = 10'000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < kFiles; ++seed) {
    const double off =
        static_cast<double>(sizes.ended_file_bytes(format, mix, {{}, seed}).value()) - expected;
    sum += off;
    squares += off * off;
  }
  const double spread = std::sqrt(squares / kFiles);
  INFO("spread " << spread << ", mean " << sum / kFiles);
  REQUIRE(std::abs(sum / kFiles) < 0.05 * spread);
  REQUIRE(std::abs(spread - std::sqrt(40'000.0 / 4)) < 3);
}

TEST_CASE("a full file has as many blocks as its limit takes, wherever its keys lie") {
  const RangeSizes sizes(16, 100);
  SstableFormat format;
  format.layout = SstableLayout::kRocksdb;
  constexpr std::uint64_t kLimit = 4 << 20;
  for (unsigned bits = 30; bits < 60; ++bits) {
    const EntryMix mean{40'000, 0, std::uint64_t{1} << 45};
    EntryMix own{sizes.entries_to_fill(format, CutMeasure::kStoredBlocks, kLimit, mean), 0,
                 std::uint64_t{1} << bits};
    const Bytes bytes = sizes.ended_file_bytes(format, own, {kLimit, 7});
    // As if the file had been filled by its own entries.
    own.puts = sizes.entries_to_fill(format, CutMeasure::kStoredBlocks, kLimit, own);
    const auto exact = static_cast<double>(sizes.file_bytes(format, own).value());
    INFO("gap of 2^" << bits);
    REQUIRE(std::abs(static_cast<double>(bytes.value()) - exact) < 0.001 * exact);
  }
}

struct FilledFile {
  EntryMix mix;
  double bytes = 0;
};

// Filled entry by entry, as OutputCutter does it.
FilledFile filled_file(const SstableFormat& format, std::uint64_t limit, double tombstones,
                       SplitMix64& random) {
  SstableSize exact(format);
  FilledFile file;
  std::uint64_t key = 0;
  while (exact.stored_data_bytes().value() < limit) {
    const bool is_put = random.unit() >= tombstones;
    key += 1 + random.below(std::uint64_t{1} << 44);
    exact.add_key(key, 16, is_put ? 112 : 0);
    ++(is_put ? file.mix.puts : file.mix.tombstones);
  }
  file.mix.id_gap = key / file.mix.entries();
  file.bytes = static_cast<double>(exact.file_bytes().value());
  return file;
}

TEST_CASE("full files of mixed entries have the sizes and the scatter of exact ones") {
  constexpr std::uint64_t kLimit = 260'000;  // not near a whole number of blocks
  constexpr std::uint64_t kFiles = 400;
  const std::uint64_t seed = 9;
  INFO("seed " << seed);
  const RangeSizes sizes(16, 112);
  for (const SstableLayout layout :
       {SstableLayout::kLsmlab, SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    SstableFormat format;
    format.layout = layout;
    for (const double tombstones : {0.1, 0.5}) {
      SplitMix64 random(seed);
      double entries = 0;
      double means[2]{};  // bytes of exact and of modelled files
      double squares[2]{};
      for (std::uint64_t i = 0; i < kFiles; ++i) {
        const FilledFile file = filled_file(format, kLimit, tombstones, random);
        const Bytes modelled = sizes.ended_file_bytes(format, file.mix, {kLimit, i});
        const double bytes[2] = {file.bytes, static_cast<double>(modelled.value())};
        entries += static_cast<double>(file.mix.entries()) / kFiles;
        for (int k = 0; k < 2; ++k) {
          means[k] += bytes[k] / kFiles;
          squares[k] += bytes[k] * bytes[k] / kFiles;
        }
      }
      const double spreads[2] = {std::sqrt(squares[0] - means[0] * means[0]),
                                 std::sqrt(squares[1] - means[1] * means[1])};
      INFO("layout " << static_cast<int>(layout) << ", tombstones " << tombstones << ": exact "
                     << means[0] << " +- " << spreads[0] << ", modelled " << means[1] << " +- "
                     << spreads[1] << ", " << entries << " entries");
      REQUIRE(std::abs(means[1] / means[0] - 1) < 0.005);
      REQUIRE(spreads[1] > 0.4 * spreads[0]);
      REQUIRE(spreads[1] < 2 * spreads[0]);
      const auto share = static_cast<std::uint64_t>(tombstones * 100);
      const EntryMix mean{100 - share, share, std::uint64_t{1} << 43};
      const auto to_fill = static_cast<double>(
          sizes.entries_to_fill(format, CutMeasure::kStoredBlocks, kLimit, mean));
      REQUIRE(std::abs(to_fill / entries - 1) < 0.01);
    }
  }
}

TEST_CASE("the data blocks of a file are its bytes without index and filter") {
  const RangeSizes sizes(16, 112);
  SstableSize size(SstableFormat{});
  size.add_equal(10'000, 16, 112);
  const RangeSizes::DataBlocks blocks = sizes.data_blocks_of({}, {10'000, 0}, size.file_bytes());
  REQUIRE(blocks.count == size.data_blocks());
  REQUIRE(blocks.bytes == size.all_data_bytes().value());
  REQUIRE(blocks.bytes_before(0) == 0);
  REQUIRE(blocks.bytes_before(blocks.count) == blocks.bytes);
}

}  // namespace
}  // namespace lsmlab::range_sizes_test
