// Where each file of a tree stands, by file id: a trie over the bits of ids, from the highest, so
// that files of one merge, which come and go together, share a leaf. Copies take constant time and
// share nodes until one of them changes (copy on write); search, insertion and removal take O(log
// of the largest id).
//
// Threads may read copies, and change their own, at the same time.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>

#include "models/base/units.h"
#include "models/tree/counted_node.h"

namespace lsmlab {

/// A file's run, by level and id, and its place there, by its smallest key.
struct FilePlace {
  FileId file;
  std::uint32_t level = 0;
  RunId run;
  std::uint64_t smallest_key = 0;
};

class FilePlaces {
 public:
  /// Null where the file has no place. Valid until the next change.
  [[nodiscard]] const FilePlace* find(FileId id) const;
  /// REQUIRES: the file has no place yet.
  void insert(const FilePlace& place);
  /// REQUIRES: the file has a place.
  void erase(FileId id);

 private:
  static constexpr unsigned kBits = 3;
  static constexpr std::size_t kFanout = std::size_t{1} << kBits;
  static constexpr std::size_t kLeafPlaces = 16;

  using Node = CountedNode;
  using NodePtr = CountedNodePtr;
  struct Leaf : Node {
    Leaf() : Node(true) {}
    boost::container::static_vector<FilePlace, kLeafPlaces> places;
  };
  struct Inner : Node {
    Inner() : Node(false) {}
    std::size_t count = 0;                  // places below
    std::array<NodePtr, kFanout> children;  // null where there are no places
  };

  static std::size_t child_index(FileId id, unsigned shift) {
    return (id.value() >> shift) % kFanout;
  }
  [[nodiscard]] bool covers(FileId id) const;
  void grow_to(FileId id);
  static void split(NodePtr& node, unsigned shift);
  static void gather(const Node& node, Leaf& into);

  NodePtr root_;
  // The root tells ids apart by the bits from root_shift_ on. All ids are below 2^(root_shift_ +
  // kBits).
  unsigned root_shift_ = 0;
};

}  // namespace lsmlab
