#include "traces/stores/compression_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lsmlab::stores {
namespace {

struct CodecName {
  std::string_view option;
  std::string_view codec;
  bool is_near = false;  // lsmlab has no such codec; the sizes of this one are near
};
constexpr CodecName kCodecs[] = {{"kNoCompression", "none"},
                                 {"kSnappyCompression", "snappy"},
                                 {"kLZ4Compression", "lz4"},
                                 {"kLZ4HCCompression", "lz4", true},
                                 {"kZSTD", "zstd"},
                                 {"kZSTDNotFinalCompression", "zstd"},
                                 {"kZlibCompression", "zstd", true},
                                 {"kBZip2Compression", "zstd", true},
                                 // Of Pebble 2: mixes by the age and the gain of blocks.
                                 {"Fastest", "lz4", true},
                                 {"MinLZ", "lz4", true},
                                 {"Fast", "lz4", true},
                                 {"Balanced", "zstd", true},
                                 {"Good", "zstd", true}};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

class CompressionMapper {
 public:
  /// `is_dynamic`: the list of codecs goes on from the first level below 0 that has data.
  CompressionMapper(const FamilyFigures& figures, bool is_dynamic) : figures_(figures) {
    if (!is_dynamic) return;
    while (base_ < figures.levels.size() && figures.levels[base_].data_bytes == 0) ++base_;
    if (base_ == figures.levels.size()) base_ = 1;
  }

  /// The codec of a level, with the share that the files show.
  std::string codec_of(std::string_view parameter, const std::string& option,
                       std::optional<std::size_t> level) {
    const auto* const known =
        std::find_if(std::begin(kCodecs), std::end(kCodecs),
                     [&](const CodecName& one) { return one.option == option; });
    if (known == std::end(kCodecs)) {
      result_.unmodelled.push_back(fmt::format("{}={}", parameter, option));
      return "none";
    }
    if (known->is_near) {
      result_.guesses.push_back(
          {std::string(parameter),
           fmt::format("lsmlab has no {}; {} is the nearest codec", option, known->codec)});
    }
    std::string text(known->codec);
    if (text == "none") return text;
    const DbBenchHeading& heading = figures_.db_bench;
    if (heading.states_entries() && heading.compressed_value_bytes > 0) {
      states_share_ = true;
      const std::uint64_t stored =
          heading.key_bytes + std::min(heading.value_bytes, heading.compressed_value_bytes);
      const auto all = static_cast<double>(heading.key_bytes + heading.value_bytes);
      return text + fmt::format("@{:.3f}", static_cast<double>(stored) / all);
    }
    if (!level || *level >= figures_.levels.size()) return text;
    const LevelFigures& seen = figures_.levels[*level];
    if (seen.data_bytes == 0 || seen.raw_bytes == 0) return text;
    const double share = std::clamp(
        static_cast<double>(seen.data_bytes) / static_cast<double>(seen.raw_bytes), 0.01, 1.0);
    has_shares_ = true;
    return text + fmt::format("@{:.3f}", share);
  }

  void add_levels(const std::vector<std::string>& options) {
    // A single option holds for every level, and their shares may differ.
    const std::size_t levels = figures_.levels.size();
    const std::size_t count = std::max(options.size(), levels >= base_ ? levels - base_ + 1 : 1);
    std::vector<std::string> codecs;
    for (std::size_t place = 0; place < count; ++place) {
      codecs.push_back(codec_of("compression", options[std::min(place, options.size() - 1)],
                                place == 0 ? 0 : base_ + place - 1));
    }
    while (codecs.size() > 1 && codecs.back() == codecs[codecs.size() - 2]) codecs.pop_back();
    if (codecs.size() > 1 || codecs.front() != "none") {
      result_.parameters.emplace_back("compression", fmt::format("{}", fmt::join(codecs, ":")));
    }
    if (states_share_) {
      result_.guesses.push_back(
          {"compression", "the share is what db_bench's heading expects of its values"});
    }
    if (has_shares_) {
      result_.guesses.push_back(
          {"compression",
           "a share is that of the files' data blocks in their keys and values, which also share "
           "prefixes"});
    }
  }
  void add_bottommost(const std::string& option) {
    std::optional<std::size_t> deepest;
    for (std::size_t level = 0; level < figures_.levels.size(); ++level) {
      if (figures_.levels[level].data_bytes > 0) deepest = level;
    }
    result_.parameters.emplace_back("bottommost_compression",
                                    codec_of("bottommost_compression", option, deepest));
  }
  CompressionSpec finish() { return std::move(result_); }

 private:
  const FamilyFigures& figures_;
  std::size_t base_ = 1;
  CompressionSpec result_;
  bool has_shares_ = false;
  bool states_share_ = false;  // of db_bench's heading
};

}  // namespace

CompressionSpec compression_spec(
    const std::function<std::optional<std::string>(std::string_view)>& value,
    const FamilyFigures& figures) {
  const bool is_leveled =
      value("compaction_style").value_or("kCompactionStyleLevel") == "kCompactionStyleLevel";
  CompressionMapper mapper(figures,
                           is_leveled && value("level_compaction_dynamic_level_bytes") == "true");
  const auto per_level = value("compression_per_level");
  const auto single = value("compression");
  if (per_level && !per_level->empty() && *per_level != "{}") {
    mapper.add_levels(split(*per_level));
  } else if (single) {
    mapper.add_levels({*single});
  }
  const auto bottommost = value("bottommost_compression");
  if (bottommost && *bottommost != "kDisableCompressionOption") mapper.add_bottommost(*bottommost);
  return mapper.finish();
}

}  // namespace lsmlab::stores
