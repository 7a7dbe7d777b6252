// Opens, verifies, scans and reads any bytes as an SSTable. The first byte chooses whether to
// correct checksums, sizes and magic number first, so that inputs reach the code behind those
// checks.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "engine/files/memory_file.h"
#include "engine/sstable/checksum.h"
#include "engine/sstable/sstable.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/table_codec.h"
#include "testing/fuzz/fuzz.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kFileBytesAt = 40;
constexpr std::size_t kChecksumAt = 48;
constexpr std::size_t kMagicAt = 56;
constexpr std::size_t kVersionAt = 36;

void seal_block(std::string& file, std::uint64_t position, std::uint64_t bytes) {
  if (bytes < kBlockTrailerBytes || position > file.size() || bytes > file.size() - position)
    return;
  const std::size_t checked = bytes - sizeof(std::uint64_t);
  store(file.data() + position + checked,
        checksum_of(std::string_view(file).substr(position, checked)));
}

// Seals the data blocks of valid handles: first their checksums, then the index's.
void seal_data_blocks(std::string& file, std::uint64_t position, std::uint64_t bytes) {
  if (position > file.size() || bytes > file.size() - position) return;
  const char* at = file.data() + position;
  const char* const end = at + bytes;
  while (at != nullptr && at < end) {
    std::uint32_t key_bytes = 0;
    at = load_varint(at, end, key_bytes);
    if (at == nullptr || end - at < std::ptrdiff_t{key_bytes} + 12) return;
    at += key_bytes;
    seal_block(file, load<std::uint64_t>(at), load<std::uint32_t>(at + 8));
    at += 12;
  }
}

void seal(std::string& file) {
  if (file.size() < kSstableFooterBytes) return;
  char* const footer = file.data() + file.size() - kSstableFooterBytes;
  const auto position = [footer](std::size_t at) { return load<std::uint64_t>(footer + at); };
  const auto bytes = [footer](std::size_t at) { return load<std::uint32_t>(footer + at + 8); };
  seal_data_blocks(file, position(12), bytes(12));
  for (const std::size_t at : {0U, 12U, 24U}) seal_block(file, position(at), bytes(at));
  store(footer + kVersionAt, kSstableVersion);
  store(footer + kFileBytesAt, std::uint64_t{file.size()});
  store(footer + kChecksumAt, checksum_of({footer, kChecksumAt}));
  std::memcpy(footer + kMagicAt, "lsmlabst", 8);
}

void require(bool condition) {
  if (!condition) std::abort();
}

void read_all(const SstableReader& table, const KeyWindow& window) {
  for (std::size_t i = 0; i < table.block_count(); ++i) {
    const Result<BlockHandle> block = table.read(i);
    if (!block) continue;
    for (std::size_t j = 0; j < block.value()->count(); ++j) {
      const EntryView entry = block.value()->entry(j);
      static_cast<void>(block.value()->lower_bound(entry.key));
      static_cast<void>(table.may_contain(hash_of_key(entry.key)));
      require(table.block_of(entry.key) <= table.block_count());
      const std::uint64_t at = window.of(entry.key);
      static_cast<void>(table.bytes_in({at, at}));
    }
  }
}

void scan_all(const SstableReader& table) {
  SstableScanner scanner(table, {0, ~std::uint64_t{0}}, 1000);
  std::string key;
  while (true) {
    const Result<bool> next = scanner.next();
    if (!next || !next.value()) return;
    require(key <= scanner.entry().key);
    key = scanner.entry().key;
  }
}

std::string sample_table(Compression compression) {
  const KeyWindow window;
  testing::MemoryWritableFile file;
  SstableFormat format;
  format.block_bytes = 256;
  format.compression.codec = compression;
  SstableWriter writer(file, format, window);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::string key = "key " + std::to_string(1000 + i);
    const bool is_tombstone = i % 7 == 3;
    const std::string value = is_tombstone ? std::string() : std::string(i, 'v');
    require(writer.add({key, value, make_tag(i + 1, is_tombstone)}, window.of(key)).has_value());
  }
  require(writer.finish(lsmlab::Instant(4)).has_value());
  return file.contents();
}

}  // namespace

}  // namespace lsmlab::engine

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  using namespace lsmlab::engine;
  std::vector<std::string> seeds;
  for (const Compression compression :
       {Compression::kNone, Compression::kZstd, Compression::kLz4}) {
    const std::string table = sample_table(compression);
    seeds.push_back(std::string(1, '\0') + table);
    seeds.push_back(std::string(1, '\1') + table);
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab::engine;
  if (size == 0) return 0;
  std::string contents(reinterpret_cast<const char*>(data) + 1, size - 1);
  static_cast<void>(DataBlock::parse(contents));
  if (data[0] % 2 == 1) seal(contents);
  const KeyWindow window;
  auto opened = SstableReader::open(
      std::make_unique<testing::MemoryReadableFile>("fuzz", std::move(contents)), lsmlab::FileId(1),
      window);
  if (!opened) return 0;
  static_cast<void>(verify_sstable(*opened.value()));
  scan_all(*opened.value());
  read_all(*opened.value(), window);
  return 0;
}
