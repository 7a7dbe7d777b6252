// Builds SSTables byte by byte as docs/sstable.md describes. They check the writer independently,
// and make files with valid checksums but false content.
#include <xxhash.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/files/memory_file.h"
#include "engine/sstable/checksum.h"
#include "engine/sstable/sstable.h"
#include "testing/catch.h"

namespace lsmlab::engine::sstable_layout_test {
namespace {

std::string number(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return text;
}

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7) text.push_back(static_cast<char>(0x80 | (value & 0x7f)));
  text.push_back(static_cast<char>(value));
  return text;
}

std::string sealed(const std::string& payload) {
  const std::string checked = payload + '\0';
  return checked + number(XXH3_64bits(checked.data(), checked.size()), 8);
}

struct Entry {
  std::string key;  // below 128 bytes
  std::string value;
  std::uint64_t sequence = 0;
  std::uint64_t kind = 0;
};

// The content of a file; by default it is consistent.
struct Layout {
  std::vector<Entry> entries = {
      {"apple", "red", 4, 0}, {"apple", "", 3, 1}, {"pear", "green", 9, 0}};
  std::optional<std::string> first_key;  // in the index: version 2
  std::string index_key = "pear";
  std::string smallest = "apple";
  std::string largest = "pear";
  std::uint64_t block_position = 0;
  std::uint64_t count = 3;
  std::uint64_t tombstones = 1;
  std::uint64_t first_sequence = 3;
  std::uint64_t last_sequence = 9;
  std::uint64_t key_and_value_bytes = 22;
  std::uint64_t extra_offset = 0;
  std::vector<std::string> filter_keys = {"apple", "pear"};

  [[nodiscard]] std::string block() const {
    std::string payload;
    std::string offsets;
    for (const Entry& entry : entries) {
      offsets += number(payload.size() + extra_offset, 2);
      payload += number(entry.key.size(), 1) + varint(entry.value.size()) +
                 number(entry.sequence << 8 | entry.kind, 8) + entry.key + entry.value;
    }
    return sealed(payload + offsets + number(entries.size(), 2));
  }
  [[nodiscard]] std::string filter() const {
    std::string line(64, '\0');
    for (const std::string& key : filter_keys) {
      const std::uint64_t hash = XXH3_64bits(key.data(), key.size());
      const std::uint64_t mix = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
      for (unsigned probe = 0; probe < 6; ++probe) {
        const std::uint64_t bit = mix >> (9 * probe) & 511;
        line[bit / 8] = static_cast<char>(line[bit / 8] | 1 << bit % 8);
      }
    }
    return sealed(line + '\6');
  }
  [[nodiscard]] std::string file() const {
    const std::string data = block();
    const std::string lines = filter();
    const std::string first = first_key ? number(first_key->size(), 1) + *first_key : "";
    const std::string index =
        sealed(first + number(index_key.size(), 1) + index_key + number(block_position, 8) +
               number(data.size(), 4) + number(0, 4) + number(1, 4));
    const std::string properties =
        sealed(number(count, 8) + number(tombstones, 8) + number(first_sequence, 8) +
               number(last_sequence, 8) + number(7, 8) + number(key_and_value_bytes, 8) +
               number(smallest.size(), 1) + smallest + number(largest.size(), 1) + largest);
    const std::string blocks = data + lines + index + properties;
    const std::uint64_t index_at = data.size() + lines.size();
    const std::string footer = number(data.size(), 8) + number(lines.size(), 4) +
                               number(index_at, 8) + number(index.size(), 4) +
                               number(index_at + index.size(), 8) + number(properties.size(), 4) +
                               number(first_key ? 2 : 1, 4) + number(blocks.size() + 64, 8);
    return blocks + footer + number(XXH3_64bits(footer.data(), footer.size()), 8) + "lsmlabst";
  }
};

// The error of opening and verifying; empty: none.
std::string fault_of(const Layout& layout) {
  const KeyWindow window;
  auto opened = SstableReader::open(
      std::make_unique<testing::MemoryReadableFile>("x.sst", layout.file()), FileId(1), window);
  if (!opened) return opened.error().message;
  const Result<void> verified = verify_sstable(*opened.value());
  return verified ? "" : verified.error().message;
}

}  // namespace

