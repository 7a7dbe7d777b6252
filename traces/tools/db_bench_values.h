// The values that db_bench puts. It cuts one after the other from a text of a mebibyte, so that
// values which follow each other continue each other's pieces, and all values share few texts. Both
// matter to codecs.
// Source: RocksDB 7.8.3, tools/db_bench_tool.cc (RandomGenerator), test_util/testutil.cc
// (CompressibleString), util/random.h (Random).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/decimal.h"

namespace lsmlab::tools {

class DbBenchValueText {
 public:
  /// `ratio`: --compression_ratio, above 0 and up to 1. No value has more than `value_bytes_max`.
  DbBenchValueText(const Decimal& ratio, std::uint64_t value_bytes_max);

  /// Where the next value begins in the text. REQUIRES: value_bytes <= value_bytes_max.
  [[nodiscard]] std::uint64_t cut(std::uint64_t value_bytes);
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string text_;
  std::uint64_t at_ = 0;
};

}  // namespace lsmlab::tools
