#include "models/sizes/compression.h"

#include "testing/catch.h"

namespace lsmlab::compression_test {
namespace {

CompressionRules rules_of(const std::string& levels, const std::string& bottommost = "") {
  CompressionRules rules;
  rules.levels = CompressionRules::parse(levels).value();
  if (!bottommost.empty()) rules.bottommost = CompressionRules::parse(bottommost).value();
  return rules;
}

std::string error_of(const std::string& text) {
  return CompressionRules::parse(text).error().message;
}

TEST_CASE("a list of codecs is read and shown alike") {
  for (const char* text : {"none", "zstd", "none:none:lz4@0.5:zstd@0.35", "snappy@1"}) {
    REQUIRE(CompressionRules::text(CompressionRules::parse(text).value()) == text);
  }
  const auto share = CompressionRules::parse("lz4@62.5%").value().front();
  REQUIRE(share.stated_millionths == 625'000);
  REQUIRE(share.shares == StoredShares{625'000, 625'000, 625'000});
}

TEST_CASE("a list of codecs that cannot be is refused with what would do") {
  REQUIRE(error_of("zstdd") == "unknown codec 'zstdd'; did you mean 'zstd'?");
  REQUIRE(error_of("none::lz4").starts_with("unknown codec ''"));
  for (const char* text : {"lz4@0", "lz4@1.01", "lz4@", "lz4@x", "none@0.5"}) {
    INFO(text);
    REQUIRE(error_of(text).find("expected CODEC@SHARE") != std::string::npos);
  }
}

TEST_CASE("levels take their codecs from the list, whose last one counts for all deeper") {
  const CompressionRules rules = rules_of("none:snappy@0.6:zstd@0.4");
  const auto codec = [&](std::size_t level, std::size_t base) {
    return rules.at(level, base, 7, true).codec;
  };
  REQUIRE(rules.of_flush().codec == Compression::kNone);
  REQUIRE(codec(0, 1) == Compression::kNone);
  REQUIRE(codec(1, 1) == Compression::kSnappy);
  REQUIRE(codec(2, 1) == Compression::kZstd);
  REQUIRE(codec(6, 1) == Compression::kZstd);
  // With dynamic levels the first level in use takes the second codec.
  REQUIRE(codec(4, 4) == Compression::kSnappy);
  REQUIRE(codec(5, 4) == Compression::kZstd);
}

TEST_CASE("the deepest level may have a codec of its own, flushes never") {
  const CompressionRules rules = rules_of("lz4@0.6", "zstd@0.3");
  REQUIRE(rules.of_flush().codec == Compression::kLz4);
  REQUIRE(rules.at(2, 1, 4, true).codec == Compression::kLz4);
  REQUIRE(rules.at(3, 1, 4, true).codec == Compression::kZstd);
  REQUIRE(rules.at(4, 1, 4, true).codec == Compression::kZstd);
}

TEST_CASE("entries without a value have a share of their own") {
  const BlockCompression found{Compression::kLz4, 500'000, kWholeMillionths, 250'000};
  REQUIRE(found.stored_bytes(1000) == 500);
  REQUIRE(found.stored_bytes(1000, 400) == 600 / 2 + 400 / 4);
  REQUIRE(found.stored_bytes(1000, 1000) == 250);
  REQUIRE(found.stored_share(0.4) == 0.4);
  const BlockCompression stated{Compression::kLz4, 500'000};
  REQUIRE(stated.stored_bytes(1000, 400) == 500);
  REQUIRE(stated.stored_share(0.4) == 0.5);

  CompressionRules rules = rules_of("lz4");
  rules.set_shares({{Compression::kLz4, {600'000, 500'000, 400'000, 700'000, 300'000, 200'000}}});
  REQUIRE(rules.of_flush().bare_millionths == 300'000U);
  REQUIRE(rules.at(1, 1, 3, true).bare_millionths == 200'000U);
  // Where sequence numbers are 0, there are no tombstones.
  REQUIRE_FALSE(rules.at(2, 1, 3, false).bare_millionths.has_value());
  REQUIRE_FALSE(rules_of("lz4@0.6").of_flush().bare_millionths.has_value());
}

TEST_CASE("shares that were found count where none was stated") {
  CompressionRules rules = rules_of("snappy:lz4@0.7:snappy", "zstd");
  REQUIRE(rules.without_share() ==
          std::vector<Compression>{Compression::kSnappy, Compression::kZstd});
  rules.set_shares({{Compression::kSnappy, {600'000, 590'000, 500'000, 450'000}},
                    {Compression::kLz4, {1, 2, 3}},
                    {Compression::kZstd, {400'000, 390'000, 380'000}}});
  REQUIRE(rules.of_flush().stored_millionths == 600'000);
  REQUIRE(rules.of_flush().index_millionths == 450'000);
  REQUIRE(rules.at(2, 1, 9, false).index_millionths == 450'000);
  // A stated share is that of data blocks.
  REQUIRE(rules.at(1, 1, 9, true).index_millionths == kWholeMillionths);
  REQUIRE(rules.at(1, 1, 9, true).stored_millionths == 700'000);
  REQUIRE(rules.at(2, 1, 9, true).stored_millionths == 590'000);
  REQUIRE(rules.at(2, 1, 9, false).stored_millionths == 500'000);
  REQUIRE(rules.at(8, 1, 9, false).stored_millionths == 380'000);
}

TEST_CASE("a block keeps the nearest whole number of bytes") {
  const BlockCompression half{Compression::kLz4, 500'000};
  REQUIRE(half.stored_bytes(4096) == 2048);
  REQUIRE(half.stored_bytes(1) == 1);  // a half rounds up
  REQUIRE(half.stored_bytes(0) == 0);
  REQUIRE(BlockCompression{}.stored_bytes(4097) == 4097);
  REQUIRE(half.stored_index_bytes(4097) == 4097);
  REQUIRE(BlockCompression{Compression::kLz4, 500'000, 600'000}.stored_index_bytes(1000) == 600);
}

}  // namespace
}  // namespace lsmlab::compression_test
