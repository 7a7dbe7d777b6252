// A flash translation layer: what an SSD writes to flash for what its host writes to it.
//
// Flash is programmed page by page and erased block by block, so an overwrite goes to a fresh page
// and leaves the old one stale. A page map finds the current copy. Where no block is left beyond
// the reserve, garbage collection takes the full block with the fewest valid pages (greedy),
// appends those to the log and erases the block. Model of Xiang and Kurkoski, "An Improved
// Analytical Expression for Write Amplification in NAND Flash", arXiv 1110.4245, whose closed form
// holds for host writes that are uniform over a full device; here writes and TRIMs are as they
// come.
//
// Ties between victims go to the block that has had its number of valid pages for the longest, and
// blocks are reused in the order of their erasure; no block is moved merely to even out wear. The
// map and its copies on flash are taken as free, and no block goes bad.
//
// Everything but the figures is integer arithmetic. A page costs O(1) amortised; memory is about 8
// bytes a page. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/error.h"
#include "models/base/units.h"

namespace lsmlab {

/// Where garbage collection puts the pages that it saves.
enum class FlashFrontiers {
  kOne,  // behind the host's pages, as in the closed form
  // In blocks of their own, so that long-lived data is not mixed again with what the host writes:
  // less write amplification where lifetimes differ, for one more block that is open.
  kSeparate,
};

struct FlashGeometry {
  // What is mapped and programmed as a whole, so what a host write is rounded up to.
  // 512..1048576. Larger: a smaller map, and more padding of small writes.
  Bytes page_bytes{16 << 10};
  // What is erased as a whole; for a device that stripes a superblock over its dies, that of the
  // superblock. 1..4194304. More: files share blocks with more files that outlive them. The default
  // makes blocks of 16 MiB, about one die's.
  std::uint64_t pages_per_block = 1024;
  // What the host sees; a last part of a page is not used. At least a page, and with the spare
  // flash at most 2^31 pages.
  Bytes capacity{std::uint64_t{64} << 30};
  // Spare flash as a share of the capacity, rounded up to a whole block; enough for the reserve and
  // a stale block. More: less write amplification, for a higher price. 7% is what a GiB of flash
  // sold as a GB leaves.
  Decimal over_provisioning{7, 100};
  // Erasures that a block endures: some 3,000 for flash of three bits a cell. At least 1.
  std::uint64_t erase_cycles = 3000;
  // Blocks that host writes leave erased, at least 1. More than that only costs spare space here,
  // where a collection takes no time.
  std::uint64_t gc_free_blocks = 1;
  FlashFrontiers frontiers = FlashFrontiers::kOne;

  /// Every fault; none: the geometry can be used. Spare space must leave garbage collection a block
  /// with a stale page however full the device is.
  [[nodiscard]] std::vector<std::string> validate() const;

  // REQUIRES for all of these: no faults.
  [[nodiscard]] std::uint64_t logical_pages() const;
  [[nodiscard]] std::uint64_t blocks() const;
  [[nodiscard]] std::uint64_t physical_pages() const { return blocks() * pages_per_block; }
  /// (physical - logical) / logical pages: over-provisioning as it is, in whole blocks.
  [[nodiscard]] double spare_share() const;
};

struct PageRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  friend bool operator==(const PageRange&, const PageRange&) = default;
};

/// Differences of two of them are the counts of what came between.
struct FlashCounters {
  std::uint64_t host_pages = 0;       // written by the host
  std::uint64_t relocated_pages = 0;  // written again by garbage collection
  std::uint64_t erased_blocks = 0;
  std::uint64_t trimmed_pages = 0;  // that were mapped

  [[nodiscard]] std::uint64_t flash_pages() const { return host_pages + relocated_pages; }
  /// Pages written to flash / pages written by the host, 0 where there are none.
  [[nodiscard]] double write_amplification() const;
  friend bool operator==(const FlashCounters&, const FlashCounters&) = default;
};
[[nodiscard]] FlashCounters operator-(const FlashCounters& later, const FlashCounters& earlier);

/// Erasures of a block so far.
struct FlashWear {
  std::uint64_t erases_min = 0;
  double erases_mean = 0;
  std::uint64_t erases_max = 0;
};

