#include "testing/oracles/naive_sstable.h"

#include <algorithm>
#include <optional>

namespace lsmlab::testing {
namespace {

constexpr std::uint64_t kTrailer = 1 + 8;  // compression, checksum
constexpr std::uint64_t kFooter = 8 + 4 + 8 + 4 + 8 + 4 + 4 + 8 + 8 + 8;

std::uint64_t varint_bytes(std::uint64_t value) {
  std::uint64_t bytes = 1;
  for (; value >= 128; value /= 128) ++bytes;
  return bytes;
}

// The measure of an open output file that a cut's limit applies to.
class Measure {
 public:
  Measure(const OutputCut& cut, const SstableFormat& format) : cut_(&cut), format_(&format) {}

  void add(const StoredEntry& entry) {
    entries_bytes_ += naive_entry_bytes(entry);
    block_bytes_ += naive_entry_bytes(entry);
    if (block_bytes_ < format_->block_bytes) return;
    closed_bytes_ += block_bytes_ + 2 + kTrailer;
    block_bytes_ = 0;
  }

  [[nodiscard]] std::uint64_t bytes() const {
    return cut_->measure == CutMeasure::kEntries ? entries_bytes_ : closed_bytes_;
  }
  [[nodiscard]] bool is_full() const {
    return cut_->file_bytes && bytes() >= cut_->file_bytes->value();
  }

 private:
  const OutputCut* cut_;
  const SstableFormat* format_;
  std::uint64_t entries_bytes_ = 0;
  std::uint64_t block_bytes_ = 0;
  std::uint64_t closed_bytes_ = 0;
};

// LevelDB's rule: a file ends before a key once it has passed more than the limit of grandparent
// bytes since the rule last applied. Grandparents that end before the very first key do not count.
class PassedGrandparents {
 public:
  PassedGrandparents(const OutputCut& cut, std::span<const File> grandparents)
      : cut_(cut), left_(grandparents) {}

  bool stop_before(std::uint64_t key) {
    for (; !left_.empty() && left_.front().keys.largest < key; left_ = left_.subspan(1)) {
      if (!is_first_) passed_bytes_ += left_.front().bytes.value();
    }
    is_first_ = false;
    const bool stops = passed_bytes_ > cut_.grandparent_bytes_max.value();
    if (stops) passed_bytes_ = 0;
    return stops;
  }

 private:
  const OutputCut& cut_;
  std::span<const File> left_;
  std::uint64_t passed_bytes_ = 0;
  bool is_first_ = true;
};

// Pebble's rule, for one open file: it looks at all grandparents for every key.
class GrandparentBegins {
 public:
  /// `had_no_choice`: the file before was full, and no boundary lies before this file.
  GrandparentBegins(const OutputCut& cut, std::span<const File> grandparents, std::uint64_t first,
                    bool had_no_choice)
      : cut_(cut), grandparents_(grandparents), last_(first) {
    std::uint64_t overlapped = 0;
    for (const File& file : grandparents) {
      if (file.keys.smallest > first) {
        overlapped += file.bytes.value();
        if (overlapped > cut.grandparent_bytes_max.value()) {
          limit_ = std::min(limit_, Uint128{file.keys.smallest});
        }
      } else if (file.keys.largest >= first || had_no_choice) {
        overlapped = file.bytes.value();
      }
    }
    for (const std::uint64_t limit : cut.limits) {
      if (limit > first) limit_ = std::min(limit_, Uint128{limit});
    }
  }

  [[nodiscard]] static bool is_boundary(const OutputCut& cut, std::span<const File> grandparents,
                                        std::uint64_t after, std::uint64_t key) {
    const auto lies_between = [&](std::uint64_t at) { return at > after && at <= key; };
    return std::any_of(cut.limits.begin(), cut.limits.end(), lies_between) ||
           std::any_of(grandparents.begin(), grandparents.end(),
                       [&](const File& file) { return lies_between(file.keys.smallest); });
  }

  [[nodiscard]] bool ends_before(std::uint64_t key, std::uint64_t bytes) {
    std::uint64_t crossed = 0;
    bool lies_ahead = false;
    for (const File& file : grandparents_) {
      if (file.keys.smallest <= last_) continue;
      if (file.keys.smallest <= key) {
        ++crossed;
      } else {
        lies_ahead = lies_ahead || file.keys.smallest < limit_;
      }
    }
    last_ = key;
    passed_ += crossed;
    if (key >= limit_) return true;
    if (!cut_.file_bytes) return false;
    const std::uint64_t target = cut_.file_bytes->value();
    if (cut_.grandparents == GrandparentRule::kGrandparentLimit) return bytes >= target;
    if (bytes >= 2 * target || (bytes >= target && !lies_ahead)) return true;
    const std::uint64_t percent = std::min<std::uint64_t>(45 + 5 * passed_, 90);
    return crossed > 0 && bytes >= target / 2 && bytes >= target * percent / 100;
  }

