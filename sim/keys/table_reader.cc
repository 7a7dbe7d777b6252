#include "sim/keys/table_reader.h"

#include "models/base/check.h"
#include "models/base/key_hash.h"

namespace lsmlab {

TableReader::Table& TableReader::table(FileId id) {
  const auto [at, is_new] = tables_.try_emplace(id.value());
  Table& table = at->second;
  if (is_new) {
    const StoredFile* const file = files_.find(id);
    CHECK(file != nullptr);
    table.id = id;
    table.entries = &file->entries;
    table.format = &file->format;
    table.has_filter = filter_lines(file->format, file->entries.size()) > 0;
    table.false_positive_bound =
        draw_bound(filters_.false_positive_rate(file->format, file->entries.size()));
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
  fetch(table, blocks_of(table).block_of(key), answer.false_positive, reads);
  return answer;
}

bool TableReader::may_hold(const Table& table, std::uint64_t key) const {
  if (!table.has_filter) return true;
  const std::size_t index = table.entries->lower_bound(key);
  const bool is_held = index < table.entries->size() && (*table.entries)[index].key == key;
  return is_held || key_hash(table.id.value(), key) < table.false_positive_bound;
}

CachedBlocks TableReader::cached_blocks(FileId id) {
  const auto known = tables_.find(id.value());
  // Nobody has read a block of it yet.
  if (known == tables_.end() || !known->second.blocks) return {};
  CachedBlocks blocks{0, known->second.blocks->count()};
  for (std::uint64_t block = 0; block < blocks.all; ++block) {
    blocks.cached += certain_->holds(id, block) ? 1u : 0u;
  }
  return blocks;
}

const BlockMap& TableReader::blocks_of(Table& table) {
  if (!table.blocks) table.blocks.emplace(*table.entries, classes_, *table.format);
  return *table.blocks;
}

void TableReader::fetch(Table& table, std::size_t block, BlockReads& reads) {
  fetch(table, block, false, reads);
}

void TableReader::fetch(Table& table, std::size_t block, bool is_in_vain, BlockReads& reads) {
  const std::uint64_t bytes = blocks_of(table).bytes_of(block);
  ++reads.blocks_fetched;
  if (certain_ && !is_in_vain) static_cast<void>(certain_->access(table.id, block, bytes));
  if (cache_.access(table.id, block, bytes)) return;
  ++reads.blocks_read;
  reads.bytes_read += bytes;
}

}  // namespace lsmlab
