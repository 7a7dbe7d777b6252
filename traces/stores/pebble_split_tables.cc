#include "traces/stores/pebble_split_tables.h"

#include <algorithm>
#include <string>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// Cells of the row of a level.
constexpr std::size_t kTreeFiles = 1;
constexpr std::size_t kTreeIn = 4;
constexpr std::size_t kTreeIngested = 5;
constexpr std::size_t kTreeAmp = 6;
constexpr std::size_t kTreeCells = 7;

constexpr std::size_t kMergesScore = 1;
constexpr std::size_t kMergesMoved = 2;
constexpr std::size_t kMergesRead = 4;
constexpr std::size_t kMergesWritten = 5;
constexpr std::size_t kMergesCells = 6;

constexpr std::size_t kPipelineCells = 8;
constexpr std::size_t kPipelineLog = 1;
constexpr std::size_t kPipelineFlushes = 3;

bool begins(const Words& words, std::string_view first) {
  return !words.empty() && words.front() == first;
}

// Of the words before the first bar, behind the prefix of a log line: "L0 101MB" without the last
// `after` ones.
std::string_view name_in(const Words& words, std::size_t after) {
  if (words.size() <= after) return {};
  std::string_view name = words[words.size() - 1 - after];
  if (name.starts_with('+')) name.remove_prefix(1);
  return name;
}

}  // namespace

// "level       size | tables  size |  count  size |  refsz valblk |     in | tables  size | r w"
bool PebbleSplitTables::begins_with(const std::vector<Words>& cells) {
  return cells.size() == kTreeCells && name_in(cells[0], 1) == "level" &&
         ends_with_word(cells[0], "size") && begins(cells[kTreeFiles], "tables") &&
         begins(cells[2], "count") && begins(cells[3], "refsz") && begins(cells[kTreeIn], "in") &&
         begins(cells[kTreeAmp], "r");
}

PebbleMetrics PebbleSplitTables::take() {
  // Empty levels have no row; of a cut table nobody knows what is below its last one.
  if (is_whole()) metrics_.levels.resize(kPebbleLevels);
  for (PebbleLevel& level : metrics_.levels) level.sublevels = level.sublevels.value_or(0);
  return std::move(metrics_);
}

PebbleLevel* PebbleSplitTables::level_of(std::string_view name) {
  if (!name.starts_with('L')) return nullptr;
  const auto number = leading_number(name.substr(1));
  if (!number || *number >= kPebbleLevels) return nullptr;
  metrics_.levels.resize(std::max<std::size_t>(metrics_.levels.size(), *number + 1));
  return &metrics_.levels[*number];
}

void PebbleSplitTables::add_tree_row(const std::vector<Words>& cells) {
  if (has_tree_ || cells.size() == 1) return;  // another heading, or the rule between rows
  const std::string_view name = name_in(cells[0], 1);
  PebbleLevel* const level = level_of(name);
  is_damaged_ = cells.size() != kTreeCells || (level == nullptr && name != "total");
  if (is_damaged_) return;
  if (level == nullptr) {
    metrics_.total_write_amplification = real_at(cells[kTreeAmp], 1);
    has_tree_ = true;
    return;
  }
  level->files = quantity_at(cells[kTreeFiles], 0);
  level->bytes = quantity_at(cells[kTreeFiles], 1);
  level->in_bytes = quantity_at(cells[kTreeIn], 0);
  level->ingested_bytes = quantity_at(cells[kTreeIngested], 1);
  level->sublevels = quantity_at(cells[kTreeAmp], 0);
  level->write_amplification = real_at(cells[kTreeAmp], 1).value_or(0);
}

void PebbleSplitTables::add_compactions_row(const std::vector<Words>& cells) {
  if (has_compactions_ || cells.size() == 1) return;
  const std::string_view name = name_in(cells[0], 0);
  PebbleLevel* const level = level_of(name);
  is_damaged_ = cells.size() != kMergesCells || (level == nullptr && name != "total");
  if (is_damaged_) return;
  if (level == nullptr) {
    has_compactions_ = true;
    return;
  }
  level->score = real_at(cells[kMergesScore], 0);
  level->fill_factor = real_at(cells[kMergesScore], 1);
  level->moved_bytes = quantity_at(cells[kMergesMoved], 1);
  level->read_bytes = quantity_at(cells[kMergesRead], 0);
  level->written_files = quantity_at(cells[kMergesWritten], 0);
  level->written_bytes = quantity_at(cells[kMergesWritten], 1);
}

void PebbleSplitTables::add_kinds(const Words& counts) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size() && i < kinds_.size(); ++i) {
    const std::uint64_t count = quantity(counts[i]).value_or(0);
    // A merge of three levels counts by its own kind, too (manifest.VersionSet).
    if (kinds_[i] != "multi") all += count;
    if (count > 0) metrics_.kinds[std::string(kinds_[i])] = count;
  }
  metrics_.compactions = all;
}

void PebbleSplitTables::add_line(const std::vector<Words>& cells) {
  const std::string_view name = name_in(cells[0], 0);
  if (cells.size() == kMergesCells && name == "level" && begins(cells[kMergesScore], "score")) {
    part_ = Part::kCompactions;
  } else if (cells.size() == 2 && name == "kind") {
    part_ = Part::kKinds;
    kinds_ = cells[1];
  } else if (cells.size() == kPipelineCells && name == "files") {
    part_ = Part::kPipeline;
  } else if (part_ == Part::kTree) {
    add_tree_row(cells);
  } else if (part_ == Part::kCompactions) {
    add_compactions_row(cells);
  } else if (part_ == Part::kKinds && name == "count" && cells.size() == 2) {
    add_kinds(cells[1]);
  } else if (part_ == Part::kPipeline && cells.size() == kPipelineCells &&
             quantity_at(cells[kPipelineFlushes], 0) > 0) {
    // "34B: 64B"
    metrics_.log_in_bytes = quantity_at(cells[kPipelineLog], 0);
    metrics_.log_written_bytes = quantity_at(cells[kPipelineLog], 1);
    metrics_.flushes = quantity_at(cells[kPipelineFlushes], 0);
    is_done_ = true;
  }
}

}  // namespace lsmlab::stores
