#include "validate/catalog/compression_sample.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "engine/sstable/compression.h"
#include "engine/sstable/table_codec.h"
#include "models/base/varint.h"
#include "models/sizes/memtable_size.h"
#include "models/sizes/sstable_size.h"
#include "traces/tools/db_bench_values.h"
#include "traces/workloads/made_data.h"

namespace lsmlab {
namespace {

using engine::append_number;
using engine::append_varint;

constexpr std::size_t kPutsMax = std::size_t{1} << 20;
constexpr std::uint64_t kOperationsMax = std::uint64_t{1} << 22;
constexpr std::uint64_t kSampleBytes = 4 << 20;
constexpr std::uint64_t kRestartInterval = 16;

struct Put {
  std::uint64_t key = 0;
  std::uint64_t number = 0;   // from 1
  std::uint64_t in_text = 0;  // where the value begins in Puts::text
  std::uint32_t value_bytes = 0;
  std::uint16_t key_bytes = 0;
};

struct Puts {
  std::vector<Put> all;  // in order of time
  std::vector<std::size_t> memtable_ends = {};
  std::string text = {};  // of which values are cut; empty: each is made for itself
};

Result<Puts> first_puts(const KeyWorkload& workload, std::uint64_t seed,
                        const StoreOptions& store) {
  Puts puts;
  const auto source = BOOST_OUTCOME_TRYX(workload.open(seed));
  MemtableSize memtable(store);
  std::vector<Operation> batch(4096);
  std::uint64_t operations = 0;
  while (puts.all.size() < kPutsMax && operations < kOperationsMax) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source->fill(batch));
    if (count == 0) break;
    operations += count;
    for (const Operation& one : std::span(batch).first(count)) {
      if (one.kind != OperationKind::kPut || one.key_bytes < store.keys.id_bytes()) continue;
      if (puts.all.size() == kPutsMax) break;
      puts.all.push_back({.key = one.key,
                          .number = puts.all.size() + 1,
                          .value_bytes = one.value_bytes,
                          .key_bytes = one.key_bytes});
      memtable.add(puts.all.size(), one.key_bytes, one.value_bytes,
                   buffered_entry_bytes(one.key_bytes, one.value_bytes));
      if (!memtable.is_full()) continue;
      puts.memtable_ends.push_back(puts.all.size());
      memtable.clear();
    }
  }
  if (puts.memtable_ends.empty()) puts.memtable_ends.push_back(puts.all.size());
  return puts;
}

void cut_values(Puts& puts, const Decimal& ratio) {
  std::uint32_t largest = 0;
  for (const Put& put : puts.all) largest = std::max(largest, put.value_bytes);
  tools::DbBenchValueText text(ratio, largest);
  for (Put& put : puts.all) put.in_text = text.cut(put.value_bytes);
  puts.text = text.text();
}

// Sorted by key, the newest put of each.
std::vector<Put> sorted(std::span<const Put> puts) {
  std::vector<Put> kept(puts.begin(), puts.end());
  std::sort(kept.begin(), kept.end(), [](const Put& a, const Put& b) {
    return a.key != b.key ? a.key < b.key : a.number > b.number;
  });
  kept.erase(std::unique(kept.begin(), kept.end(),
                         [](const Put& a, const Put& b) { return a.key == b.key; }),
             kept.end());
  return kept;
}

// Memtables from all over the run, because its phases may put keys in different orders.
std::vector<std::vector<Put>> some_memtables(const Puts& puts) {
  constexpr std::size_t kMemtablesMax = 8;
  const std::size_t all = puts.memtable_ends.size();
  const std::size_t count = std::min(all, kMemtablesMax);
  std::vector<std::vector<Put>> memtables;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = count == 1 ? 0 : i * (all - 1) / (count - 1);
    const std::size_t begin = index == 0 ? 0 : puts.memtable_ends[index - 1];
    memtables.push_back(
        sorted(std::span(puts.all).subspan(begin, puts.memtable_ends[index] - begin)));
  }
  return memtables;
}

