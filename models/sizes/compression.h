// Compression of blocks: which codec each level has, and which share of a block it leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/units.h"

namespace lsmlab {

/// The numbers are those in files.
enum class Compression : std::uint8_t { kNone = 0, kZstd = 1, kLz4 = 2, kSnappy = 3 };

/// The names of options and results.
[[nodiscard]] const std::vector<std::pair<std::string, Compression>>& compression_names();

inline constexpr std::uint32_t kWholeMillionths = 1'000'000;

/// How the blocks of a file are stored.
struct BlockCompression {
  Compression codec = Compression::kNone;
  // Millionths of a data block that are left, without its trailer.
  std::uint32_t stored_millionths = kWholeMillionths;
  // Of the index block, which RocksDB and LevelDB compress, too.
  std::uint32_t index_millionths = kWholeMillionths;
  // Of entries without a value, as tombstones are. Nothing: as of other entries.
  std::optional<std::uint32_t> bare_millionths = {};

  /// What `block_bytes` are expected to become, of which `bare_bytes` are those of entries without
  /// a value; never more.
  [[nodiscard]] std::uint64_t stored_bytes(std::uint64_t block_bytes,
                                           std::uint64_t bare_bytes = 0) const {
    if (bare_bytes == 0 || !bare_millionths) return left_of(block_bytes, stored_millionths);
    const Uint128 scaled = Uint128{block_bytes - bare_bytes} * stored_millionths +
                           Uint128{bare_bytes} * *bare_millionths + kWholeMillionths / 2;
    return static_cast<std::uint64_t>(scaled / kWholeMillionths);
  }
  /// The share that is left if `bare_share` of the bytes are those of entries without a value.
  [[nodiscard]] double stored_share(double bare_share) const {
    const double others = static_cast<double>(stored_millionths);
    const double bare = static_cast<double>(bare_millionths.value_or(stored_millionths));
    return (others + (bare - others) * bare_share) / kWholeMillionths;
  }
  [[nodiscard]] std::uint64_t stored_index_bytes(std::uint64_t index_bytes) const {
    return left_of(index_bytes, index_millionths);
  }
  [[nodiscard]] static std::uint64_t left_of(std::uint64_t bytes, std::uint32_t millionths) {
    if (millionths == kWholeMillionths) return bytes;
    const Uint128 scaled = Uint128{bytes} * millionths + kWholeMillionths / 2;
    return static_cast<std::uint64_t>(scaled / kWholeMillionths);
  }
  friend bool operator==(const BlockCompression&, const BlockCompression&) = default;
};

/// What a codec leaves of blocks, in millionths. The more keys a sorted run has, the closer
/// they are to each other, so less is left of merged files than of flushed ones, and even less
/// where RocksDB writes no sequence numbers. Keys without values, as of tombstones, compress by
/// more: they are alike, and values are not. Where no sequence number is left there are no
/// tombstones.
struct StoredShares {
  std::uint32_t level0 = kWholeMillionths;
  std::uint32_t merged = kWholeMillionths;
  std::uint32_t without_sequences = kWholeMillionths;
  std::uint32_t index = kWholeMillionths;
  std::optional<std::uint32_t> bare_level0 = {};  // nothing: as level0
  std::optional<std::uint32_t> bare_merged = {};  // nothing: as merged
  friend bool operator==(const StoredShares&, const StoredShares&) = default;
};

/// The shares of some codecs.
using CodecShares = std::vector<std::pair<Compression, StoredShares>>;

/// One codec of a list. Without a stated share, a sample of the workload's entries is compressed to
/// find it (validate/catalog/compression_sample.h).
struct LevelCodec {
  Compression codec = Compression::kNone;
  std::optional<std::uint32_t> stated_millionths = {};
  StoredShares shares = {};  // equal to stated_millionths if that is set
  friend bool operator==(const LevelCodec&, const LevelCodec&) = default;
};

/// The codec of each level. RocksDB's compression_per_level and bottommost_compression.
class CompressionRules {
 public:
  /// Reads CODEC[@SHARE][:CODEC[@SHARE]...], one for each level from 0; the last counts for all
  /// deeper levels. SHARE is from 0 to 1, as in "none:none:lz4@0.6:zstd@45%". Errors: an unknown
  /// codec, a bad share.
  [[nodiscard]] static Result<std::vector<LevelCodec>> parse(std::string_view text);
  [[nodiscard]] static std::string text(const std::vector<LevelCodec>& codecs);

  std::vector<LevelCodec> levels{LevelCodec{}};
  std::vector<LevelCodec> bottommost = {};  // at most one: of the deepest level that has data

  [[nodiscard]] bool compresses() const;
  /// Of a merge into `level` of a tree (RocksDB's GetCompressionType, db/compaction/
  /// compaction_picker.cc): the list goes on from the first level in use below level 0, `base`, and
  /// the deepest of the `used_levels` may have a codec of its own. `keeps_sequences`: whether the
  /// entries keep their sequence numbers.
  [[nodiscard]] BlockCompression at(std::size_t level, std::size_t base, std::size_t used_levels,
                                    bool keeps_sequences) const;
  /// Of a flush.
  [[nodiscard]] BlockCompression of_flush() const;
  /// The codecs without a share, each once.
  [[nodiscard]] std::vector<Compression> without_share() const;
  /// Gives the codecs that have no stated share these.
  void set_shares(const CodecShares& shares);
};

}  // namespace lsmlab
