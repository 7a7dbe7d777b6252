// Reads any bytes as a trace file. Reading must end with operations or an error. Mutations rarely
// keep a checksum valid, so an input's first byte chooses: the file itself, or blocks that are
// sealed here (for each, 2 bytes with its number of operations, 2 bytes with its payload's size,
// and the payload).
#include <xxhash.h>

#include <algorithm>

#include "models/base/check.h"
#include "testing/fuzz/fuzz.h"
#include "traces/files/trace_file.h"

namespace lsmlab {
namespace {

constexpr char kAsItIs = 0;
constexpr char kSealed = 1;

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    const std::size_t count = std::min(bytes.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, bytes.begin());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(std::string& bytes) : bytes_(bytes) {}
  Result<void> write(std::span<const std::uint8_t> bytes) override {
    bytes_.append(bytes.begin(), bytes.end());
    return success();
  }
  Result<void> finish() override { return success(); }

 private:
  std::string& bytes_;
};

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::uint64_t sealed_with(std::uint64_t seed, std::string_view bytes) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

// A file with a header and blocks in the format of docs/trace-format.md, without a footer.
std::string sealed_file(std::string_view blocks) {
  std::string file = "\x89lsmtrc\n" + little(1, 4) + little(0, 4);
  std::uint64_t checksum = sealed_with(sealed_with(0, file), {});
  file += little(checksum, 8);
  while (blocks.size() >= 4) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(blocks[i]); };
    const std::size_t operations = byte(0) + 256U * byte(1);
    const std::size_t bytes = std::min<std::size_t>(byte(2) + 256U * byte(3), blocks.size() - 4);
    const std::string_view payload = blocks.substr(4, bytes);
    blocks.remove_prefix(4 + bytes);
    const std::string front = "BOLK" + little(operations, 4) + little(bytes, 4) + little(0, 4);
    checksum = sealed_with(sealed_with(checksum, front), payload);
    file += front + little(checksum, 8) + std::string(payload);
  }
  return file;
}

std::vector<Operation> sample_operations() {
  std::vector<Operation> operations(300);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i] = {
        .key = i * i * 977 % 4096, .key_bytes = 16, .kind = static_cast<OperationKind>(i * 7 % 4)};
    if (operations[i].kind == OperationKind::kPut) {
      operations[i].value_bytes = static_cast<std::uint32_t>(100 + i % 50);
    }
    if (operations[i].kind == OperationKind::kScan) operations[i].scan_last_key = i * 1000;
  }
  return operations;
}

// Collects all operations of a reader; true if it reached the end without an error.
bool read_all(std::string_view file, bool salvage, std::vector<Operation>& operations) {
  const auto reader = TraceReader::open(
      std::make_unique<ByteReader>("fuzz", std::make_unique<MemorySource>(file)), {salvage});
  if (!reader) return false;
  std::vector<Operation> part(1000);
  for (;;) {
    const auto count = reader.value()->fill(part);
    if (!count) return false;
    operations.insert(operations.end(), part.begin(),
                      part.begin() + static_cast<std::ptrdiff_t>(count.value()));
    if (count.value() < part.size()) break;
  }
  CHECK(reader.value()->counts().operations == operations.size());
  return !reader.value()->damage();
}

std::string written(const std::vector<Operation>& operations) {
  std::string file;
  auto writer = TraceWriter::create(std::make_unique<MemorySink>(file));
  CHECK(writer.has_value());
  CHECK(writer.value()->append(operations).has_value());
  CHECK(writer.value()->finish().has_value());
  return file;
}

}  // namespace

std::vector<std::string> testing::fuzz_seeds() {
  const std::vector<Operation> operations = sample_operations();
  TraceBlockEncoder encoder;
  std::string sealed(1, kSealed);
  for (const std::size_t count : {std::size_t{300}, std::size_t{1}, std::size_t{20}}) {
    const auto payload = encoder.encode(std::span(operations).first(count));
    sealed += little(count, 2) + little(payload.size(), 2);
    sealed.append(payload.begin(), payload.end());
  }
  return {std::string(1, kAsItIs) + written(operations), sealed};
}

}  // namespace lsmlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const std::string file =
      input.front() == kSealed ? sealed_file(input.substr(1)) : std::string(input.substr(1));
  std::vector<Operation> strictly;
  std::vector<Operation> salvaged;
  const bool is_whole = read_all(file, false, strictly);
  CHECK(read_all(file, true, salvaged) == is_whole);
  CHECK(!is_whole || strictly == salvaged);
  std::vector<Operation> again;
  CHECK(read_all(written(salvaged), false, again));
  CHECK(again == salvaged);
  return 0;
}
