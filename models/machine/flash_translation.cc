#include "models/machine/flash_translation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kPageBytesMin = 512;
constexpr std::uint64_t kPageBytesMax = 1 << 20;
constexpr std::uint64_t kPagesPerBlockMax = 1 << 22;
// Page numbers have 32 bits; one number means no page. The limit of 2^31 lets 32 bits also number
// blocks and rings of blocks together.
constexpr std::uint64_t kPhysicalPagesMax = std::uint64_t{1} << 31;
constexpr std::uint32_t kNotMapped = std::numeric_limits<std::uint32_t>::max();

constexpr double kSecondsPerDay = 86'400;
constexpr double kDaysPerYear = 365;

// REQUIRES: page_bytes and pages_per_block are above 0.
Uint128 blocks_of(const FlashGeometry& geometry) {
  const Decimal& share = geometry.over_provisioning;
  const Uint128 block_parts = Uint128{geometry.pages_per_block} * share.denominator();
  const Uint128 page_parts =
      Uint128{geometry.logical_pages()} * (share.denominator() + share.numerator());
  return (page_parts + block_parts - 1) / block_parts;
}

void check_range(std::vector<std::string>& faults, const char* name, std::uint64_t value,
                 std::uint64_t min, std::uint64_t max) {
  if (value >= min && value <= max) return;
  faults.push_back(fmt::format("{}={} is out of range; expected {}..{}", name, value, min, max));
}

}  // namespace

std::vector<std::string> FlashGeometry::validate() const {
  std::vector<std::string> faults;
  check_range(faults, "flash_page", page_bytes.value(), kPageBytesMin, kPageBytesMax);
  check_range(faults, "flash_block_pages", pages_per_block, 1, kPagesPerBlockMax);
  check_range(faults, "gc_free_blocks", gc_free_blocks, 1, kPhysicalPagesMax);
  check_range(faults, "flash_erase_cycles", erase_cycles, 1,
              std::numeric_limits<std::uint32_t>::max());
  if (page_bytes.value() == 0 || pages_per_block == 0) return faults;
  if (capacity < page_bytes) {
    faults.push_back(fmt::format("flash_capacity={} holds no page of flash_page={}",
                                 capacity.value(), page_bytes.value()));
    return faults;
  }
  const Uint128 all_blocks = blocks_of(*this);
  if (all_blocks * pages_per_block > kPhysicalPagesMax) {
    faults.push_back(fmt::format(
        "flash_capacity={} with flash_over_provisioning={} takes more than {} pages; expected a "
        "smaller capacity, or larger pages than flash_page={}",
        capacity.value(), over_provisioning.text(), kPhysicalPagesMax, page_bytes.value()));
    return faults;
  }
  // While a block is collected, the reserve and the open block may hold no page. If all other
  // blocks hold more pages than the host has, one of their pages is stale.
  const std::uint64_t open = frontiers == FlashFrontiers::kSeparate ? 1 : 0;
  const std::uint64_t data_blocks = logical_pages() / pages_per_block + 1;
  if (all_blocks < Uint128{data_blocks} + gc_free_blocks + open) {
    faults.push_back(fmt::format(
        "flash_over_provisioning={} of flash_capacity={} makes {} block{}; expected at least {}, "
        "{} "
        "beyond those for data, so that garbage can always be collected",
        over_provisioning.text(), capacity.value(), static_cast<std::uint64_t>(all_blocks),
        all_blocks == 1 ? "" : "s", data_blocks + gc_free_blocks + open, gc_free_blocks + open));
  }
  return faults;
}

std::uint64_t FlashGeometry::logical_pages() const { return capacity.value() / page_bytes.value(); }

std::uint64_t FlashGeometry::blocks() const { return static_cast<std::uint64_t>(blocks_of(*this)); }

double FlashGeometry::spare_share() const {
  return static_cast<double>(physical_pages() - logical_pages()) /
         static_cast<double>(logical_pages());
}

double FlashCounters::write_amplification() const {
  return host_pages == 0 ? 0.0
                         : static_cast<double>(flash_pages()) / static_cast<double>(host_pages);
}

FlashCounters operator-(const FlashCounters& later, const FlashCounters& earlier) {
  return {later.host_pages - earlier.host_pages, later.relocated_pages - earlier.relocated_pages,
          later.erased_blocks - earlier.erased_blocks, later.trimmed_pages - earlier.trimmed_pages};
}

FlashVictims::FlashVictims(std::uint64_t blocks, std::uint64_t pages_per_block)
    : next_(blocks + pages_per_block + 1),
      previous_(next_.size()),
      blocks_(static_cast<std::uint32_t>(blocks)) {
  std::iota(next_.begin(), next_.end(), 0U);
  std::iota(previous_.begin(), previous_.end(), 0U);
}

