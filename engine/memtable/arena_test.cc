#include "engine/memtable/arena.h"

#include <new>

#include "testing/catch.h"

namespace lsmlab::engine::arena_test {
namespace {

constexpr std::size_t kChunk = 8 << 10;

ArenaChunk some_chunk() {
  void* const memory = ::operator new (kChunk, std::align_val_t{Arena::kAlignmentMax});
  return ArenaChunk(static_cast<std::byte*>(memory), FreeArenaChunk{Arena::kAlignmentMax});
}

TEST_CASE("arena: pieces are apart, aligned, and counted by their chunks") {
  Arena arena(kChunk);
  std::byte* last = nullptr;
  for (int i = 0; i < 100; ++i) {
    std::byte* const piece = arena.allocate(100, 64);
    REQUIRE(reinterpret_cast<std::uintptr_t>(piece) % 64 == 0);
    REQUIRE((last == nullptr || piece >= last + 100 || piece + 100 <= last));
    last = piece;
  }
  REQUIRE(arena.memory_bytes() == 2 * kChunk);  // 64 pieces of 128 bytes in each
  static_cast<void>(arena.allocate(3 * kChunk, 8));
  REQUIRE(arena.memory_bytes() == 5 * kChunk);
}

#if !defined(__SANITIZE_ADDRESS__)

TEST_CASE("arena: chunks of one that is gone serve the next, as many as the reserve may keep") {
  const auto reserve = std::make_shared<ArenaReserve>(2 * kChunk);
  {
    Arena first(kChunk, reserve);
    for (int i = 0; i < 3; ++i) static_cast<void>(first.allocate(kChunk / 4, 8));
    for (int i = 0; i < 9; ++i) static_cast<void>(first.allocate(kChunk / 4, 8));
    static_cast<void>(first.allocate(2 * kChunk, 8));  // too large for others to use
    REQUIRE(first.memory_bytes() == 5 * kChunk);
  }
  ArenaChunk a = reserve->take(kChunk);
  ArenaChunk b = reserve->take(kChunk);
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  REQUIRE(reserve->take(kChunk) == nullptr);
  std::byte* const known = a.get();
  reserve->give(std::move(a), kChunk);
  REQUIRE(reserve->take(2 * kChunk) == nullptr);
  Arena second(kChunk, reserve);
  REQUIRE(second.allocate(8, 8) == known);
}

#endif

TEST_CASE("arena: a reserve that may keep nothing frees") {
  ArenaReserve reserve(kChunk - 1);
  reserve.give(some_chunk(), kChunk);
  REQUIRE(reserve.take(kChunk) == nullptr);
}

}  // namespace
}  // namespace lsmlab::engine::arena_test
