#include "traces/stores/compression_spec.h"

#include <map>

#include "testing/catch.h"

namespace lsmlab::compression_spec_test {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

stores::CompressionSpec spec_of(const Values& values, const stores::FamilyFigures& figures = {}) {
  return stores::compression_spec(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = values.find(name);
        if (found == values.end()) return std::nullopt;
        return found->second;
      },
      figures);
}

TEST_CASE("without options no compression is stated") {
  const auto spec = spec_of({});
  REQUIRE(spec.parameters.empty());
  REQUIRE(spec.guesses.empty());
  REQUIRE(spec_of({{"compression", "kNoCompression"}}).parameters.empty());
}

TEST_CASE("a list by level counts before the single codec") {
  const auto spec = spec_of(
      {{"compression", "kSnappyCompression"},
       {"compression_per_level", "kNoCompression:kNoCompression:kLZ4Compression:kZSTD:kZSTD"},
       {"bottommost_compression", "kDisableCompressionOption"}});
  REQUIRE(spec.parameters == Parameters{{"compression", "none:none:lz4:zstd"}});
  REQUIRE(spec_of({{"compression", "kSnappyCompression"}, {"compression_per_level", "{}"}})
              .parameters == Parameters{{"compression", "snappy"}});
}

TEST_CASE("the deepest level's own codec is stated") {
  const auto spec =
      spec_of({{"compression", "kLZ4Compression"}, {"bottommost_compression", "kZSTD"}});
  REQUIRE(spec.parameters ==
          Parameters{{"compression", "lz4"}, {"bottommost_compression", "zstd"}});
}

TEST_CASE("a codec that lsmlab lacks is replaced by the nearest, which is a guess") {
  const auto spec = spec_of({{"compression", "kZlibCompression"}});
  REQUIRE(spec.parameters == Parameters{{"compression", "zstd"}});
  REQUIRE(spec.guesses.size() == 1);
  REQUIRE(spec.guesses.front().why.find("kZlibCompression") != std::string::npos);
  const auto unknown = spec_of({{"compression", "kXpressCompression"}});
  REQUIRE(unknown.parameters.empty());
  REQUIRE(unknown.unmodelled == std::vector<std::string>{"compression=kXpressCompression"});
}

TEST_CASE("levels have the shares that their files show") {
  stores::FamilyFigures figures;
  figures.levels.resize(3);
  figures.levels[0].data_bytes = 600;
  figures.levels[0].raw_bytes = 1000;
  figures.levels[2].data_bytes = 450;
  figures.levels[2].raw_bytes = 1000;
  const auto spec =
      spec_of({{"compression", "kLZ4Compression"}, {"bottommost_compression", "kZSTD"}}, figures);
  REQUIRE(spec.parameters == Parameters{{"compression", "lz4@0.600:lz4:lz4@0.450"},
                                        {"bottommost_compression", "zstd@0.450"}});
  REQUIRE(spec.guesses.size() == 1);
}

TEST_CASE("with dynamic levels the list goes on from the first level that has data") {
  stores::FamilyFigures figures;
  figures.levels.resize(7);
  for (const std::size_t level : {std::size_t{0}, std::size_t{5}, std::size_t{6}}) {
    figures.levels[level].data_bytes = 100 * (level + 1);
    figures.levels[level].raw_bytes = 1000;
  }
  Values values{{"compression_per_level", "kNoCompression:kLZ4Compression:kZSTD"},
                {"level_compaction_dynamic_level_bytes", "true"}};
  REQUIRE(spec_of(values, figures).parameters ==
          Parameters{{"compression", "none:lz4@0.600:zstd@0.700"}});
  values["compaction_style"] = "kCompactionStyleUniversal";
  REQUIRE(spec_of(values, figures).parameters ==
          Parameters{{"compression", "none:lz4:zstd:zstd:zstd:zstd@0.600:zstd@0.700"}});
}

}  // namespace
}  // namespace lsmlab::compression_spec_test