void FlashVictims::insert(std::uint32_t block, std::uint32_t valid_pages) {
  const std::uint32_t ring = blocks_ + valid_pages;
  next_[block] = ring;
  previous_[block] = previous_[ring];
  next_[previous_[ring]] = block;
  previous_[ring] = block;
  valid_pages_min_ = std::min(valid_pages_min_, valid_pages);
}

void FlashVictims::remove(std::uint32_t block) {
  next_[previous_[block]] = next_[block];
  previous_[next_[block]] = previous_[block];
  next_[block] = previous_[block] = block;
}

// Amortised O(1): the minimum rises only as far as it fell before. It falls by one for each page
// that becomes stale, and by at most a block's pages for each block that becomes full.
std::uint32_t FlashVictims::fewest() {
  while (next_[blocks_ + valid_pages_min_] == blocks_ + valid_pages_min_) {
    ++valid_pages_min_;
    CHECK(blocks_ + valid_pages_min_ < next_.size());
  }
  return next_[blocks_ + valid_pages_min_];
}

Result<FlashTranslation> FlashTranslation::create(const FlashGeometry& geometry) {
  const std::vector<std::string> faults = geometry.validate();
  if (!faults.empty()) return input_error(fmt::format("flash: {}", fmt::join(faults, "; ")));
  return FlashTranslation(geometry);
}

FlashTranslation::FlashTranslation(const FlashGeometry& geometry)
    : geometry_(geometry),
      pages_per_block_(static_cast<std::uint32_t>(geometry.pages_per_block)),
      physical_of_(geometry.logical_pages(), kNotMapped),
      logical_of_(geometry.physical_pages(), kNotMapped),
      valid_(geometry.blocks()),
      erases_(geometry.blocks()),
      victims_(geometry.blocks(), geometry.pages_per_block),
      free_(geometry.blocks()) {
  std::iota(free_.begin(), free_.end(), 0U);
}

void FlashTranslation::require_inside(PageRange pages) const {
  CHECK(pages.first <= physical_of_.size());
  CHECK(pages.count <= physical_of_.size() - pages.first);
}

void FlashTranslation::write(PageRange pages) {
  require_inside(pages);
  counters_.host_pages += pages.count;
  while (pages.count > 0) {
    if (host_.is_full()) make_room();
    const std::uint64_t count = std::min<std::uint64_t>(pages.count, host_.end - host_.next);
    make_stale({pages.first, count});
    valid_pages_sum_ += count;
    place(host_, static_cast<std::uint32_t>(pages.first), static_cast<std::uint32_t>(count));
    pages.first += count;
    pages.count -= count;
  }
}

void FlashTranslation::trim(PageRange pages) {
  require_inside(pages);
  counters_.trimmed_pages += make_stale(pages);
  std::fill_n(physical_of_.begin() + static_cast<std::ptrdiff_t>(pages.first), pages.count,
              kNotMapped);
}

// Collects until the host's frontier has a free page. With one frontier, collected pages may open a
// block themselves; the host continues in it.
void FlashTranslation::make_room() {
  while (host_.is_full()) {
    if (free_.size() > geometry_.gc_free_blocks) {
      open_block(host_);
    } else {
      collect();
    }
  }
}

void FlashTranslation::open_block(Frontier& frontier) {
  CHECK(!free_.empty());
  frontier.next = free_.front() * pages_per_block_;
  frontier.end = frontier.next + pages_per_block_;
  free_.pop_front();
}

void FlashTranslation::collect() {
  Frontier& frontier = geometry_.frontiers == FlashFrontiers::kOne ? host_ : relocation_;
  const std::uint32_t victim = victims_.fewest();
  CHECK(valid_[victim] < pages_per_block_);
  victims_.remove(victim);
  counters_.relocated_pages += valid_[victim];
  std::uint32_t page = victim * pages_per_block_;
  for (std::uint32_t left = valid_[victim]; left > 0; ++page) {
    if (physical_of_[logical_of_[page]] != page) continue;
    if (frontier.is_full()) open_block(frontier);
    place(frontier, logical_of_[page], 1);
    --left;
  }
  valid_[victim] = 0;
  ++erases_[victim];
  ++counters_.erased_blocks;
  free_.push_back(victim);
}

void FlashTranslation::place(Frontier& frontier, std::uint32_t logical, std::uint32_t count) {
  const std::uint32_t block = block_of(frontier.next);
  for (std::uint32_t i = 0; i < count; ++i) {
    physical_of_[logical + i] = frontier.next + i;
    logical_of_[frontier.next + i] = logical + i;
  }
  valid_[block] += count;
  frontier.next += count;
  if (frontier.is_full()) victims_.insert(block, valid_[block]);
}