// The sequence numbers of a sample's puts, whose bytes are a part of what a codec sees.
struct Sequences {
  std::uint64_t first = 0;
  std::uint64_t step = 1;  // 0: all are 0
  [[nodiscard]] std::uint64_t of(const Put& put) const {
    return step == 0 ? 0 : first + put.number * step;
  }
};

// Encodes one data block after the other, as docs/sstable.md, RocksDB and LevelDB do.
class BlockEncoder {
 public:
  BlockEncoder(const StoreOptions& store, Sequences sequences, std::string_view text)
      : store_(store), sequences_(sequences), text_(text) {}

  /// Returns how many entries the block has.
  std::size_t encode(std::span<const Put> puts) {
    block_.clear();
    places_.clear();
    const std::size_t count = entries_of_block(puts);
    for (std::size_t i = 0; i < count; ++i) add(puts[i], i);
    const bool is_lsmlab = store_.layout == SstableLayout::kLsmlab;
    for (const std::uint32_t place : places_) {
      if (is_lsmlab) {
        append_number(block_, static_cast<std::uint16_t>(place));
      } else {
        append_number(block_, place);
      }
    }
    if (is_lsmlab) {
      append_number(block_, static_cast<std::uint16_t>(count));
    } else {
      append_number(block_, static_cast<std::uint32_t>(places_.size()));
    }
    return count;
  }
  [[nodiscard]] const std::string& block() const { return block_; }

 private:
  [[nodiscard]] std::size_t entries_of_block(std::span<const Put> puts) const {
    SstableSize size(store_.format());
    for (const Put& put : puts) {
      size.add_key(put.key, put.key_bytes, put.value_bytes);
      // RocksDB closes a block before the entry that would not fit.
      if (size.closed_blocks() > 0) return size.entries() - size.block_entries();
    }
    return puts.size();
  }

  void add(const Put& put, std::size_t index) {
    store_.keys.write(put.key, put.key_bytes, key_);
    if (text_.empty()) {
      make_value(put.key, put.number, put.value_bytes, value_, {store_.value_ratio});
    } else {
      value_ = text_.substr(put.in_text, put.value_bytes);
    }
    const std::uint64_t sequence = sequences_.of(put);
    if (store_.layout == SstableLayout::kLsmlab) {
      places_.push_back(static_cast<std::uint32_t>(block_.size()));
      append_varint(block_, put.key_bytes);
      append_varint(block_, put.value_bytes);
      append_number(block_, sequence << 8);
      block_ += key_;
      block_ += value_;
      return;
    }
    constexpr std::uint64_t kValueKind = 1;  // of RocksDB and LevelDB
    append_number(key_, sequence << 8 | kValueKind);
    std::size_t shared = 0;
    if (index % kRestartInterval == 0) {
      places_.push_back(static_cast<std::uint32_t>(block_.size()));
    } else {
      const std::size_t most = std::min(key_.size(), last_key_.size());
      while (shared < most && key_[shared] == last_key_[shared]) ++shared;
    }
    append_varint(block_, static_cast<std::uint32_t>(shared));
    append_varint(block_, static_cast<std::uint32_t>(key_.size() - shared));
    append_varint(block_, put.value_bytes);
    block_.append(key_, shared);
    block_ += value_;
    last_key_ = key_;
  }

  const StoreOptions& store_;
  Sequences sequences_;
  std::string_view text_;
  std::string block_;
  std::vector<std::uint32_t> places_;  // of entries, or of restarts
  std::string key_;
  std::string last_key_;
  std::string value_;
};

// Encodes the index block of RocksDB or LevelDB: for each data block a key that is not below its
// last one and below the next block's first one, and where the block is.
class IndexEncoder {
 public:
  explicit IndexEncoder(const StoreOptions& store) : store_(store) {}