/// Full blocks by their number of valid pages.
class FlashVictims {
 public:
  FlashVictims(std::uint64_t blocks, std::uint64_t pages_per_block);
  [[nodiscard]] bool contains(std::uint32_t block) const { return next_[block] != block; }
  /// Behind all that have as many. REQUIRES: it is not contained.
  void insert(std::uint32_t block, std::uint32_t valid_pages);
  /// REQUIRES: it is contained.
  void remove(std::uint32_t block);
  /// The first of those with the fewest. REQUIRES: there are some.
  [[nodiscard]] std::uint32_t fewest();

 private:
  // Rings by links: nodes are the blocks, then for each number of valid pages one that is always
  // there. A block that is in no ring is one of its own.
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::uint32_t blocks_;
  std::uint32_t valid_pages_min_ = 0;  // no block has fewer
};

class FlashTranslation {
 public:
  /// An erased device. Errors: all faults of the geometry.
  [[nodiscard]] static Result<FlashTranslation> create(const FlashGeometry& geometry);

  /// Writes whole pages, in order. REQUIRES: they are below logical_pages().
  void write(PageRange pages);
  /// Tells the device that nobody will read these pages again. REQUIRES: as for write().
  void trim(PageRange pages);

  [[nodiscard]] const FlashGeometry& geometry() const { return geometry_; }
  [[nodiscard]] const FlashCounters& counters() const { return counters_; }
  [[nodiscard]] FlashWear wear() const;
  /// Pages that were written and not trimmed since.
  [[nodiscard]] std::uint64_t valid_pages() const { return valid_pages_sum_; }
  [[nodiscard]] std::uint64_t free_blocks() const { return free_.size(); }

  // What oracles compare. REQUIRES: the page or block exists.
  /// Block times pages per block plus place in it; nothing where it is not mapped.
  [[nodiscard]] std::optional<std::uint64_t> physical_page(std::uint64_t logical_page) const;
  [[nodiscard]] std::uint64_t valid_pages_of(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t erases_of(std::uint64_t block) const;

 private:
  // The pages of an open block that are still to be programmed; none at first.
  struct Frontier {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    [[nodiscard]] bool is_full() const { return next == end; }
  };

  explicit FlashTranslation(const FlashGeometry& geometry);
  void require_inside(PageRange pages) const;
  [[nodiscard]] std::uint32_t block_of(std::uint32_t physical) const {
    return physical / pages_per_block_;
  }
  void make_room();
  void open_block(Frontier& frontier);
  void collect();
  void place(Frontier& frontier, std::uint32_t logical, std::uint32_t count);
  /// How many of the pages were mapped.
  std::uint64_t make_stale(PageRange pages);
  void drop_valid(std::uint32_t block, std::uint32_t count);

  FlashGeometry geometry_;
  std::uint32_t pages_per_block_;
  std::vector<std::uint32_t> physical_of_;  // by logical page
  std::vector<std::uint32_t> logical_of_;   // by physical page: the last one written there
  std::vector<std::uint32_t> valid_;        // by block
  std::vector<std::uint32_t> erases_;       // by block
  FlashVictims victims_;
  std::deque<std::uint32_t> free_;  // erased blocks, first erased first
  Frontier host_;
  Frontier relocation_;  // of FlashFrontiers::kSeparate
  FlashCounters counters_;
  std::uint64_t valid_pages_sum_ = 0;
};

/// Write amplification of greedy garbage collection under host writes uniform over a full device,
/// in the limit of many blocks of many pages: (1 + r) / (1 + r + W(-(1 + r) e^-(1 + r))) with W the
/// principal branch of Lambert's function and r the spare share (arXiv 1110.4245). The same bits on
/// every machine. REQUIRES: 1e-9 <= spare_share, finite.
[[nodiscard]] double greedy_write_amplification(double spare_share);

/// The same for blocks of so many pages, still in the limit of many blocks: up to 7% less for 64
/// pages. O(pages_per_block). REQUIRES: as above; pages_per_block >= 1.
[[nodiscard]] double greedy_write_amplification(double spare_share, std::uint64_t pages_per_block);

struct FlashLifetime {
  double drive_writes_per_day = 0;  // what the host writes in a day / capacity
  double host_bytes_max = 0;        // that the host can write until blocks are worn out
  double years = 0;                 // of 365 days, until then
};

/// Blocks are worn out when they have been erased `erase_cycles` times in the mean: as if wear were
/// even, and each erasure followed by a block's worth of writes. REQUIRES: a geometry without
/// faults; a rate above 0 and a write amplification of at least 1, finite.
[[nodiscard]] FlashLifetime flash_lifetime(const FlashGeometry& geometry,
                                           double host_bytes_per_second,
                                           double write_amplification);

}  // namespace lsmlab
