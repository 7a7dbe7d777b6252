// A flash translation layer: it counts the pages that an SSD writes to flash for its host's writes.
//
// Flash is programmed page by page and erased block by block. So an overwrite goes to a fresh page
// and leaves the old one stale. A page map finds the current copy. If no erased block is left
// beyond the reserve, garbage collection takes the full block with the fewest valid pages (greedy),
// appends these pages to the log and erases the block. The model is that of Xiang and Kurkoski, "An
// Improved Analytical Expression for Write Amplification in NAND Flash", arXiv 1110.4245. Their
// closed form holds for host writes that are uniform over a full device. This class takes any
// sequence of writes and TRIMs.
//
// Of several victims with equally few valid pages, the one is taken that has had that number for
// the longest. Blocks are reused in the order of their erasure. No block is moved merely to even
// out wear. The map and its copies on flash cost nothing here, and no block goes bad.
//
// All but the figures is integer arithmetic. A page costs O(1) amortised and about 8 bytes of
// memory. Not thread safe.
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

/// Where garbage collection writes the valid pages of a victim.
enum class FlashFrontiers {
  kOne,  // after the host's pages, as in the closed form
  // In blocks of their own, so that long-lived data is not mixed with new data again. This reduces
  // write amplification if lifetimes differ, and needs one more open block.
  kSeparate,
};

struct FlashGeometry {
  // Size of a page, which is mapped and programmed as a whole. Host writes are rounded up to it.
  // 512..1048576. Larger: a smaller map, and more padding of small writes.
  Bytes page_bytes{16 << 10};
  // Pages of a block, which is erased as a whole. If the device stripes superblocks over its dies:
  // pages of a superblock. 1..4194304. More: files share blocks with more files that outlive them.
  // The default makes blocks of 16 MiB, about one die's.
  std::uint64_t pages_per_block = 1024;
  // The size that the host sees. An incomplete last page is not used. At least one page; with the
  // spare flash at most 2^31 pages.
  Bytes capacity{std::uint64_t{64} << 30};
  // Spare flash as a share of the capacity, rounded up to a whole block. It must suffice for the
  // reserve and a stale block. More: less write amplification, for a higher price. A GiB of flash
  // that is sold as a GB leaves 7 %.
  Decimal over_provisioning{7, 100};
  // Erasures that a block endures: some 3,000 for flash with three bits per cell. At least 1.
  std::uint64_t erase_cycles = 3000;
  // The reserve: blocks that host writes leave erased, at least 1. In this model a collection takes
  // no time, so a larger reserve only costs spare space.
  std::uint64_t gc_free_blocks = 1;
  FlashFrontiers frontiers = FlashFrontiers::kOne;

  /// Every fault; none: the geometry can be used. The spare space must leave garbage collection a
  /// block with a stale page even if the device is full.
  [[nodiscard]] std::vector<std::string> validate() const;

  // REQUIRES for all of these: no faults.
  [[nodiscard]] std::uint64_t logical_pages() const;
  [[nodiscard]] std::uint64_t blocks() const;
  [[nodiscard]] std::uint64_t physical_pages() const { return blocks() * pages_per_block; }
  /// (physical - logical) / logical pages: the actual over-provisioning, in whole blocks.
  [[nodiscard]] double spare_share() const;
};

struct PageRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  friend bool operator==(const PageRange&, const PageRange&) = default;
};

/// Counts since the device was made. The difference of two counts is that of the time between.
struct FlashCounters {
  std::uint64_t host_pages = 0;       // written by the host
  std::uint64_t relocated_pages = 0;  // written again by garbage collection
  std::uint64_t erased_blocks = 0;
  std::uint64_t trimmed_pages = 0;  // only pages that were mapped

  [[nodiscard]] std::uint64_t flash_pages() const { return host_pages + relocated_pages; }
  /// Pages written to flash / pages written by the host; 0 if the host wrote none.
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
  /// Inserts a block after all blocks with as many valid pages. REQUIRES: it is not contained.
  void insert(std::uint32_t block, std::uint32_t valid_pages);
  /// REQUIRES: it is contained.
  void remove(std::uint32_t block);
  /// The first of the blocks with the fewest valid pages. REQUIRES: there is a block.
  [[nodiscard]] std::uint32_t fewest();

 private:
  // Linked rings, one for each number of valid pages. Nodes are the blocks, followed by one
  // permanent node for each ring. A block that is not contained is a ring of its own.
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

  // These three are for oracles. REQUIRES: the page or block exists.

  /// Block * pages_per_block + place in the block. Nothing: the page is not mapped.
  [[nodiscard]] std::optional<std::uint64_t> physical_page(std::uint64_t logical_page) const;
  [[nodiscard]] std::uint64_t valid_pages_of(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t erases_of(std::uint64_t block) const;

 private:
  // The pages of an open block that are not programmed yet; none at first.
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
  /// Returns how many of the pages were mapped.
  std::uint64_t make_stale(PageRange pages);
  void drop_valid(std::uint32_t block, std::uint32_t count);

  FlashGeometry geometry_;
  std::uint32_t pages_per_block_;
  std::vector<std::uint32_t> physical_of_;  // by logical page
  std::vector<std::uint32_t> logical_of_;   // by physical page: the last logical page written there
  std::vector<std::uint32_t> valid_;        // by block
  std::vector<std::uint32_t> erases_;       // by block
  FlashVictims victims_;
  std::deque<std::uint32_t> free_;  // erased blocks, in the order of their erasure
  Frontier host_;
  Frontier relocation_;  // for FlashFrontiers::kSeparate
  FlashCounters counters_;
  std::uint64_t valid_pages_sum_ = 0;
};

/// Write amplification of greedy garbage collection if host writes are uniform over a full device,
/// in the limit of many blocks of many pages: (1 + r) / (1 + r + W(-(1 + r) e^-(1 + r))). W is the
/// principal branch of Lambert's function, r the spare share (arXiv 1110.4245). The same bits on
/// every machine. REQUIRES: 1e-9 <= spare_share, finite.
[[nodiscard]] double greedy_write_amplification(double spare_share);

/// The same for blocks of pages_per_block pages, still in the limit of many blocks: up to 7 % less
/// for 64 pages. O(pages_per_block). REQUIRES: as above; pages_per_block >= 1.
[[nodiscard]] double greedy_write_amplification(double spare_share, std::uint64_t pages_per_block);

struct FlashLifetime {
  double drive_writes_per_day = 0;  // bytes that the host writes in a day / capacity
  double host_bytes_max = 0;        // bytes that the host can write until blocks are worn out
  double years = 0;                 // years of 365 days until then
};

/// Blocks are worn out when they have been erased `erase_cycles` times in the mean. This assumes
/// that wear is even, and that a block's worth of writes follows each erasure. REQUIRES: a geometry
/// without faults; a rate above 0 and a write amplification of at least 1, both finite.
[[nodiscard]] FlashLifetime flash_lifetime(const FlashGeometry& geometry,
                                           double host_bytes_per_second,
                                           double write_amplification);

}  // namespace lsmlab
