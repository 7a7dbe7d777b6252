#include "engine/files/io_pages.h"

#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "testing/catch.h"

namespace lsmlab::engine::io_pages_test {
namespace {

std::uint64_t address_of(const IoPages& pages) {
  return reinterpret_cast<std::uintptr_t>(pages.data());
}

TEST_CASE("buffers are whole pages, large ones whole huge pages, and can be used to their end") {
  for (const std::uint64_t bytes : {1U, 4096U, 4097U, 100'000U}) {
    const IoPages pages(bytes);
    REQUIRE(pages.room() >= bytes);
    REQUIRE(pages.room() < bytes + 4096);
    REQUIRE(address_of(pages) % 4096 == 0);
    std::memset(pages.data(), 1, pages.room());
  }
  for (const std::uint64_t bytes : {256U << 10, 2U << 20, (2U << 20) + 1, 9U << 20}) {
    const IoPages pages(bytes);
    REQUIRE(pages.room() >= bytes);
    REQUIRE(pages.room() % (2 << 20) == 0);
    REQUIRE(address_of(pages) % (2 << 20) == 0);
    std::memset(pages.data(), 1, pages.room());
  }
  REQUIRE(IoPages(0).data() == nullptr);
}

TEST_CASE("a large buffer that ended is the next one, and two at a time differ") {
  std::uint64_t first_address = 0;
  {
    const IoPages first(256 << 10);
    const IoPages second(256 << 10);
    first_address = address_of(first);
    REQUIRE(address_of(second) != first_address);
  }
  const IoPages next(1 << 20);
  REQUIRE(address_of(next) == first_address);  // the buffer that was destroyed last
}

TEST_CASE("buffers move, and may end on a thread that has never had one") {
  IoPages given(256 << 10);
  std::memset(given.data(), 7, 256 << 10);
  IoPages taken;
  taken = std::move(given);
  std::thread([&taken] {
    IoPages ends(std::move(taken));
    REQUIRE(ends.data()[(256 << 10) - 1] == 7);
  }).join();
  REQUIRE(taken.data() == nullptr);
}

TEST_CASE("a thread's own buffer ends with the thread") {
  std::uint64_t address = 0;
  std::thread([&address] {
    thread_local IoPages own;
    own = IoPages(256 << 10);
    address = address_of(own);
  }).join();
  REQUIRE(address_of(IoPages(256 << 10)) == address);
}

TEST_CASE("what is copied for the device is all there, wherever it begins, and nothing beside it") {
  std::string source;
  for (int i = 0; i < 400; ++i) source.push_back(static_cast<char>(i * 7 + 1));
  const IoPages pages(4096);
  for (std::size_t begin = 0; begin < 20; ++begin) {
    for (const std::size_t length : {0U, 1U, 15U, 16U, 17U, 31U, 33U, 64U, 250U}) {
      CAPTURE(begin, length);
      std::string expected(512, '.');
      std::memcpy(pages.data(), expected.data(), expected.size());
      const std::string_view bytes(source.data() + begin, length);
      copy_for_device(pages.data() + 16 + begin, bytes);
      expected.replace(16 + begin, length, bytes);
      REQUIRE(std::string_view(pages.data(), expected.size()) == expected);
      // From one address to differently aligned ones.
      copy_for_device(pages.data() + 16, bytes);
      REQUIRE(std::string_view(pages.data() + 16, length) == bytes);
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::io_pages_test