  /// `next`: the first put of the next block; null: there is none.
  void add(const Put& last, const Put* next, std::uint64_t stored) {
    const bool is_rocksdb = store_.layout == SstableLayout::kRocksdb;
    write_separator(last, next, is_rocksdb);
    // RocksDB leaves out the sequence number and the length of the value.
    if (!is_rocksdb) append_number(key_, ~std::uint64_t{0xff} | 1);
    std::string handle;
    append_varint(handle, static_cast<std::uint32_t>(offset_));
    append_varint(handle, static_cast<std::uint32_t>(stored));
    offset_ += stored + kTrailerBytes;
    places_.push_back(static_cast<std::uint32_t>(block_.size()));
    append_varint(block_, 0);
    append_varint(block_, static_cast<std::uint32_t>(key_.size()));
    if (!is_rocksdb) append_varint(block_, static_cast<std::uint32_t>(handle.size()));
    block_ += key_;
    block_ += handle;
  }
  [[nodiscard]] std::string finish() {
    for (const std::uint32_t place : places_) append_number(block_, place);
    append_number(block_, static_cast<std::uint32_t>(places_.size()));
    return std::move(block_);
  }

 private:
  static constexpr std::uint64_t kTrailerBytes = 5;

  // As separator_bytes() in models/sizes/prefix_table_size.cc.
  void write_separator(const Put& last, const Put* next, bool is_rocksdb) {
    store_.keys.write(last.key, last.key_bytes, key_);
    if (next == nullptr) return;
    store_.keys.write(next->key, next->key_bytes, next_key_);
    std::size_t first = 0;
    while (first < key_.size() && first < next_key_.size() && key_[first] == next_key_[first]) {
      ++first;
    }
    if (first == key_.size() || first == next_key_.size()) return;
    const auto byte = static_cast<unsigned char>(key_[first]);
    if (!is_rocksdb && byte + 1 >= static_cast<unsigned char>(next_key_[first])) return;
    key_[first] = static_cast<char>(byte + 1);
    key_.resize(first + 1);
  }

  const StoreOptions& store_;
  std::uint64_t offset_ = 0;
  std::string block_;
  std::vector<std::uint32_t> places_;
  std::string key_;
  std::string next_key_;
};

// What the store writes of a block, without its trailer.
std::uint64_t stored_bytes(const std::string& block, Compression codec, SstableLayout layout,
                           std::string& scratch) {
  if (block.size() > engine::kCompressiblePayloadMax) return block.size();
  const bool is_lsmlab = layout == SstableLayout::kLsmlab;
  engine::compress_raw(codec, block, is_lsmlab ? engine::kEngineCalls : engine::kRocksdbCalls, 0,
                       scratch);
  std::uint64_t bytes = scratch.size();
  if (is_lsmlab) {
    bytes += sizeof(std::uint32_t);
    return bytes < block.size() ? bytes : block.size();
  }
  // Snappy's output begins with the length; RocksDB puts it before that of the others.
  if (codec != Compression::kSnappy) bytes += varint_bytes(block.size());
  // Both stores keep a block that compression makes less than an eighth smaller.
  return bytes < block.size() - block.size() / 8 ? bytes : block.size();
}

std::uint32_t millionths(std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint32_t>((Uint128{part} * kWholeMillionths + whole / 2) / whole);
}

// `runs`: each is sorted by key.
std::vector<std::uint32_t> shares_of(const std::vector<std::vector<Put>>& runs,
                                     const StoreOptions& store, BlockEncoder encoder,
                                     const std::vector<Compression>& codecs) {
  std::uint64_t raw = 0;
  std::vector<std::uint64_t> stored(codecs.size(), 0);
  std::string scratch;
  for (const std::span<const Put> puts : runs) {
    std::size_t skipped = 0;
    std::uint64_t raw_of_run = 0;
    for (std::size_t at = 0; at < puts.size() && raw_of_run < kSampleBytes / runs.size();) {
      const std::size_t count = encoder.encode(puts.subspan(at));
      const std::uint64_t block_bytes = encoder.block().size();
      raw_of_run += block_bytes;
      for (std::size_t i = 0; i < codecs.size(); ++i) {
        stored[i] += stored_bytes(encoder.block(), codecs[i], store.layout, scratch);
      }
      at += count;
      if (skipped == 0) {
        // Blocks from all over the key space.
        const std::uint64_t blocks = kSampleBytes / runs.size() / block_bytes + 1;
        skipped = puts.size() / blocks > count ? puts.size() / blocks - count : 0;
      }
      at += skipped;
    }
    raw += raw_of_run;
  }
  std::vector<std::uint32_t> shares;
  for (const std::uint64_t bytes : stored) {
    shares.push_back(raw == 0 ? kWholeMillionths : millionths(bytes, raw));
  }
  return shares;
}

