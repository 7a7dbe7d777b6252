// Where the files of a store lie among all its records, numbered by key: estimated from the ranges
// of all its files. They cut the key space into pieces. Between the ends of a file, keys are taken
// to be dense alike, and a key is read as a number whose digits are the bytes that occur at their
// place. A piece has at least the records of the run that has most there, so a file has room for
// all its entries.
#pragma once

#include <cstdint>
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
  using Run = std::vector<Part>;  // by key
  /// `keys`: all that occur, which tell the digits. `records`: how many the runs should have; so
  /// many are taken as they allow, which have between the most of one run and all entries. `falls`:
  /// the order of keys is the reverse one. REQUIRES: the files outlive this; at least one entry.
  KeyShares(const std::vector<const std::string*>& keys, const std::vector<Run>& runs,
            double records, bool falls);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  /// The share of all records that lie before the file, and up to its end. They differ by its
  /// entries or more. REQUIRES: the file is of a run.
  [[nodiscard]] double before(const stores::StoreFile& file) const;
  [[nodiscard]] double up_to(const stores::StoreFile& file) const;

 private:
  struct Bound {
    const std::string* key;
    bool is_after = false;  // the key itself lies before it
  };
  struct Digit {
    unsigned char least = 255;
    unsigned char most = 0;
  };
  [[nodiscard]] bool is_before(const Bound& a, const Bound& b) const;
  [[nodiscard]] static Bound begin_of(const stores::StoreFile& file);
  [[nodiscard]] static Bound end_of(const stores::StoreFile& file);
  [[nodiscard]] std::size_t index_of(const Bound& bound) const;
  [[nodiscard]] double share_at(const Bound& bound) const;
  [[nodiscard]] double number_of(const std::string& key, std::size_t from) const;
  void take_bounds(const std::vector<Run>& runs);
  /// Adds what the file holds of each piece.
  void spread(const Part& part, std::vector<std::uint64_t>& pieces) const;

  bool falls_;
  std::uint64_t records_ = 0;
  std::vector<Bound> bounds_;          // by key
  std::vector<std::uint64_t> before_;  // records before each bound
  std::vector<Digit> digits_;          // by place
};

}  // namespace lsmlab
