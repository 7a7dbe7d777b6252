#include "engine/store/output_room.h"

#include <map>
#include <random>

#include "engine/files/file_names.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::output_room_test {
namespace {

// Records the expected and the actual size of files. The store opens each file after closing it.
class ExpectationsNoted final : public FaultFileSystem {
 public:
  struct Noted {
    std::uint64_t expected_bytes = 0;
    std::uint64_t bytes = 0;
  };

  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               const CreateOptions& options) override {
    if (path.ends_with(".sst")) noted_[path].expected_bytes = options.expected_bytes;
    return FaultFileSystem::create(path, options);
  }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    auto file = FaultFileSystem::open(path);
    const auto noted = noted_.find(path);
    if (file && noted != noted_.end()) noted->second.bytes = file.value()->size();
    return file;
  }
  [[nodiscard]] const std::map<std::string, Noted>& noted() const { return noted_; }

 private:
  std::map<std::string, Noted> noted_;
};

// The files of a store after `entries` puts of different keys, or of ten keys.
std::map<std::string, ExpectationsNoted::Noted> files_of(const std::string& policy,
                                                         std::size_t value_bytes, bool is_new) {
  ExpectationsNoted files;
  StoreSetup setup;
  Spec spec = parse_spec(policy).value();
  const Parameters all{{"buffer", "64KiB"}, {"file_size", "64KiB"}, {"level_base", "256KiB"}};
  for (const auto& small : all) {
    Spec with = spec;
    with.parameters.push_back(small);
    if (make_policy(with)) spec = with;
  }
  setup.policy = make_policy(spec).value();
  REQUIRE(setup.policy.store.buffer == Bytes(64 << 10));
  setup.files = &files;
  const auto store = Store::open("/db", setup).value();
  std::mt19937_64 random(7);
  const std::size_t entries = (4 << 20) / (value_bytes + 16);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::uint64_t number = is_new ? random() : random() % 10;
    REQUIRE(store->put(fmt::format("{:016x}", number), std::string(value_bytes, 'v')));
  }
  REQUIRE(store->flush());
  return files.noted();
}

// Bytes by which a good prediction may exceed the actual size.
std::uint64_t slack(std::uint64_t bytes) { return bytes / 16 + 2 * 4096; }

TEST_CASE("room that is asked for is a little more than SSTables take whose keys are new") {
  for (const char* policy : {"leveled", "tiered", "binomial", "rocksdb-universal"}) {
    for (const std::size_t value_bytes : {std::size_t{20}, std::size_t{500}}) {
      const auto files = files_of(policy, value_bytes, true);
      REQUIRE(files.size() > 64);  // flushes
      for (const auto& [path, noted] : files) {
        INFO(policy << ", values of " << value_bytes << " bytes, " << path);
        REQUIRE(noted.bytes > 0);
        REQUIRE(noted.expected_bytes >= noted.bytes);
        REQUIRE(noted.expected_bytes <= noted.bytes + slack(noted.bytes));
      }
    }
  }
}

TEST_CASE(
    "files that end where a grandparent does take less room than is asked for, or a little more") {
  for (const char* policy : {"leveldb", "rocksdb-leveled", "ldc:slice_threshold=4"}) {
    std::uint64_t fits = 0;
    const auto files = files_of(policy, 100, true);
    for (const auto& [path, noted] : files) {
      INFO(policy << ", " << path);
      REQUIRE(noted.bytes > 0);
      REQUIRE(noted.expected_bytes <= (64 << 10) + 2 * slack(64 << 10));
      if (noted.expected_bytes >= noted.bytes) ++fits;
    }
    REQUIRE(files.size() > 64);
    REQUIRE(fits * 2 > files.size());
  }
}

TEST_CASE("no more room is asked for than all inputs take") {
  for (const char* policy : {"leveled", "tiered"}) {
    for (const auto& [path, noted] : files_of(policy, 100, false)) {
      INFO(policy << ", " << path);
      REQUIRE(noted.bytes > 0);
      REQUIRE(noted.expected_bytes >= noted.bytes);
      REQUIRE(noted.expected_bytes <= 16 * (noted.bytes + slack(noted.bytes)));
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::output_room_test
