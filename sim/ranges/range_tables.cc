#include "sim/ranges/range_tables.h"

#include "models/base/check.h"

namespace lsmlab {

void RangeTables::add(FileId id, const RangeContents& contents, const SstableFormat& format,
                      const EntryMix& mix, std::uint64_t reads_before) {
  Table table;
  table.id = id;
  table.contents = &contents;
  table.format = format;
  table.mix = mix;
  table.reads_before = reads_before;
  const bool is_new = tables_.emplace(id.value(), table).second;
  CHECK(is_new);
}

auto RangeTables::table(FileId id) -> const Table& {
  const auto found = tables_.find(id.value());
  CHECK(found != tables_.end());
  Table& table = found->second;
  if (table.is_known) return table;
  table.is_known = true;
  const std::uint64_t entries = table.mix.entries();
  table.has_filter = filter_lines(table.format, entries) > 0;
  table.passes = filters_.false_positive_rate(table.format, entries);
  table.pass_bound = draw_bound(table.passes);
  const SstableSize size = sizes_.size_of(table.format, table.mix);
  table.blocks = size.data_blocks();
  const std::uint64_t keys = entries - table.mix.overwritten;
  table.block_keys = static_cast<double>(keys) / static_cast<double>(table.blocks);
  table.block_bytes = (size.all_data_bytes().value() + table.blocks / 2) / table.blocks;
  return table;
}

}  // namespace lsmlab
