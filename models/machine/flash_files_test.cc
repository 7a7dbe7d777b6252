#include "models/machine/flash_files.h"

#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::flash_files_test {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

FlashTranslation device_of(std::uint64_t pages, std::uint64_t pages_per_block,
                           std::uint32_t spare_permille) {
  FlashGeometry geometry;
  geometry.page_bytes = Bytes(kPageBytes);
  geometry.pages_per_block = pages_per_block;
  geometry.capacity = Bytes(pages * kPageBytes);
  geometry.over_provisioning = Decimal(spare_permille, 1000);
  Result<FlashTranslation> made = FlashTranslation::create(geometry);
  INFO((made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(made).value();
}

void write(FlashFiles& files, std::uint64_t file, std::uint64_t pages) {
  REQUIRE(files.write(FileId(file), Bytes(pages * kPageBytes)).has_value());
}

void remove(FlashFiles& files, std::uint64_t file) {
  REQUIRE(files.remove(FileId(file)).has_value());
}

std::vector<PageRange> extents(const FlashFiles& files, std::uint64_t file) {
  const auto span = files.extents(FileId(file));
  return {span.begin(), span.end()};
}

std::vector<std::uint64_t> pages_of(const FlashFiles& files, std::uint64_t file) {
  std::vector<std::uint64_t> pages;
  for (const PageRange& extent : extents(files, file)) {
    for (std::uint64_t i = 0; i < extent.count; ++i) pages.push_back(extent.first + i);
  }
  return pages;
}

TEST_CASE("a file's last page is padded") {
  FlashFiles files(device_of(100, 8, 300));
  for (const auto& [bytes, pages] : {std::pair{0U, 0U}, {1U, 1U}, {4096U, 1U}, {4097U, 2U}}) {
    const std::uint64_t before = files.device().counters().host_pages;
    REQUIRE(files.write(FileId(bytes), Bytes(bytes)).has_value());
    REQUIRE(files.device().counters().host_pages - before == pages);
    REQUIRE(pages_of(files, bytes).size() == pages);
  }
  REQUIRE(files.free_pages() == 96);
}

TEST_CASE("next fit goes on where the last file ended, first fit at the lowest page") {
  for (const bool is_next : {true, false}) {
    FlashFiles files(device_of(20, 4, 500),
                     {is_next ? FilePlacement::kNextFit : FilePlacement::kFirstFit, true});
    for (std::uint64_t file = 1; file <= 4; ++file) write(files, file, 4);
    remove(files, 1);
    remove(files, 3);
    write(files, 5, 6);
    using Extents = std::vector<PageRange>;
    REQUIRE(extents(files, 5) == (is_next ? Extents{{16, 4}, {0, 2}} : Extents{{0, 4}, {8, 2}}));
    write(files, 6, 5);
    REQUIRE(extents(files, 6) == (is_next ? Extents{{2, 2}, {8, 3}} : Extents{{10, 2}, {16, 3}}));
  }
}

TEST_CASE("holes that touch are one again") {
  FlashFiles files(device_of(16, 4, 500), {FilePlacement::kFirstFit, true});
  for (std::uint64_t file = 1; file <= 4; ++file) write(files, file, 4);
  for (const std::uint64_t file : {1U, 3U, 2U}) remove(files, file);
  write(files, 5, 12);
  REQUIRE(extents(files, 5) == std::vector<PageRange>{{0, 12}});
}

TEST_CASE("what cannot be done is told, and changes nothing") {
  FlashFiles files(device_of(16, 4, 500));
  write(files, 1, 10);
  const FlashCounters before = files.device().counters();
  const auto full = files.write(FileId(2), Bytes(7 * kPageBytes));
  REQUIRE(!full.has_value());
  REQUIRE(full.error().kind == ErrorKind::kInput);
  REQUIRE(full.error().message.find("file 2 needs 7 pages of 4096 bytes, and 6 of 16 are free") !=
          std::string::npos);
  REQUIRE(!files.write(FileId(1), Bytes(1)).has_value());
  REQUIRE(!files.remove(FileId(2)).has_value());
  REQUIRE(files.device().counters() == before);
  REQUIRE(files.free_pages() == 6);
  write(files, 2, 6);
  remove(files, 1);
  REQUIRE(!files.remove(FileId(1)).has_value());
  REQUIRE(files.free_pages() == 10);
}

TEST_CASE("only with TRIM does the device know what has been removed") {
  for (const bool is_trimming : {true, false}) {
    FlashFiles files(device_of(64, 8, 300), {FilePlacement::kNextFit, is_trimming});
    write(files, 1, 20);
    write(files, 2, 10);
    remove(files, 1);
    REQUIRE(files.device().valid_pages() == (is_trimming ? 10 : 30));
    REQUIRE(files.device().counters().trimmed_pages == (is_trimming ? 20 : 0));
    REQUIRE(files.free_pages() == 54);
  }
}

// An oracle that finds the pages of a file one by one.
class NaiveSpace {
 public:
  NaiveSpace(std::uint64_t pages, FilePlacement placement)
      : is_used_(pages), placement_(placement) {}
  std::vector<std::uint64_t> take(std::uint64_t count) {
    std::vector<std::uint64_t> taken;
    std::uint64_t page = placement_ == FilePlacement::kNextFit ? cursor_ : 0;
    for (; taken.size() < count; ++page) {
      if (is_used_[page % is_used_.size()]) continue;
      taken.push_back(page % is_used_.size());
      is_used_[page % is_used_.size()] = true;
      cursor_ = page + 1;
    }
    return taken;
  }
  void give_back(const std::vector<std::uint64_t>& pages) {
    for (const std::uint64_t page : pages) is_used_[page] = false;
  }

 private:
  std::vector<bool> is_used_;
  FilePlacement placement_;
  std::uint64_t cursor_ = 0;
};

TEST_CASE("files take the pages that a naive search finds") {
  const std::uint64_t seed = 8;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 100; ++round) {
    INFO("seed " << seed << ", round " << round);
    const std::uint64_t pages = 20 + random() % 100;
    const auto placement = random() % 2 == 0 ? FilePlacement::kNextFit : FilePlacement::kFirstFit;
    FlashFiles files(device_of(pages, 4, 900), {placement, random() % 2 == 0});
    NaiveSpace space(pages, placement);
    std::map<std::uint64_t, std::vector<std::uint64_t>> live;
    std::uint64_t used_pages = 0;
    for (std::uint64_t file = 0; file < 300; ++file) {
      const std::uint64_t size = random() % (pages / 4);
      if (used_pages + size <= pages) {
        write(files, file, size);
        live[file] = space.take(size);
        used_pages += size;
        REQUIRE(pages_of(files, file) == live[file]);
      } else {
        REQUIRE(!files.write(FileId(file), Bytes(size * kPageBytes)).has_value());
      }
      while (!live.empty() && random() % 2 == 0) {
        const auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
        remove(files, victim->first);
        space.give_back(victim->second);
        used_pages -= victim->second.size();
        live.erase(victim);
      }
      REQUIRE(files.free_pages() == pages - used_pages);
    }
    for (const auto& [file, taken] : live) REQUIRE(pages_of(files, file) == taken);
  }
}

constexpr std::uint64_t kBlockPages = 64;

// Write amplification while files of one page replace each other at random, and three quarters of
// the capacity are used. `is_old`: the device was full before.
double replacing_write_amplification(FlashFilesOptions options, bool is_old) {
  constexpr std::uint64_t kPages = 256 * kBlockPages;
  FlashTranslation device = device_of(kPages, kBlockPages, 100);
  if (is_old) device.write({0, kPages});
  FlashFiles files(std::move(device), options);
  std::vector<std::uint64_t> live(kPages * 3 / 4);
  std::uint64_t last = 0;
  for (std::uint64_t& file : live) write(files, file = ++last, 1);
  std::mt19937_64 random(9);
  const auto replace = [&] {
    bool is_done = true;  // asserted once, because half a million assertions take a second
    for (std::uint64_t i = 0; i < 2 * kPages; ++i) {
      std::uint64_t& file = live[random() % live.size()];
      is_done = is_done && files.remove(FileId(file)).has_value();
      is_done = is_done && files.write(FileId(file = ++last), Bytes(kPageBytes)).has_value();
    }
    REQUIRE(is_done);
  };
  replace();
  const FlashCounters before = files.device().counters();
  replace();
  return (files.device().counters() - before).write_amplification();
}

TEST_CASE("with TRIM what files leave free is spare space, without it only what is never used") {
  const double trimmed = greedy_write_amplification(1.1 / 0.75 - 1, kBlockPages);
  const double around = replacing_write_amplification({FilePlacement::kNextFit, true}, false);
  REQUIRE(around == Approx(trimmed).epsilon(0.015));
  REQUIRE(around == replacing_write_amplification({FilePlacement::kFirstFit, true}, false));
  REQUIRE(replacing_write_amplification({FilePlacement::kFirstFit, false}, false) ==
          Approx(trimmed).epsilon(0.015));
  REQUIRE(replacing_write_amplification({FilePlacement::kNextFit, false}, false) > 1.2 * trimmed);
  REQUIRE(replacing_write_amplification({FilePlacement::kFirstFit, false}, true) > 1.5 * trimmed);
}

TEST_CASE("files that leave in the order that they came in move nothing") {
  FlashFiles files(device_of(64 * 64, 64, 100));
  for (std::uint64_t file = 0; file < 2000; ++file) {
    if (file >= 90) remove(files, file - 90);
    write(files, file, 45);
  }
  REQUIRE(files.device().counters().write_amplification() == 1);
}

}  // namespace
}  // namespace lsmlab::flash_files_test
