// A slow, literal model of the merge policies whose state is a stack of SSTables: a second opinion
// for the fast pickers. It knows sizes only, no keys, so a merge's output is the sum of its inputs.
//
// Invariants: tables() is oldest first. A flush is appended as the newest table and stays unwritten
// until its first merge is known. All comparisons are exact, in integers of 128 bits.
// Threading: none; one object, one thread.
// Sources: "Comparison and evaluation of state-of-the-art LSM merge policies", Policies studied and
// Design of MinLatency and Binomial (bigtable, exploring, constant, min-latency, binomial, tiered);
// HBase RatioBasedCompactionPolicy; AsterixDB PrefixMergePolicy (2017); Apache Accumulo
// RatioBasedCompactionPlanner. leveled-full is leveling with one whole run per level.
//
// It is written for comparison with the text, not for speed. Quadratic work per flush is fine, and
// it shares no idea with the tested code where another way to the answer exists.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lsmlab::oracle {

// 128 bits: products of two 64-bit sizes or ratio terms never wrap.
__extension__ typedef unsigned __int128 Wide;

struct OracleTable {
  std::uint64_t bytes;
  std::uint32_t tier;     // tiered: the tier; leveled-full: the level; 0 elsewhere
  std::uint64_t flushes;  // number of flushes that it contains
};

// The exact value numerator / denominator: {6, 5} is 1.2. REQUIRES: denominator > 0.
struct Decimal {
  std::uint64_t numerator;
  std::uint64_t denominator;
};

struct OracleParameters {
  std::uint64_t k = 6;           // bound of the stack; ratio-based-hbase: stuck above it, 0 = never
  Decimal lambda{6, 5};          // exploring
  std::uint64_t min_files = 3;   // exploring (C), ratio-based-hbase
  std::uint64_t max_files = 10;  // exploring (D), ratio-based-hbase, accumulo (maxOpen)
  std::uint64_t size_ratio = 4;  // tiered (B), leveled-full (T)
  std::uint64_t max_mergeable_bytes = 1ull << 30;  // prefix: the cap
  std::uint64_t max_tolerance_files = 5;           // prefix: the count
  std::uint64_t min_size_bytes = 0;                // ratio-based-hbase
  std::uint64_t file_max = 15;                     // accumulo
  Decimal ratio{6, 5};                             // ratio-based-hbase, prefix, accumulo
};

class StackOracle {
 public:
  // Throws std::invalid_argument for an unknown policy or invalid parameters.
  StackOracle(std::string policy, OracleParameters parameters);

  // Executes one flush and every merge that follows it.
  void flush(std::uint64_t bytes);

  const std::vector<OracleTable>& tables() const { return tables_; }  // oldest first

  // Eager accounting: if the first merge after a flush takes that flush, it reads the flush from
  // memory, and only the merge's output is written. Otherwise the flush is written separately.
  Wide bytes_written() const { return bytes_written_; }

  // Bytes of SSTables that were inputs of merges; a flush still in memory does not count.
  Wide bytes_read() const { return bytes_read_; }

  std::uint64_t merges() const { return merges_; }
  std::uint64_t moves() const { return moves_; }

 private:
  using Positions = std::vector<std::size_t>;  // into tables_, ascending
  using Rule = void (StackOracle::*)();

  // A node of a binary search tree; children are indices into the vector that holds the tree.
  struct TreeNode {
    std::size_t left;
    std::size_t right;
    std::uint64_t stack_depth;
    std::uint64_t merge_depth;
    std::uint64_t number;  // rank in search order, from 1
  };

  void validate() const;

  // The rules: each executes what follows the flush, which is now the newest table.
  void run_none() {}
  void run_bigtable();
  void run_constant();
  void run_exploring();
  void run_min_latency();
  void run_binomial();
  void run_tiered();
  void run_leveled_full();
  void run_prefix();
  void run_ratio_based_hbase();
  void run_accumulo();

  // Merges everything newer than the `keep` oldest tables; leaves a lone flush as it is.
  void keep_oldest(std::uint64_t keep);
  // Merges tables [first, last].
  void merge_range(std::size_t first, std::size_t last, std::uint32_t tier);
  // The output takes the place of the newest input. REQUIRES: two inputs or more.
  void merge(const Positions& inputs, std::uint32_t tier);
  Wide total_bytes(std::size_t first, std::size_t last) const;

  // Each returns one selection; empty if the rule wants nothing.
  Positions find_prefix_set() const;
  Positions find_accumulo_set(Wide ratio_numerator, Wide ratio_denominator) const;
  Positions find_accumulo_set_below_ratio() const;

  // Trees of min-latency and binomial.
  std::size_t grow_full_tree(std::uint64_t m, std::uint64_t k);
  void number_tree();
  std::uint64_t stack_depth_of(std::uint64_t number) const;

  OracleParameters parameters_;
  Rule rule_ = nullptr;
  std::vector<OracleTable> tables_;
  std::uint64_t flushes_ = 0;
  bool flush_in_memory_ = false;
  Wide bytes_written_ = 0;
  Wide bytes_read_ = 0;
  std::uint64_t merges_ = 0;
  std::uint64_t moves_ = 0;

  std::vector<TreeNode> tree_;
  std::size_t tree_root_ = 0;
  std::uint64_t tree_m_ = 0;  // the m (min-latency) or the number of blocks (binomial) of tree_
};

}  // namespace lsmlab::oracle