TEST_CASE("The writer's bytes are those of the format's description") {
  const bool has_first_keys = GENERATE(false, true);
  Layout layout;
  if (has_first_keys) layout.first_key = "apple";
  const KeyWindow window;
  testing::MemoryWritableFile file;
  const SstableFormat format{4096, 10'000, SstableLayout::kLsmlab, has_first_keys};
  SstableWriter writer(file, format, window);
  for (const Entry& entry : layout.entries) {
    REQUIRE(writer.add({entry.key, entry.value, make_tag(entry.sequence, entry.kind == 1)},
                       window.of(entry.key)));
  }
  REQUIRE(writer.finish(Instant(7)));
  REQUIRE(file.contents() == layout.file());
  REQUIRE(fault_of(layout).empty());
}

TEST_CASE("A very large value is written as the format's description has it, and reads back") {
  const KeyWindow window;
  for (const std::size_t before : {std::size_t{0}, std::size_t{2}}) {
    for (const std::size_t bytes :
         {(std::size_t{4} << 20), (std::size_t{4} << 20) + 1, (std::size_t{9} << 20) + 5}) {
      Layout layout;
      layout.entries.erase(layout.entries.begin() + static_cast<std::ptrdiff_t>(before),
                           layout.entries.end() - 1);
      if (before == 0) {
        layout.smallest = "pear";
        layout.count = 1;
        layout.tombstones = 0;
        layout.first_sequence = 9;
        layout.filter_keys = {"pear"};
      }
      std::string& value = layout.entries.back().value;
      value.resize(bytes);
      for (std::size_t i = 0; i < bytes; ++i) value[i] = static_cast<char>(i * i >> 7);
      layout.key_and_value_bytes = (before == 0 ? 4 : 17) + bytes;
      testing::MemoryWritableFile file;
      SstableWriter writer(file, {4096, 10'000}, window);
      for (const Entry& entry : layout.entries) {
        REQUIRE(writer.add({entry.key, entry.value, make_tag(entry.sequence, entry.kind == 1)},
                           window.of(entry.key)));
      }
      const std::uint64_t predicted = writer.size().file_bytes().value();
      REQUIRE(writer.finish(before == 0 ? std::nullopt : std::optional(Instant(7))));
      INFO(bytes << " bytes after " << before << " entries");
      REQUIRE(file.contents().size() == predicted);
      if (before == 0) continue;  // the layout cannot describe a file without tombstones
      REQUIRE((file.contents() == layout.file()));
      const auto reader = SstableReader::open(
          std::make_unique<testing::MemoryReadableFile>("x.sst", file.contents()), FileId(1),
          window);
      REQUIRE(verify_sstable(*reader.value()));
    }
  }
}

TEST_CASE("A very large value among others is read back, whatever is compressed") {
  const KeyWindow window;
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    std::vector<std::string> values(50);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].assign(i % 10 == 3 ? (std::size_t{4} << 20) + i : 10 * i, static_cast<char>(i));
    }
    testing::MemoryWritableFile file;
    SstableFormat format{4096, 10'000};
    format.compression.codec = compression;
    SstableWriter writer(file, format, window);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string key = "key" + number(i, 1);
      REQUIRE(writer.add({key, values[i], make_tag(i, false)}, window.of(key)));
    }
    REQUIRE(writer.finish(std::nullopt));
    const auto reader = SstableReader::open(
        std::make_unique<testing::MemoryReadableFile>("x.sst", file.contents()), FileId(1), window);
    REQUIRE(reader);
    REQUIRE(verify_sstable(*reader.value()));
    std::size_t found = 0;
    for (std::size_t b = 0; b < reader.value()->block_count(); ++b) {
      const BlockHandle block = reader.value()->read(b).value();
      for (std::size_t i = 0; i < block->count(); ++i) {
        REQUIRE((block->entry(i).value == values[found++]));
      }
    }
    REQUIRE(found == values.size());
  }
}

TEST_CASE("What is sealed well and says wrong things is refused") {
  const auto refuse = [](auto change, const char* expected) {
    Layout layout;
    change(layout);
    const std::string fault = fault_of(layout);
    INFO("expected \"" << expected << "\", found \"" << fault << '"');
    REQUIRE(fault.find(expected) != std::string::npos);
    REQUIRE(fault.starts_with("x.sst: offset "));
  };
  refuse([](Layout& l) { std::swap(l.entries[0], l.entries[1]); }, "out of order");
  refuse([](Layout& l) { l.entries[1].sequence = 4; }, "out of order");
  refuse([](Layout& l) { l.entries[0].key = "zebra"; }, "x.sst: offset ");
  refuse([](Layout& l) { l.entries[0].kind = 2; }, "makes no sense");
  refuse([](Layout& l) { l.entries[1].value = "v"; }, "makes no sense");
  refuse([](Layout& l) { l.entries.clear(); }, "x.sst: offset ");
  refuse([](Layout& l) { l.extra_offset = 1; }, "makes no sense");
  refuse([](Layout& l) { l.index_key = "peach"; }, "the properties");
  refuse([](Layout& l) { l.index_key = l.largest = "plum"; }, "last key");
  refuse([](Layout& l) { l.smallest = "aa"; }, "smallest");
  refuse([](Layout& l) { l.smallest = "q"; }, "make no sense");
  refuse([](Layout& l) { l.block_position = 1; }, "handle 0");
  refuse([](Layout& l) { l.first_key = "banana"; }, "first key");
  refuse([](Layout& l) { l.first_key = "plum"; }, "handle 0");
  refuse([](Layout& l) { l.count = 4; }, "entries, but the properties say 4");
  refuse([](Layout& l) { l.count = 0; }, "make no sense");
  refuse([](Layout& l) { l.tombstones = 2; }, "tombstones");
  refuse([](Layout& l) { l.first_sequence = 2; }, "first sequence");
  refuse([](Layout& l) { l.last_sequence = 10; }, "last sequence");
  refuse([](Layout& l) { l.key_and_value_bytes = 1; }, "bytes of keys");
  refuse([](Layout& l) { l.filter_keys = {"apple"}; }, "filter denies");
}

TEST_CASE("Checksums are XXH3-64, whatever the machine computes them with") {
  std::string bytes;
  for (unsigned i = 0; i < 5000; ++i) {
    REQUIRE(checksum_of(bytes) == XXH3_64bits(bytes.data(), bytes.size()));
    bytes.push_back(static_cast<char>(i * 151 >> 3));
  }
}

}  // namespace lsmlab::engine::sstable_layout_test
