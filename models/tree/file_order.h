// Orderings of a level's files that a tree keeps for its policy: "least overlap with the next level
// first", "oldest tombstone first". A policy declares the orderings that it asks for
// (Policy::orderings()); the tree brings them up to date with every edit; the policy reads the
// first files. A policy so looks at a few files of a level, however many there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/tree/cow_sequence.h"
#include "models/tree/file.h"
#include "models/tree/no_summary.h"

namespace lsmlab {

/// A number, or a quotient that is compared exactly. Smaller comes first.
struct FileRank {
  std::uint64_t number = 0;
  std::uint64_t divisor = 1;  // above 0
  friend std::strong_ordering operator<=>(const FileRank& a, const FileRank& b) {
    if (a.divisor == b.divisor) return a.number <=> b.number;
    return Uint128{a.number} * b.divisor <=> Uint128{b.number} * a.divisor;
  }
  friend bool operator==(const FileRank& a, const FileRank& b) { return (a <=> b) == 0; }
};

/// What files are ordered by: the first number first, later ones where earlier ones are equal.
using FileRanks = std::array<FileRank, 6>;

struct FileOrdering {
  std::string name;  // for tests and messages
  /// The ranks of a file, or nothing where the ordering leaves it out. May look at anything of the
  /// file but `busy`.
  std::function<std::optional<FileRanks>(const File&)> ranks;
  /// Levels below whose overlaps it looks at: 0, 1 or 2.
  std::uint32_t levels_below = 0;
  bool by_access = false;  // it looks at last_access
  bool by_seeks = false;   // it looks at seeks
  bool by_age = false;     // it looks at sequences
};

/// A file's ranks in a form that takes little memory and is compared fast: quotients in 2^-64ths.
/// That tells any two quotients apart whose divisors are below 2^32.
class PackedRanks {
 public:
  PackedRanks() = default;
  explicit PackedRanks(const FileRanks& ranks);

  /// The first rank, rounded down.
  [[nodiscard]] std::uint64_t first_number() const {
    return static_cast<std::uint64_t>(first_ >> 64);
  }
  friend std::strong_ordering operator<=>(const PackedRanks& a, const PackedRanks& b) {
    if (a.first_ != b.first_) return a.first_ <=> b.first_;
    return a.more_ == b.more_ ? std::strong_ordering::equal : compare_more(a, b);
  }
  friend bool operator==(const PackedRanks& a, const PackedRanks& b) { return (a <=> b) == 0; }

 private:
  using More = std::array<Uint128, std::tuple_size_v<FileRanks> - 1>;
  static std::strong_ordering compare_more(const PackedRanks& a, const PackedRanks& b);

  Uint128 first_ = 0;
  std::shared_ptr<const More> more_;  // null where all are 0
};

/// A file's place in an ordering. Files of equal ranks follow by smallest key, then the newer
/// first.
struct OrderedFile {
  PackedRanks ranks;
  std::uint64_t smallest_key = 0;
  FileId id;
  friend std::strong_ordering operator<=>(const OrderedFile& a, const OrderedFile& b) {
    const std::strong_ordering order = a.ranks <=> b.ranks;
    if (order != 0) return order;
    if (a.smallest_key != b.smallest_key) return a.smallest_key <=> b.smallest_key;
    return b.id <=> a.id;
  }
  friend bool operator==(const OrderedFile& a, const OrderedFile& b) { return (a <=> b) == 0; }
};

struct FileOrderTraits {
  using Item = OrderedFile;
  using Key = OrderedFile;
  static constexpr bool kKeysInLeaves = false;  // an item is its key
  using Summary = NoSummary;
  static const Key& key_of(const Item& item) { return item; }
  static Summary summary_of(const Item& /*item*/) { return {}; }
  static Summary::Extremes extremes_of(const Item& /*item*/) { return {}; }
};

/// A level's files by one ordering.
using FileOrder = CowSequence<FileOrderTraits>;

/// The orderings of all levels. One is kept from the first time that somebody asks for it: most
/// policies never ask for that of the deepest level, which holds most files. Copies take time by
/// levels, not by files.
class FileOrders {
 public:
  FileOrders() = default;
  explicit FileOrders(std::vector<FileOrdering> orderings);

  [[nodiscard]] std::size_t count() const { return orderings_ ? orderings_->size() : 0; }
  /// Most levels below that an ordering looks at.
  [[nodiscard]] std::uint32_t levels_below() const { return levels_below_; }
  [[nodiscard]] bool by_access() const { return by_access_; }
  [[nodiscard]] bool by_seeks() const { return by_seeks_; }
  [[nodiscard]] const FileOrdering& ordering(std::size_t index) const;
  /// REQUIRES: index < count(), and the order is kept.
  [[nodiscard]] const FileOrder& of(std::size_t index, std::uint32_t level) const;
  [[nodiscard]] bool is_kept(std::size_t index, std::uint32_t level) const {
    return level < orders_[index].size() && orders_[index][level].has_value();
  }
  /// Keeps an order from now on; `files` are the level's. REQUIRES: it is not kept.
  void keep(std::size_t index, std::uint32_t level, const std::vector<const File*>& files);
  void add(std::uint32_t level, const File& file);
  /// REQUIRES: the file was added as it is.
  void remove(std::uint32_t level, const File& file);
  /// Moves a file that was added as `before`.
  void move(std::uint32_t level, const File& before, const File& file);

 private:
  [[nodiscard]] std::optional<PackedRanks> ranks_of(std::size_t index, const File& file) const;
  void insert(std::size_t index, std::uint32_t level, const OrderedFile& file);
  void erase(std::size_t index, std::uint32_t level, const OrderedFile& file);

  std::shared_ptr<const std::vector<FileOrdering>> orderings_;
  std::uint32_t levels_below_ = 0;
  bool by_access_ = false;
  bool by_seeks_ = false;
  // By ordering and level. References to orders stay valid when a deeper one begins to be kept.
  std::vector<std::deque<std::optional<FileOrder>>> orders_;
};

}  // namespace lsmlab
