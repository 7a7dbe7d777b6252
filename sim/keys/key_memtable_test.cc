// Memtables that replace entries. The tests of stores check all others.
#include "sim/keys/key_memtable.h"

#include <map>
#include <random>
#include <vector>

#include "sim/keys/key_store.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::key_memtable_test {
namespace {

constexpr std::uint32_t kKeyBytes = 16;

StoreOptions in_place(Bytes buffer) {
  StoreOptions store;
  store.buffer = buffer;
  store.memtable = MemtableKind::kInPlace;
  return store;
}

TEST_CASE("a memtable that replaces entries is flushed when new keys fill it") {
  const std::uint64_t each = buffered_entry_bytes(kKeyBytes, 100);
  for (const bool replaces : {true, false}) {
    const ConfiguredPolicy policy = testing::policy_of(
        fmt::format("none:buffer={},memtable={}", 10 * each, replaces ? "in-place" : "versions"));
    const PlanLogSink no_log;
    KeyStore store(policy, no_log, nullptr);
    for (int version = 0; version < 10; ++version) {
      for (std::uint64_t key = 1; key <= 9; ++key) {
        REQUIRE(store.write(key, kKeyBytes, 100, false));
      }
    }
    REQUIRE(store.totals().flushes == (replaces ? 0 : 9));
    REQUIRE(store.write(10, kKeyBytes, 100, false));
    store.flush();
    REQUIRE(store.totals().flushes == (replaces ? 1 : 10));
    const File& newest = store.tree().levels()[0].runs.front().files.front();
    REQUIRE(newest.entries == Entries(replaces ? 10 : 1));
    REQUIRE(store.totals().user_bytes == 91 * (kKeyBytes + 100));
  }
}

TEST_CASE("a memtable that replaces entries has what a map of its keys has") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    SizeClasses sizes;
    KeyMemtable memtable(in_place(Bytes(3'000)), false);
    std::uint64_t sequence = 0;
    for (int round = 0; round < 3; ++round) {
      std::map<std::uint64_t, Entry> expected;
      std::uint64_t bytes = 0;
      while (bytes < 3'000) {
        REQUIRE(!memtable.is_full());
        const std::uint64_t key = random() % (seed % 2 == 0 ? 60 : 2'000);
        const bool is_tombstone = random() % 6 == 0;
        const auto value_bytes = is_tombstone ? 0 : static_cast<std::uint32_t>(random() % 200);
        const Entry entry = Entry::make(key, ++sequence, is_tombstone,
                                        sizes.number_of(kKeyBytes, value_bytes).value());
        memtable.add(entry, sizes, Instant(sequence));
        expected.insert_or_assign(key, entry);
        bytes = 0;
        for (const auto& [ignored, kept] : expected) {
          bytes += buffered_entry_bytes(kKeyBytes, sizes[kept.size_class()].value_bytes);
        }
        REQUIRE(memtable.size().charged_bytes() == bytes);
        if (random() % 20 == 0) REQUIRE(memtable.find(key)->version == entry.version);
        if (random() % 40 == 0) REQUIRE(memtable.ordered().size() == expected.size());
      }
      REQUIRE(memtable.is_full());
      for (const auto& [key, version] : memtable.ordered()) {
        REQUIRE(expected.at(key).version == version);
      }
      const std::span<const Entry> entries = memtable.sort();
      REQUIRE(entries.size() == expected.size());
      auto next = expected.begin();
      for (const Entry& entry : entries) {
        REQUIRE(entry.version == next->second.version);
        ++next;
      }
      memtable.clear();
    }
  }
}

}  // namespace
}  // namespace lsmlab::key_memtable_test
