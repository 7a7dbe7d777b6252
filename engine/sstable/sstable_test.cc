#include "engine/sstable/sstable.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "engine/files/memory_file.h"
#include "models/sizes/filter_chance.h"
#include "testing/catch.h"
#include "testing/oracles/naive_sstable.h"

namespace lsmlab::engine::sstable_test {
namespace {

constexpr KeyRange kAllWindows{0, ~std::uint64_t{0}};

struct Entry {
  std::string key;
  std::string value;
  std::uint64_t tag = 0;
  [[nodiscard]] EntryView view() const { return {key, value, tag}; }
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Written {
  std::string contents;
  File file;
};

Written write_table(const std::vector<Entry>& entries, SstableFormat format,
                    Compression compression = Compression::kNone,
                    const KeyWindow& window = KeyWindow()) {
  testing::MemoryWritableFile file;
  format.compression.codec = compression;
  SstableWriter writer(file, format, window);
  for (const Entry& entry : entries) REQUIRE(writer.add(entry.view(), window.of(entry.key)));
  const std::uint64_t bytes = writer.size().file_bytes().value();
  const Result<File> finished = writer.finish(Instant(7));
  REQUIRE(finished);
  REQUIRE(finished.value().bytes.value() == file.size());
  if (compression == Compression::kNone) REQUIRE(bytes == file.size());
  return {std::move(file.contents()), finished.value()};
}

Result<std::shared_ptr<const SstableReader>> try_open(std::string contents,
                                                      const KeyWindow& window) {
  return SstableReader::open(
      std::make_unique<testing::MemoryReadableFile>("dir/000001.sst", std::move(contents)),
      FileId(1), window);
}

std::shared_ptr<const SstableReader> open_table(std::string contents, const KeyWindow& window) {
  auto opened = try_open(std::move(contents), window);
  if (!opened) FAIL(opened.error().message);
  return opened.value();
}

Result<std::vector<Entry>> try_scan(const SstableReader& table, const KeyRange& windows,
                                    std::uint64_t read_ahead_bytes) {
  std::vector<Entry> entries;
  SstableScanner scanner(table, windows, read_ahead_bytes);
  while (true) {
    const bool is_there = BOOST_OUTCOME_TRYX(scanner.next());
    if (!is_there) return entries;
    const EntryView& entry = scanner.entry();
    REQUIRE(scanner.window() == table.key_window().of(entry.key));
    entries.push_back({std::string(entry.key), std::string(entry.value), entry.tag});
  }
}

std::vector<Entry> scan(const SstableReader& table, const KeyRange& windows,
                        std::uint64_t read_ahead_bytes) {
  auto entries = try_scan(table, windows, read_ahead_bytes);
  if (!entries) FAIL(entries.error().message);
  return entries.value();
}

std::vector<Entry> in_range(const std::vector<Entry>& entries, const KeyWindow& window,
                            const KeyRange& range) {
  std::vector<Entry> kept;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(kept), [&](const Entry& entry) {
    const std::uint64_t at = window.of(entry.key);
    return at >= range.smallest && at <= range.largest;
  });
  return kept;
}

struct Shape {
  std::uint64_t count = 200;
  std::uint64_t key_bytes_min = 1;
  std::uint64_t key_bytes_max = 300;
  std::uint64_t value_bytes_max = 5000;
  unsigned letters = 256;  // of keys: few letters make many keys share a window
  unsigned versions_max = 1;
};

std::string drawn_bytes(std::mt19937_64& random, std::uint64_t bytes, unsigned letters) {
  std::string drawn;
  for (std::uint64_t i = 0; i < bytes; ++i) drawn.push_back(static_cast<char>(random() % letters));
  return drawn;
}

std::vector<Entry> draw_entries(std::mt19937_64& random, const Shape& shape) {
  std::vector<Entry> entries;
  std::set<std::string> keys;
  for (std::uint64_t i = 0; i < shape.count; ++i) {
    const std::uint64_t span = shape.key_bytes_max - shape.key_bytes_min + 1;
    keys.insert(drawn_bytes(random, shape.key_bytes_min + random() % span, shape.letters));
  }
  for (const std::string& key : keys) {
    for (std::uint64_t left = 1 + random() % shape.versions_max; left > 0; --left) {
      const bool is_tombstone = random() % 8 == 0;
      const std::uint64_t value_bytes = random() % (shape.value_bytes_max + 1);
      entries.push_back({key, is_tombstone ? "" : drawn_bytes(random, value_bytes, 4),
                         make_tag(100 * left + random() % 100, is_tombstone)});
    }
  }
  return entries;
}

// The entries as the size oracle sees them: keys are their positions.
std::vector<StoredEntry> stored_entries(const std::vector<Entry>& entries) {
  std::vector<StoredEntry> stored;
  for (const Entry& entry : entries) {
    StoredEntry one;
    one.key = stored.size();
    one.key_bytes = static_cast<decltype(one.key_bytes)>(entry.key.size());
    one.value_bytes = static_cast<decltype(one.value_bytes)>(entry.value.size());
    stored.push_back(one);
  }
  return stored;
}

void require_same_as_entries(const SstableReader& table, const std::vector<Entry>& entries,
                             const File& file) {
  const SstableProperties& properties = table.properties();
  std::uint64_t tombstones = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;
  SequenceSpan span{entries[0].view().sequence(), entries[0].view().sequence()};
  for (const Entry& entry : entries) {
    tombstones += entry.view().is_tombstone() ? 1U : 0U;
    key_bytes += entry.key.size();
    value_bytes += entry.value.size();
    span.first = std::min(span.first, entry.view().sequence());
    span.last = std::max(span.last, entry.view().sequence());
  }
  REQUIRE(file.entries.value() == entries.size());
  REQUIRE(file.tombstones.value() == tombstones);
  REQUIRE(file.key_bytes.value() == key_bytes);
  REQUIRE(file.value_bytes.value() == value_bytes);
  REQUIRE(file.sequences == span);
  REQUIRE(file.keys.smallest == table.key_window().of(entries.front().key));
  REQUIRE(file.keys.largest == table.key_window().of(entries.back().key));
  REQUIRE(file.oldest_tombstone.has_value() == (tombstones > 0));
  REQUIRE(properties.entries == entries.size());
  REQUIRE(properties.tombstones == tombstones);
  REQUIRE(properties.sequences == span);
  REQUIRE(properties.key_and_value_bytes == key_bytes + value_bytes);
  REQUIRE(properties.smallest_key == entries.front().key);
  REQUIRE(properties.largest_key == entries.back().key);
  REQUIRE(properties.oldest_tombstone == file.oldest_tombstone);
}

}  // namespace

TEST_CASE("Files have the size that the model gives, and hold what was written") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const Shape shape{.count = 1 + random() % 300,
                      .key_bytes_max = seed % 2 == 0 ? 300U : 12U,
                      .value_bytes_max = seed % 3 == 0 ? 5000U : 90U,
                      .versions_max = 1 + static_cast<unsigned>(random() % 3)};
    const std::vector<Entry> entries = draw_entries(random, shape);
    SstableFormat format{64U << (random() % 10), static_cast<std::uint32_t>(random() % 20'001)};
    format.has_first_keys = seed % 4 < 2;
    const KeyWindow window;
    const Written written = write_table(entries, format);
    const auto stored = stored_entries(entries);
    REQUIRE(written.contents.size() == lsmlab::testing::naive_file_bytes(stored, format));
    const auto table = open_table(written.contents, window);
    const auto blocks = lsmlab::testing::naive_blocks(stored, format);
    REQUIRE(table->block_count() == blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      REQUIRE(table->stored_bytes_of(i) == blocks[i].stored_bytes);
      REQUIRE(table->last_key_of(i) == entries[blocks[i].last_key].key);
      if (!format.has_first_keys) continue;
      REQUIRE(table->first_window_of(i) == window.of(entries[blocks[i].first_key].key));
    }
    REQUIRE(table->has_first_keys() == format.has_first_keys);
    require_same_as_entries(*table, entries, written.file);
    REQUIRE(scan(*table, kAllWindows, random() % 60'000) == entries);
    REQUIRE(verify_sstable(*table));
  }
}

TEST_CASE("Kept ranges hold every key, and no key between two of them is in the file") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::vector<Entry> entries = draw_entries(
        random, {.count = 300, .key_bytes_min = 2, .key_bytes_max = 8, .value_bytes_max = 100});
    SstableFormat format{256, 10'000};
    format.has_first_keys = seed % 4 > 0;
    const KeyWindow window;
    const auto table = open_table(write_table(entries, format).contents, window);
    const std::uint64_t range_bytes = 1 + random() % 2'000;
    const std::shared_ptr<const KeptRanges> ranges = table->kept_ranges(Bytes(range_bytes));
    for (const Entry& entry : entries) {
      REQUIRE(find_kept_range(*ranges, window.of(entry.key), ~std::uint64_t{0}).holds);
    }
    REQUIRE(ranges->front().smallest == window.of(entries.front().key));
    REQUIRE(ranges->back().largest == window.of(entries.back().key));
    std::size_t expected = 0;
    std::uint64_t open_bytes = 0;
    for (std::size_t block = 0; block < table->block_count(); ++block) {
      expected += open_bytes == 0 ? 1 : 0;
      open_bytes += table->stored_bytes_of(block);
      if (open_bytes >= range_bytes) open_bytes = 0;
    }
    REQUIRE(ranges->size() == (format.has_first_keys ? expected : 1));
  }
}

TEST_CASE("Compressed files hold the same, and blocks that do not shrink stay as they are") {
  for (const Compression compression : {Compression::kZstd, Compression::kLz4}) {
    for (const unsigned letters : {2U, 256U}) {
      std::mt19937_64 random(letters);
      std::vector<Entry> entries = draw_entries(random, {.key_bytes_max = 20});
      for (Entry& entry : entries) {
        if (!entry.view().is_tombstone()) entry.value = drawn_bytes(random, 200, letters);
      }
      const KeyWindow window;
      const Written plain = write_table(entries, {});
      const Written written = write_table(entries, {}, compression);
      if (letters == 2) {
        REQUIRE(written.contents.size() < plain.contents.size() * 3 / 4);
      }
      REQUIRE(written.contents.size() <= plain.contents.size());
      const auto table = open_table(written.contents, window);
      REQUIRE(verify_sstable(*table));
      REQUIRE(scan(*table, kAllWindows, 10'000) == entries);
      std::size_t next = 0;
      for (std::size_t i = 0; i < table->block_count(); ++i) {
        const Result<BlockHandle> block = table->read(i);
        REQUIRE(block);
        for (std::size_t j = 0; j < block.value()->count(); ++j, ++next) {
          REQUIRE(block.value()->entry(j).value == entries[next].value);
        }
      }
      REQUIRE(next == entries.size());
    }
  }
}

TEST_CASE("Every version of every key is found by block, and ranges are cut by windows") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    // Few letters and long keys make many keys share a window.
    const Shape shape{.count = 400,
                      .key_bytes_max = 14,
                      .value_bytes_max = 30,
                      .letters = seed % 2 == 0 ? 2U : 200U,
                      .versions_max = 3};
    std::vector<Entry> entries = draw_entries(random, shape);
    const KeyWindow window(seed % 3 == 0 ? std::string(1, '\1') : "");
    const SstableFormat format{128, 10'000};
    const auto table =
        open_table(write_table(entries, format, Compression::kNone, window).contents, window);
    DataBlockCache cache(Bytes(4000), 1);
    BlockReads reads;
    for (int i = 0; i < 300; ++i) {
      const std::string key = i % 2 == 0 ? entries[random() % entries.size()].key
                                         : drawn_bytes(random, random() % 14, shape.letters);
      const auto expected = std::find_if(entries.begin(), entries.end(),
                                         [&](const Entry& entry) { return entry.key >= key; });
      const std::size_t block = table->block_of(key);
      REQUIRE((block == table->block_count()) == (expected == entries.end()));
      const bool is_held = expected != entries.end() && expected->key == key;
      REQUIRE(table->passes(key).value() == is_held);
      if (expected == entries.end()) continue;
      const Result<BlockHandle> handle = table->fetch(block, cache, reads);
      REQUIRE(handle);
      const std::size_t at = handle.value()->lower_bound(key);
      REQUIRE(at < handle.value()->count());
      REQUIRE(handle.value()->entry(at).key == expected->key);
      REQUIRE(handle.value()->entry(at).tag == expected->tag);
      if (expected->key == key) REQUIRE(table->may_contain(hash_of_key(key)));
    }
    for (int i = 0; i < 100; ++i) {
      KeyRange range{window.of(entries[random() % entries.size()].key) + random() % 2,
                     window.of(entries[random() % entries.size()].key) - random() % 2};
      if (range.smallest > range.largest) std::swap(range.smallest, range.largest);
      REQUIRE(scan(*table, range, random() % 1000) == in_range(entries, window, range));
    }
  }
}

TEST_CASE("Bytes of a slice are those that the simulator counts") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::vector<Entry> entries = draw_entries(
        random, {.count = 300, .key_bytes_min = 8, .key_bytes_max = 8, .value_bytes_max = 100});
    const KeyWindow window;
    const SstableFormat format{256, 10'000};
    const auto table = open_table(write_table(entries, format).contents, window);
    auto stored = stored_entries(entries);
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i].key = window.of(entries[i].key);
    for (int i = 0; i < 200; ++i) {
      KeyRange range{stored[random() % stored.size()].key + random() % 3 - 1,
                     stored[random() % stored.size()].key + random() % 3 - 1};
      if (i % 4 == 0) range = {random(), random()};
      if (range.smallest > range.largest) std::swap(range.smallest, range.largest);
      REQUIRE(table->bytes_in(range).value() ==
              lsmlab::testing::naive_slice_bytes(stored, range, format));
    }
  }
}

TEST_CASE("Fetching counts what comes from the cache and what from the file") {
  std::mt19937_64 random(5);
  const KeyWindow window;
  const auto table = open_table(write_table(draw_entries(random, {}), {}).contents, window);
  DataBlockCache cache(Bytes(1 << 20), 1);
  BlockReads reads;
  REQUIRE(table->fetch(0, cache, reads));
  REQUIRE(reads == BlockReads{1, 1, table->stored_bytes_of(0)});
  REQUIRE(table->fetch(0, cache, reads));
  REQUIRE(reads == BlockReads{2, 1, table->stored_bytes_of(0)});
  REQUIRE(cache.held_bytes() == table->stored_bytes_of(0));
}

TEST_CASE("Without a filter every key may be held") {
  std::mt19937_64 random(5);
  const KeyWindow window;
  const std::string contents = write_table(draw_entries(random, {}), {4096, 0}).contents;
  REQUIRE(open_table(contents, window)->passes("no such key").value());
}

TEST_CASE("A flipped bit anywhere is found, and the error names the file") {
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    std::mt19937_64 random(11);
    const std::vector<Entry> entries =
        draw_entries(random, {.count = 40, .key_bytes_max = 12, .value_bytes_max = 60});
    SstableFormat format{256, 10'000};
    format.has_first_keys = compression == Compression::kZstd;
    const Written written = write_table(entries, format, compression);
    const KeyWindow window;
    for (std::size_t i = 0; i < written.contents.size(); ++i) {
      std::string damaged = written.contents;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
      INFO("byte " << i);
      auto opened = try_open(damaged, window);
      const Result<void> verified =
          opened ? verify_sstable(*opened.value()) : Result<void>(opened.error());
      REQUIRE(!verified);
      REQUIRE(verified.error().kind == ErrorKind::kMachine);
      REQUIRE(verified.error().message.starts_with("dir/000001.sst: offset "));
    }
  }
}

TEST_CASE("A file that was cut short, or goes on, is no SSTable") {
  std::mt19937_64 random(12);
  const Written written = write_table(draw_entries(random, {.count = 20}), {256, 10'000});
  const KeyWindow window;
  for (std::size_t bytes = 0; bytes < written.contents.size(); ++bytes) {
    REQUIRE(!try_open(written.contents.substr(0, bytes), window));
    if (bytes > 0) REQUIRE(!try_open(written.contents.substr(bytes), window));
  }
  REQUIRE(!try_open(written.contents + "x", window));
}

TEST_CASE("Values larger than blocks and write buffers are written") {
  const KeyWindow window;
  const std::vector<Entry> entries = {{"a", std::string(700'000, 'x'), make_tag(3, false)},
                                      {"b", "", make_tag(2, true)},
                                      {"c", std::string(5'000'000, 'y'), make_tag(1, false)},
                                      {std::string(65535, 'k'), "v", make_tag(9, false)}};
  for (const Compression compression :
       {Compression::kNone, Compression::kZstd, Compression::kLz4}) {
    const auto table = open_table(write_table(entries, {}, compression).contents, window);
    REQUIRE(verify_sstable(*table));
    REQUIRE(scan(*table, kAllWindows, 0) == entries);
  }
}

}  // namespace lsmlab::engine::sstable_test
