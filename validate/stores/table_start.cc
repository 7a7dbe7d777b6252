#include "validate/stores/table_start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace lsmlab {
namespace {

// What stands in each level, in bytes.
using LevelBytes = std::vector<double>;

LevelBytes bytes_today(const stores::FamilyFigures& figures) {
  LevelBytes bytes;
  for (const stores::LevelFigures& level : figures.levels) {
    bytes.push_back(static_cast<double>(level.bytes.value_or(0)));
  }
  return bytes;
}

// Files move to a level from the next one above it that the table names.
LevelBytes bytes_before(const stores::FamilyFigures& figures) {
  LevelBytes bytes = bytes_today(figures);
  std::optional<std::size_t> above;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const stores::LevelFigures& level = figures.levels[i];
    const auto moved = static_cast<double>(level.moved_bytes);
    bytes[i] += static_cast<double>(level.read_bytes.value_or(0)) -
                static_cast<double>(level.written_bytes) - moved;
    if (above) bytes[*above] += moved;
    if (level.bytes) above = i;
  }
  for (double& level : bytes) level = std::max(0.0, level);
  return bytes;
}

// Files of equal size that divide the keys evenly; each of level 0 has all of them. Null: there is
// nothing, or more files than a store has, by a table that contradicts itself.
std::shared_ptr<const StartingTree> tree_of(const LevelBytes& bytes,
                                            const stores::FamilyFigures& figures,
                                            const stores::StoreWorkload& workload) {
  const double entry_bytes =
      static_cast<double>(figures.flushes.bytes) / static_cast<double>(figures.flushes.entries);
  constexpr double kFilesMax = 1'000'000;
  LevelBytes entries = bytes;
  for (double& level : entries) level /= entry_bytes;
  auto tree = std::make_shared<StartingTree>();
  tree->records = stores::live_records(entries, workload.update_fraction, workload.delete_fraction);
  for (std::size_t i = bytes.size(); i-- > 0;) {
    const stores::LevelFigures& today = figures.levels[i];
    if (bytes[i] < entry_bytes || today.files == 0 || !today.bytes) continue;
    const double file_bytes = static_cast<double>(*today.bytes) / static_cast<double>(today.files);
    const double files = std::max(1.0, std::round(bytes[i] / std::max(1.0, file_bytes)));
    if (files > kFilesMax) return nullptr;
    const auto level = static_cast<std::uint32_t>(i);
    if (i > 0) tree->runs.push_back({level, {}});
    for (double file = 0; file < files; ++file) {
      StartingFile placed;
      if (i > 0) placed.first = file / files;
      if (i > 0) placed.last = (file + 1) / files;
      const StartingFile::Part part = placed.part_of(tree->records);
      placed.entries = std::min(static_cast<std::uint64_t>(entries[i] / files),
                                part.end - std::min(part.begin, part.end));
      if (placed.entries == 0) continue;
      if (i == 0) tree->runs.push_back({level, {}});
      tree->runs.back().files.push_back(placed);
    }
    if (!tree->runs.empty() && tree->runs.back().files.empty()) tree->runs.pop_back();
  }
  if (tree->runs.empty()) return nullptr;
  return tree;
}

}  // namespace

StoreStarts starts_of_table(const stores::FamilyFigures& figures,
                            const stores::StoreWorkload& workload) {
  constexpr std::uint64_t kShort = 4;  // times the writes of the history
  const bool is_short = !workload.is_whole_history && !workload.steady_writes &&
                        workload.records / kShort >= workload.writes;
  if (!is_short || figures.source != stores::HistorySource::kStatistics ||
      figures.ingested_files > 0 || figures.blob_written_bytes > 0 || !figures.moves_are_known ||
      figures.flushes.entries == 0) {
    return {};
  }
  StoreStarts starts{tree_of(bytes_before(figures), figures, workload),
                     tree_of(bytes_today(figures), figures, workload)};
  return starts.at_history != nullptr && starts.now != nullptr ? starts : StoreStarts();
}

}  // namespace lsmlab
