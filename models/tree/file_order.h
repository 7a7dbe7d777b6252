// Orderings of a level's files that a tree keeps for its policy: "least overlap with the next level
// first", "oldest tombstone first". A policy declares the orderings that it asks for
// (Policy::orderings()); the tree brings them up to date with every edit; the policy reads the
// first files. A policy so looks at a few files of a level, however many there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/tree/cow_sequence.h"
#include "models/tree/file.h"

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

/// A file's place in an ordering. Files of equal ranks follow by smallest key, then the newer
/// first.
struct OrderedFile {
  FileRanks ranks;
  std::uint64_t smallest_key = 0;
  FileId id;
  friend std::strong_ordering operator<=>(const OrderedFile& a, const OrderedFile& b) {
    for (std::size_t i = 0; i < a.ranks.size(); ++i) {
      const std::strong_ordering order = a.ranks[i] <=> b.ranks[i];
      if (order != 0) return order;
    }
    if (a.smallest_key != b.smallest_key) return a.smallest_key <=> b.smallest_key;
    return b.id <=> a.id;
  }
  friend bool operator==(const OrderedFile& a, const OrderedFile& b) { return (a <=> b) == 0; }
};

struct FileOrderTraits {
  using Item = OrderedFile;
  using Key = OrderedFile;
  struct Summary {
    void add(const Summary&) {}
    [[nodiscard]] bool subtract(const Summary&) { return true; }
  };
  static const Key& key_of(const Item& item) { return item; }
  static Summary summary_of(const Item&) { return {}; }
};

/// A level's files by one ordering.
using FileOrder = CowSequence<FileOrderTraits>;

/// The orderings of all levels. Copies take time by levels, not by files.
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
  /// REQUIRES: index < count().
  [[nodiscard]] const FileOrder& of(std::size_t index, std::uint32_t level) const;

  void add(std::uint32_t level, const File& file);
  /// REQUIRES: the file was added as it is.
  void remove(std::uint32_t level, const File& file);
  /// The ranks of a file, by ordering.
  [[nodiscard]] std::vector<std::optional<FileRanks>> ranks_of(const File& file) const;
  /// Moves a file that had the ranks `before`.
  void move(std::uint32_t level, const File& file,
            const std::vector<std::optional<FileRanks>>& before);

 private:
  [[nodiscard]] FileOrder& order(std::size_t index, std::uint32_t level);
  void insert(std::size_t index, std::uint32_t level, const OrderedFile& file);
  void erase(std::size_t index, std::uint32_t level, const OrderedFile& file);

  std::shared_ptr<const std::vector<FileOrdering>> orderings_;
  std::uint32_t levels_below_ = 0;
  bool by_access_ = false;
  bool by_seeks_ = false;
  std::vector<std::vector<FileOrder>> orders_;  // by ordering and level
};

}  // namespace lsmlab