 private:
  const OutputCut& cut_;
  std::span<const File> grandparents_;
  std::uint64_t last_;
  std::uint64_t passed_ = 0;
  Uint128 limit_ = Uint128{1} << 64;
};

std::vector<std::size_t> cuts_at_begins(std::span<const StoredEntry> kept, const OutputCut& cut,
                                        std::span<const File> grandparents,
                                        const SstableFormat& format) {
  std::vector<std::size_t> files;
  std::optional<GrandparentBegins> rule;
  Measure measure(cut, format);
  std::uint64_t last = 0;
  for (const StoredEntry& entry : kept) {
    const bool is_boundary =
        !rule || GrandparentBegins::is_boundary(cut, grandparents, last, entry.key);
    if (!rule || rule->ends_before(entry.key, measure.bytes())) {
      rule.emplace(cut, grandparents, entry.key, !is_boundary);
      files.push_back(0);
      measure = Measure(cut, format);
    }
    ++files.back();
    measure.add(entry);
    last = entry.key;
  }
  return files;
}

// Whether a file of so many bytes, whose last key is given, ends before `key` because a file begins
// in between.
bool passes_begin(const OutputCut& cut, std::uint64_t last_key, std::uint64_t key,
                  std::uint64_t bytes) {
  if (!cut.file_begins || bytes < cut.file_begin_bytes_min.value()) return false;
  return std::any_of(cut.file_begins->begin(), cut.file_begins->end(),
                     [&](std::uint64_t begin) { return last_key < begin && begin <= key; });
}

}  // namespace

std::uint64_t naive_entry_bytes(const StoredEntry& entry) {
  const std::uint64_t tag = 8;
  const std::uint64_t offset = 2;
  return varint_bytes(entry.key_bytes) + varint_bytes(entry.value_bytes) + tag + entry.key_bytes +
         entry.value_bytes + offset;
}

std::vector<NaiveBlock> naive_blocks(std::span<const StoredEntry> entries,
                                     const SstableFormat& format) {
  std::vector<NaiveBlock> blocks;
  std::uint64_t open_bytes = 0;
  for (const StoredEntry& entry : entries) {
    if (open_bytes == 0) blocks.push_back({entry.key, entry.key_bytes});
    open_bytes += naive_entry_bytes(entry);
    blocks.back().last_key = entry.key;
    blocks.back().last_key_bytes = entry.key_bytes;
    blocks.back().stored_bytes = open_bytes + 2 + kTrailer;
    if (open_bytes >= format.block_bytes) open_bytes = 0;
  }
  return blocks;
}

std::uint64_t naive_file_bytes(std::span<const StoredEntry> entries, const SstableFormat& format) {
  std::uint64_t data = 0;
  std::uint64_t index = 4 + kTrailer;  // the number of handles
  for (const NaiveBlock& block : naive_blocks(entries, format)) {
    data += block.stored_bytes;
    std::uint64_t handle = varint_bytes(block.last_key_bytes) + block.last_key_bytes + 8 + 4;
    if (format.has_first_keys)
      handle += varint_bytes(block.first_key_bytes) + block.first_key_bytes;
    index += handle + 4;
  }
  std::uint64_t filter = 0;
  if (format.filter_millibits_per_key > 0) {
    std::uint64_t lines = 1;
    while (lines * 512 * 1000 < entries.size() * format.filter_millibits_per_key) ++lines;
    filter = lines * 64 + 1 + kTrailer;
  }
  const std::uint64_t smallest = entries.front().key_bytes;
  const std::uint64_t largest = entries.back().key_bytes;
  const std::uint64_t properties =
      6 * 8 + varint_bytes(smallest) + smallest + varint_bytes(largest) + largest + kTrailer;
  return data + filter + index + properties + kFooter;
}

std::uint64_t naive_slice_bytes(std::span<const StoredEntry> entries, const KeyRange& keys,
                                const SstableFormat& format) {
  std::uint64_t bytes = 0;
  bool has_whole = false;  // every version of the largest key, if blocks end with it
  for (const NaiveBlock& block : naive_blocks(entries, format)) {
    if (block.last_key < keys.smallest) continue;
    if (block.last_key > keys.largest && has_whole) break;
    bytes += block.stored_bytes;
    if (block.last_key > keys.largest) break;
    has_whole = block.last_key == keys.largest;
  }
  return bytes;
}

std::vector<std::size_t> naive_cuts(std::span<const StoredEntry> kept, const OutputCut& cut,
                                    std::span<const File> grandparents,
                                    const SstableFormat& format) {
  if (cut.has_begins()) {
    return cuts_at_begins(kept, cut, grandparents, format);
  }
  std::vector<std::size_t> files;
  PassedGrandparents passed(cut, grandparents);
  Measure measure(cut, format);
  bool is_open = false;
  std::uint64_t last_key = 0;
  for (const StoredEntry& entry : kept) {
    // Ask also for an entry that begins a file: the answer ends no file, but restarts the count.
    const bool stops =
        passes_begin(cut, last_key, entry.key, measure.bytes()) ||
        (cut.grandparents == GrandparentRule::kOverlapLimit && passed.stop_before(entry.key));
    last_key = entry.key;
    if (!is_open || stops) {
      files.push_back(0);
      measure = Measure(cut, format);
    }
    ++files.back();
    measure.add(entry);
    is_open = !measure.is_full();
  }
  return files;
}

bool naive_exceeds(std::span<const StoredEntry> entries, const OutputCut& cut,
                   const SstableFormat& format) {
  Measure measure(cut, format);
  for (const StoredEntry& entry : entries.first(entries.size() - 1)) measure.add(entry);
  return measure.is_full();
}

}  // namespace lsmlab::testing