std::vector<std::vector<Put>> without_values(std::vector<std::vector<Put>> runs) {
  for (std::vector<Put>& puts : runs) {
    for (Put& put : puts) put.value_bytes = 0;
  }
  return runs;
}

// What codecs leave of the index block of a file with the first blocks of these puts. lsmlab's own
// format stores the index as it is.
std::vector<std::uint32_t> index_shares_of(std::span<const Put> puts, const StoreOptions& store,
                                           BlockEncoder encoder,
                                           const std::vector<Compression>& codecs) {
  constexpr std::size_t kBlocksMax = 2048;
  std::vector<std::uint32_t> shares;
  std::string scratch;
  for (const Compression codec : codecs) {
    IndexEncoder index(store);
    std::size_t blocks = 0;
    if (store.layout != SstableLayout::kLsmlab) {
      for (std::size_t at = 0; at < puts.size() && blocks < kBlocksMax; ++blocks) {
        const std::size_t count = encoder.encode(puts.subspan(at));
        at += count;
        index.add(puts[at - 1], at < puts.size() ? &puts[at] : nullptr,
                  stored_bytes(encoder.block(), codec, store.layout, scratch));
      }
    }
    const std::string block = index.finish();
    shares.push_back(
        blocks == 0 ? kWholeMillionths
                    : millionths(stored_bytes(block, codec, store.layout, scratch), block.size()));
  }
  return shares;
}

}  // namespace

Result<CodecShares> sample_compression(const KeyWorkload& workload, std::uint64_t seed,
                                       const StoreOptions& store,
                                       const std::vector<Compression>& codecs) {
  Puts puts = BOOST_OUTCOME_TRYX(first_puts(workload, seed, store));
  if (workload.cuts_values_from_text && store.value_ratio) cut_values(puts, *store.value_ratio);
  const std::vector<std::vector<Put>> memtables = some_memtables(puts);
  const std::vector<std::vector<Put>> all{sorted(puts.all)};
  // A memtable in the middle of the run; merged files have writes of the whole run, and RocksDB
  // sets the sequence numbers of the deepest level to 0.
  const Sequences of_middle{workload.operations / 2, 1};
  const std::uint64_t each = workload.operations / std::max<std::size_t>(1, puts.all.size());
  const Sequences of_run{0, std::max<std::uint64_t>(1, each)};
  const Sequences of_deepest = store.layout == SstableLayout::kRocksdb ? Sequences{0, 0} : of_run;
  const auto encoder = [&](Sequences sequences) {
    return BlockEncoder(store, sequences, puts.text);
  };
  const auto level0 = shares_of(memtables, store, encoder(of_middle), codecs);
  const auto merged = shares_of(all, store, encoder(of_run), codecs);
  const auto deepest = shares_of(all, store, encoder(of_deepest), codecs);
  const auto index = index_shares_of(all.front(), store, encoder(of_run), codecs);
  const auto bare_level0 = shares_of(without_values(memtables), store, encoder(of_middle), codecs);
  const auto bare_merged = shares_of(without_values(all), store, encoder(of_run), codecs);
  CodecShares shares;
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    shares.emplace_back(codecs[i], StoredShares{level0[i], merged[i], deepest[i], index[i],
                                                bare_level0[i], bare_merged[i]});
  }
  return shares;
}

}  // namespace lsmlab