std::uint64_t FlashTranslation::make_stale(PageRange pages) {
  // Pages that were written together are mostly adjacent, so a block is updated once for a run of
  // them.
  std::uint64_t mapped = 0;
  const std::uint64_t end = pages.first + pages.count;
  for (std::uint64_t page = pages.first; page < end;) {
    const std::uint32_t first = physical_of_[page++];
    if (first == kNotMapped) continue;
    const std::uint32_t block = block_of(first);
    const std::uint32_t run_end = (block + 1) * pages_per_block_;
    std::uint32_t next = first + 1;
    while (page < end && next < run_end && physical_of_[page] == next) {
      ++page;
      ++next;
    }
    drop_valid(block, next - first);
    mapped += next - first;
  }
  return mapped;
}

void FlashTranslation::drop_valid(std::uint32_t block, std::uint32_t count) {
  CHECK(count <= valid_[block]);
  valid_[block] -= count;
  valid_pages_sum_ -= count;
  if (!victims_.contains(block)) return;
  victims_.remove(block);
  victims_.insert(block, valid_[block]);
}

FlashWear FlashTranslation::wear() const {
  const auto [least, most] = std::minmax_element(erases_.begin(), erases_.end());
  return {*least,
          static_cast<double>(counters_.erased_blocks) / static_cast<double>(erases_.size()),
          *most};
}

std::optional<std::uint64_t> FlashTranslation::physical_page(std::uint64_t logical_page) const {
  require_inside({logical_page, 1});
  const std::uint32_t physical = physical_of_[logical_page];
  if (physical == kNotMapped) return std::nullopt;
  return physical;
}

std::uint64_t FlashTranslation::valid_pages_of(std::uint64_t block) const {
  CHECK(block < valid_.size());
  return valid_[block];
}

std::uint64_t FlashTranslation::erases_of(std::uint64_t block) const {
  CHECK(block < erases_.size());
  return erases_[block];
}

double greedy_write_amplification(double spare_share) {
  // Let s < 1 be the share of valid pages in a victim. W(-a e^-a) = -a s means s = e^(-a (1 - s)),
  // and the formula is 1 / (1 - s). With u = 1 - s that is u = 1 - e^(-a u). The difference of both
  // sides is convex, so Newton's method falls from 1 to the right root without passing it.
  CHECK(spare_share >= 1e-9 && std::isfinite(spare_share));
  const double a = 1 + spare_share;
  double u = 1;
  while (true) {
    const double power = portable_expm1(-a * u);
    const double next = u - (u + power) / (1 - a * (1 + power));
    if (!(next < u)) return 1 / u;
    u = next;
  }
}

double greedy_write_amplification(double spare_share, std::uint64_t pages_per_block) {
  // Let r blocks of b pages be collected for each page that the host writes. There are N blocks and
  // U logical pages; X_i blocks have i valid pages. A block with i valid pages loses one at rate i
  // / U. All blocks start with b valid pages. Let j be the fewest that any block has: a block that
  // falls below j is collected at once. So i X_i / U = r for i > j, and j X_j / U = a <= r; the
  // rest of r is collected with j valid pages.
  //   blocks:  N / U = (1 + share) / b = sum over i > j of r / i, + a / j
  //   pages:   1 = r b - r j + a, the pages that collections free
  // Both equations give r for each j. The right j is the one with a <= r. If there is none, blocks
  // lose all pages before they are collected.
  CHECK(spare_share >= 1e-9 && std::isfinite(spare_share) && pages_per_block >= 1);
  const auto b = static_cast<double>(pages_per_block);
  double harmonic = 0;  // sum over i > j of 1 / i
  for (double j = b - 1; j >= 1; --j) {
    harmonic += 1 / (j + 1);
    const double r = (1 / j - (1 + spare_share) / b) / ((b - j) / j - harmonic);
    if (1 - r * (b - j) <= r) return r * b;
  }
  return 1;
}

FlashLifetime flash_lifetime(const FlashGeometry& geometry, double host_bytes_per_second,
                             double write_amplification) {
  CHECK(host_bytes_per_second > 0 && std::isfinite(host_bytes_per_second));
  CHECK(write_amplification >= 1 && std::isfinite(write_amplification));
  const double physical_bytes = static_cast<double>(geometry.physical_pages()) *
                                static_cast<double>(geometry.page_bytes.value());
  const double host_bytes_max =
      physical_bytes * static_cast<double>(geometry.erase_cycles) / write_amplification;
  const double host_bytes_per_day = host_bytes_per_second * kSecondsPerDay;
  return {host_bytes_per_day / static_cast<double>(geometry.capacity.value()), host_bytes_max,
          host_bytes_max / host_bytes_per_day / kDaysPerYear};
}

}  // namespace lsmlab
