#include "engine/replay/replay_run.h"

#include <sys/mman.h>

#include "engine/store/store.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::replay_run_test {

TEST_CASE("what no store takes is refused before it is made", "[engine][replay]") {
  Operation put{.key = 1, .value_bytes = 1U << 30, .key_bytes = 16, .kind = OperationKind::kPut};
  REQUIRE(check_replayable(put, KeyFormat()).has_value());
  put.value_bytes = ~std::uint32_t{0};
  REQUIRE(check_replayable(put, KeyFormat()).error().message ==
          "the value of key 1 has 4294967295 bytes; a store takes at most 1073741824");
  put.kind = OperationKind::kGet;  // has no value
  REQUIRE(check_replayable(put, KeyFormat()).has_value());
  put.key_bytes = 7;
  REQUIRE_FALSE(check_replayable(put, KeyFormat()).has_value());
}

TEST_CASE("the store's own limit of a value is the replay's", "[engine][replay]") {
  // Pages that may not be read: the store checks the size first.
  const std::size_t bytes = kStoreValueBytesMax + 1;
  void* const pages =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  FaultFileSystem files;
  StoreSetup setup;
  setup.files = &files;
  setup.policy = testing::small_policy("leveled");
  auto store = Store::open(testing::kDirectory, setup);
  REQUIRE(store.has_value());
  const Result<void> refused = store.value()->put("key", {static_cast<const char*>(pages), bytes});
  ::munmap(pages, bytes);
  REQUIRE_FALSE(refused.has_value());
  REQUIRE(refused.error().message ==
          "a value may have at most 1073741824 bytes; this one has 1073741825");
}

}  // namespace lsmlab::engine::replay_run_test
