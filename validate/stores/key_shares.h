// Where keys lie among all keys of a store, as shares: estimated from the files of one level, whose
// ranges divide the key space. Between the ends of a file, keys are taken to be dense alike, and a
// key is read as a number whose digits are the bytes that occur at their place.
#pragma once

#include <string>
#include <vector>

#include "traces/stores/manifest.h"

namespace lsmlab {

class KeyShares {
 public:
  struct Part {
    const stores::StoreFile* file = nullptr;
    double entries = 0;
  };
  /// `keys`: all that occur, which tell the digits. `parts`: of one sorted run, by key; at least
  /// one entry in all. `falls`: the order of keys is the reverse one. REQUIRES: the files outlive
  /// this.
  KeyShares(const std::vector<const std::string*>& keys, const std::vector<Part>& parts,
            bool falls);

  /// The share of all keys that lie before this one; 0 to 1.
  [[nodiscard]] double below(const std::string& key) const;
  /// The same, with the key itself if it ends a file.
  [[nodiscard]] double up_to(const std::string& key) const;

 private:
  struct Placed {
    const stores::StoreFile* file;
    double begin;  // share
    double end;
  };
  struct Digit {
    unsigned char least = 255;
    unsigned char most = 0;
  };
  [[nodiscard]] bool is_before(const std::string& a, const std::string& b) const {
    return falls_ ? b < a : a < b;
  }
  [[nodiscard]] double number_of(const std::string& key, std::size_t from) const;
  /// How far a key lies between the ends of a file.
  [[nodiscard]] double inner(const std::string& key, const stores::StoreFile& file) const;

  bool falls_;
  std::vector<Placed> files_;
  std::vector<Digit> digits_;  // by place
};

}  // namespace lsmlab
