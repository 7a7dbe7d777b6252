// Reads any bytes with each importer: plain, compressed here, or compressed and damaged. An import
// must end with operations or an error. The first byte chooses the format, the second the form.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "models/base/check.h"
#include "testing/fuzz/fuzz.h"
#include "traces/importers/import_parser.h"

namespace lsmlab {
namespace {

enum class Form : std::uint8_t { kAsItIs, kGzip, kZstd };
constexpr std::uint8_t kForms = 3;

std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 16;
  CHECK(::deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string in(text);
  std::string packed(::deflateBound(&stream, in.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1);
  CHECK(ZSTD_isError(bytes) == 0);
  packed.resize(bytes);
  return packed;
}

// A file in memory; its path is that of its descriptor.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    CHECK(descriptor_ >= 0);
    CHECK(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string slice(const std::string& text) { return little(text.size(), 1) + text; }

std::string record(std::uint64_t type, const std::string& payload) {
  return little(1'700'000'000'000'000, 8) + little(type, 1) + little(payload.size(), 4) + payload;
}

std::string binary_trace() {
  const std::string batch = little(77, 8) + little(2, 4) + "\x01" + slice("bb") + slice("value") +
                            std::string(1, '\0') + slice("a");
  return record(1, "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 8.9\tFormat: x\n") +
         record(3, little(2, 8) + slice(batch)) +
         record(4, little(0xc, 8) + little(2, 4) + slice("a")) +
         record(5, little(0xf0, 8) + little(0, 4) + slice("a") + slice("0") + slice("bb")) +
         record(13, little(0x700, 8) + little(2, 4) + slice(little(0, 8)) +
                        slice(slice("a") + slice("bb"))) +
         record(2, little(0, 8));
}

// Inputs with more kinds of operations than the importers' examples, by format.
std::multimap<std::string, std::string> further_inputs() {
  return {
      {"kv-workload", "I bb vvvv\nU a v\r\nD bb \n\nQ zz\nS a m\n"},
      {"ycsb",
       "\"recordcount\"=\"1\"\nINSERT usertable user2 [ field1=a b=] field0=xyz ]\n"
       "READ usertable user1 [ <all fields>]\nSCAN usertable user1 7 [ <all fields>]\n"},
      {"rocksdb-text",
       "0x6262 1 0 100 17\n0x61 0 0 0 18\n0x6262 2 0 0 19\n0x61 6 0 0 20\n0x63 9 1 5 22\n"},
      {"rocksdb-binary", binary_trace()},
      {"twemcache", "0,bbb,13,100,1,get,0\n0,a,b,3,20,1,set,60\n1,bbb,13,0,2,delete,0\n"},
      {"cachelib", "key,op,size,op_count,key_size\nb,GET,9,3,20\na,SET,9,2,21\nb,DELETE,0,1,20\n"}};
}

// The first byte of a seed: the format's place among all.
void add_seeds(std::size_t format, const std::string& input, std::vector<std::string>& seeds) {
  const std::string front(1, static_cast<char>(format));
  for (std::uint8_t form = 0; form < kForms; ++form) {
    seeds.push_back(front + static_cast<char>(form) + input);
  }
  // Damages the compressed bytes themselves.
  seeds.push_back(front + '\0' + gzip(input));
  seeds.push_back(front + '\0' + zstd(input) + zstd(input));
}

}  // namespace

std::vector<std::string> testing::fuzz_seeds() {
  std::vector<std::string> seeds;
  const std::multimap<std::string, std::string> further = further_inputs();
  const std::vector<importing::Importer> importers = importing::make_importers();
  for (std::size_t format = 0; format < importers.size(); ++format) {
    add_seeds(format, std::string(importers[format].example), seeds);
    const auto [begin, end] = further.equal_range(importers[format].name);
    for (auto input = begin; input != end; ++input) add_seeds(format, input->second, seeds);
  }
  return seeds;
}

}  // namespace lsmlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab;
  if (size < 2) return 0;
  const std::vector<std::string> names = names_of_import_formats();
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const auto form = static_cast<Form>(data[1] % kForms);
  const MemoryFile file(form == Form::kGzip   ? gzip(bytes)
                        : form == Form::kZstd ? zstd(bytes)
                                              : std::string(bytes));
  std::uint64_t delivered = 0;
  const auto report = import_trace({.format = names[data[0] % names.size()],
                                    .path = file.path(),
                                    .memory_bytes_max = kImportMemoryBytesMin,
                                    .skip_unsupported = data[1] >= 128,
                                    .repeats_max = 1000},
                                   [&](std::span<const Operation> operations) -> Result<void> {
                                     delivered += operations.size();
                                     for (const Operation& operation : operations) {
                                       CHECK(operation.kind <= OperationKind::kScan);
                                     }
                                     return success();
                                   });
  if (report) {
    CHECK(report.value().operations == delivered);
  } else {
    CHECK(report.error().kind == ErrorKind::kInput);
    CHECK(delivered == 0);
  }
  return 0;
}
