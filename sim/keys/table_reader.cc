#include "sim/keys/table_reader.h"

#include "models/base/check.h"
#include "sim/keys/key_hash.h"

namespace lsmlab {

TableReader::Table& TableReader::table(FileId id) {
  const auto [at, is_new] = tables_.try_emplace(id.value());
  Table& table = at->second;
  if (is_new) {
    const auto file = files_.find(id.value());
    CHECK(file != files_.end());
    const StoredFile& stored = file->second;
    table.id = id;
    table.entries = &stored.entries;
    table.format = &stored.format;
    table.has_filter = filter_lines(stored.format, stored.entries.size()) > 0;
    table.false_positive_bound =
        draw_bound(filters_.false_positive_rate(stored.format, stored.entries.size()));
  }
  return table;
}

TableReader::Answer TableReader::find(Table& table, std::uint64_t key, BlockReads& reads) {
  Answer answer;
  const std::size_t index = table.entries->lower_bound(key);
  CHECK(index < table.entries->size());
  const Entry& entry = (*table.entries)[index];
  if (entry.key == key) answer.entry = entry;
  answer.filter_checked = table.has_filter;
  if (table.has_filter && !answer.entry) {
    answer.false_positive = key_hash(table.id.value(), key) < table.false_positive_bound;
    if (!answer.false_positive) return answer;
  }
  fetch(table, blocks_of(table).block_of(key), reads);
  return answer;
}

const BlockMap& TableReader::blocks_of(Table& table) {
  if (!table.blocks) table.blocks.emplace(*table.entries, classes_, *table.format);
  return *table.blocks;
}

void TableReader::fetch(Table& table, std::size_t block, BlockReads& reads) {
  const std::uint64_t bytes = blocks_of(table).bytes_of(block);
  ++reads.blocks_fetched;
  if (cache_.access(table.id, block, bytes)) return;
  ++reads.blocks_read;
  reads.bytes_read += bytes;
}

}  // namespace lsmlab
