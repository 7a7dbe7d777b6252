#include "models/sizes/compression.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/check.h"
#include "models/base/decimal.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab {
namespace {

Result<LevelCodec> parse_codec(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string name(text.substr(0, at));
  LevelCodec parsed;
  std::vector<std::string> names;
  bool is_known = false;
  for (const auto& [known, codec] : compression_names()) {
    names.push_back(known);
    if (known != name) continue;
    parsed.codec = codec;
    is_known = true;
  }
  if (!is_known) {
    return input_error(fmt::format("unknown codec '{}'{}", excerpt(name), suggestion(name, names)));
  }
  if (at == std::string_view::npos) return parsed;
  const std::optional<Decimal> share = Decimal::parse(text.substr(at + 1));
  const Decimal one(1, 1);
  if (!share || share->numerator() == 0 || one < *share || parsed.codec == Compression::kNone) {
    return input_error(
        fmt::format("'{}': expected CODEC@SHARE, the share of a block that is left, "
                    "above 0 and up to 1, as in lz4@0.6",
                    excerpt(std::string(text))));
  }
  const auto stated = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, share->numerator() * kWholeMillionths / share->denominator()));
  parsed.stated_millionths = stated;
  parsed.shares = {stated, stated, stated, kWholeMillionths, std::nullopt, std::nullopt};
  return parsed;
}

const std::string& name_of(Compression codec) {
  const auto& names = compression_names();
  const auto found = std::find_if(names.begin(), names.end(),
                                  [codec](const auto& one) { return one.second == codec; });
  CHECK(found != names.end());
  return found->first;
}

template <class Rules, class Visit>
void visit_codecs(Rules& rules, Visit&& visit) {
  for (auto* list : {&rules.levels, &rules.bottommost}) {
    for (auto& codec : *list) visit(codec);
  }
}

}  // namespace

const std::vector<std::pair<std::string, Compression>>& compression_names() {
  static const std::vector<std::pair<std::string, Compression>> kNames{
      {"none", Compression::kNone},
      {"zstd", Compression::kZstd},
      {"lz4", Compression::kLz4},
      {"snappy", Compression::kSnappy}};
  return kNames;
}

Result<std::vector<LevelCodec>> CompressionRules::parse(std::string_view text) {
  std::vector<LevelCodec> codecs;
  while (true) {
    const std::size_t end = text.find(':');
    codecs.push_back(BOOST_OUTCOME_TRYX(parse_codec(text.substr(0, end))));
    if (end == std::string_view::npos) return codecs;
    text.remove_prefix(end + 1);
  }
}

std::string CompressionRules::text(const std::vector<LevelCodec>& codecs) {
  std::string text;
  for (const LevelCodec& codec : codecs) {
    if (!text.empty()) text += ':';
    text += name_of(codec.codec);
    if (codec.stated_millionths) {
      text += '@' + Decimal(*codec.stated_millionths, kWholeMillionths).text();
    }
  }
  return text;
}

bool CompressionRules::compresses() const {
  bool any = false;
  visit_codecs(*this, [&](const LevelCodec& one) { any |= one.codec != Compression::kNone; });
  return any;
}

BlockCompression CompressionRules::at(std::size_t level, std::size_t base, std::size_t used_levels,
                                      bool keeps_sequences) const {
  const std::size_t in_list = level < base ? std::min<std::size_t>(level, 1) : level - base + 1;
  const bool is_bottommost = level + 1 >= used_levels && !bottommost.empty();
  const LevelCodec& codec =
      is_bottommost ? bottommost.front() : levels[std::min(in_list, levels.size() - 1)];
  if (codec.codec == Compression::kNone) return {};
  const StoredShares& shares = codec.shares;
  if (!keeps_sequences) return {codec.codec, shares.without_sequences, shares.index, std::nullopt};
  return {codec.codec, shares.merged, shares.index, shares.bare_merged};
}

BlockCompression CompressionRules::of_flush() const {
  const LevelCodec& codec = levels.front();
  if (codec.codec == Compression::kNone) return {};
  return {codec.codec, codec.shares.level0, codec.shares.index, codec.shares.bare_level0};
}

std::vector<Compression> CompressionRules::without_share() const {
  std::vector<Compression> codecs;
  visit_codecs(*this, [&](const LevelCodec& one) {
    if (one.codec == Compression::kNone || one.stated_millionths) return;
    if (std::find(codecs.begin(), codecs.end(), one.codec) == codecs.end()) {
      codecs.push_back(one.codec);
    }
  });
  return codecs;
}

void CompressionRules::set_shares(const CodecShares& shares) {
  visit_codecs(*this, [&](LevelCodec& one) {
    for (const auto& [codec, found] : shares) {
      if (one.codec == codec && !one.stated_millionths) one.shares = found;
    }
  });
}

}  // namespace lsmlab
