// Measures the cost of SSTables in a merge: nanoseconds per entry for writing and scanning entries
// of 16 + 112 bytes, in memory.
//   sstable_benchmark [entries, default 2000000]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "engine/files/memory_file.h"
#include "engine/sstable/sstable.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kValueBytes = 112;
constexpr std::uint64_t kReadAheadBytes = 256 << 10;
constexpr int kRepeats = 7;

// Accepts appended bytes, and keeps them only if told to: touching memory for the first time costs
// more than the writer.
class Sink : public WritableFile {
 public:
  explicit Sink(std::string* kept) : kept_(kept) {}
  Result<void> append(std::string_view bytes) override {
    size_ += bytes.size();
    if (kept_ != nullptr) *kept_ += bytes;
    return success();
  }
  Result<void> sync() override { return success(); }
  Result<void> close() override { return success(); }
  std::uint64_t size() const override { return size_; }

 private:
  std::string* kept_;
  std::uint64_t size_ = 0;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double write_nanoseconds(std::uint64_t entries, std::uint32_t millibits, std::string* kept) {
  const KeyWindow window;
  Sink sink(kept);
  SstableWriter writer(sink, {.filter_millibits_per_key = millibits}, window);
  char key[kKeyBytes] = {};
  const std::string value(kValueBytes, 'v');
  const double begin = seconds_now();
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t number = i * 0x1'0000'0001;
    const std::uint64_t big_endian = __builtin_bswap64(number);
    std::copy_n(reinterpret_cast<const char*>(&big_endian), sizeof big_endian, key);
    const EntryView entry{{key, kKeyBytes}, value, make_tag(i + 1, false)};
    if (!writer.add(entry, number)) std::abort();
  }
  if (!writer.finish({})) std::abort();
  return (seconds_now() - begin) * 1e9 / static_cast<double>(entries);
}

double scan_nanoseconds(const std::string& contents, std::uint64_t entries) {
  const KeyWindow window;
  auto opened = SstableReader::open(
      std::make_unique<testing::MemoryReadableFile>("memory", contents), FileId(1), window);
  if (!opened) std::abort();
  const double begin = seconds_now();
  SstableScanner scanner(*opened.value(), {0, ~std::uint64_t{0}}, kReadAheadBytes);
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  while (true) {
    const Result<bool> next = scanner.next();
    if (!next) std::abort();
    if (!next.value()) break;
    ++count;
    sum += scanner.window() ^ scanner.entry().value.size();
  }
  if (count != entries || sum == 0) std::abort();
  return (seconds_now() - begin) * 1e9 / static_cast<double>(entries);
}

void run(std::uint64_t entries) {
  std::string contents;
  write_nanoseconds(entries, 10'000, &contents);
  double bare = 1e9;
  double filtered = 1e9;
  double scanned = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    bare = std::min(bare, write_nanoseconds(entries, 0, nullptr));
    filtered = std::min(filtered, write_nanoseconds(entries, 10'000, nullptr));
    scanned = std::min(scanned, scan_nanoseconds(contents, entries));
  }
  fmt::print("{} entries of {} + {} bytes, best of {}, ns an entry:\n", entries, kKeyBytes,
             kValueBytes, kRepeats);
  fmt::print("  write without filter  {:6.1f}\n", bare);
  fmt::print("  write, 10 bits a key  {:6.1f}\n", filtered);
  fmt::print("  scan                  {:6.1f}\n", scanned);
}

}  // namespace
}  // namespace lsmlab::engine

int main(int count, char** arguments) {
  lsmlab::engine::run(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 2'000'000);
  return 0;
}
