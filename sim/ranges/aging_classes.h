// Popularity classes where the newest keys are the most popular ("latest" access). Popularity then
// depends on a key's distance from the newest insert, so that classes age while inserts arrive:
//
//   - The inserts of each memtable form a class of their own.
//   - Old classes merge with their neighbours: a key at distance d and one at 1.4 d are used about
//     equally often. So there are about two classes for each doubling of the distance.
//   - For what a memtable holds that is too coarse: it overwrites the very newest keys many times.
//     So the population cuts classes into parts, finer towards the newest key. Files do not know
//     parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lsmlab {

/// Keys with consecutive insertion numbers.
struct KeyPart {
  std::uint64_t first = 0;    // insertion number
  std::size_t key_class = 0;  // a class is one part or several that follow each other
  bool is_fixed = false;      // no class reaches across its begin
  double live = 0;            // keys that were inserted before the open memtable and not deleted
  // counts of operations in the open memtable
  double inserts = 0;
  double updates = 0;
  double deletes = 0;
  [[nodiscard]] double present() const { return live + inserts - deletes; }
};

/// Class c becomes class result[c]. Neighbours become one class.
using ClassMerges = std::vector<std::uint32_t>;

/// Which classes should merge, by their distance from the newest key. REQUIRES: the open memtable
/// is empty; parts lie by insertion number.
[[nodiscard]] ClassMerges merges_of_old_classes(const std::vector<KeyPart>& parts);
/// Cuts each class into parts whose distances from the newest key differ by less than a fifth, or
/// by one key. Assumes that a part's live keys lie evenly in it. REQUIRES: as above; `inserted` is
/// the end of the last part.
[[nodiscard]] std::vector<KeyPart> cut_by_distance(const std::vector<KeyPart>& parts,
                                                   std::uint64_t inserted);
/// The insertion numbers, from 0, at which classes begin so that they fit the distances from the
/// `inserted`-th insert.
[[nodiscard]] std::vector<std::uint64_t> begins_by_distance(std::uint64_t inserted);

}  // namespace lsmlab
