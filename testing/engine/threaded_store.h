// A small store with threads, for tests.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/store/store.h"
#include "models/base/spec.h"
#include "models/policies/registry.h"
#include "testing/catch.h"

namespace lsmlab::engine::testing {

// LevelDB's policy with levels of a few files of about ten entries.
inline constexpr const char* kSmallLeveldb =
    "leveldb:file_size=700,level_base=2100,size_ratio=3,l0_trigger=2,buffer=700,block_size=128";

inline StoreSetup threaded(FileSystem& files, const char* spec = kSmallLeveldb) {
  StoreSetup setup;
  setup.policy = make_policy(parse_spec(spec).value()).value();
  setup.files = &files;
  setup.mode = StoreMode::kThreaded;
  return setup;
}

inline std::unique_ptr<Store> open(const StoreSetup& setup, const std::string& directory = "/db") {
  auto store = Store::open(directory, setup);
  INFO((store ? "" : store.error().message));
  REQUIRE(store.has_value());
  return std::move(store).value();
}

inline std::string key_of(std::uint64_t number) { return fmt::format("{:08}", number); }

inline void put_some(Store& store, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    REQUIRE(store.put(key_of(i * 7 % 400), fmt::format("{} some value", i)).has_value());
  }
}

}  // namespace lsmlab::engine::testing
