// Reads the tables that Pebble prints since the summer of 2025 (CockroachDB 25.4): one of the tree,
// one of the compactions, and more. Source: testdata/metrics of crl-release-25.4 to 26.2.
#pragma once

#include <string_view>
#include <vector>

#include "traces/stores/pebble_cells.h"
#include "traces/stores/pebble_metrics.h"

namespace lsmlab::stores {

class PebbleSplitTables {
 public:
  /// Whether the line is the heading of the first table.
  [[nodiscard]] static bool begins_with(const std::vector<Words>& cells);

  /// Takes a line behind that heading.
  void add_line(const std::vector<Words>& cells);
  /// Whether the rows of totals of both tables were read.
  [[nodiscard]] bool is_whole() const { return has_tree_ && has_compactions_; }
  /// Whether the line that was added last is behind all that is read.
  [[nodiscard]] bool is_done() const { return is_done_; }
  /// Whether that line is a row with other cells than its heading, or of no level.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }
  /// What was read. Levels without a row are empty.
  [[nodiscard]] PebbleMetrics take();

 private:
  enum class Part { kTree, kCompactions, kKinds, kPipeline };

  void add_tree_row(const std::vector<Words>& cells);
  void add_compactions_row(const std::vector<Words>& cells);
  void add_kinds(const Words& counts);
  [[nodiscard]] PebbleLevel* level_of(std::string_view name);

  PebbleMetrics metrics_;
  Part part_ = Part::kTree;
  Words kinds_;
  bool has_tree_ = false;
  bool has_compactions_ = false;
  bool is_done_ = false;
  bool is_damaged_ = false;
};

}  // namespace lsmlab::stores
