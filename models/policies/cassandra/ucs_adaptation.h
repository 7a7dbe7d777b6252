// The adaptive controller of UnifiedCompactionStrategy in DataStax's fork of Cassandra
// (unified/AdaptiveController.java, CostsCalculator.java and Controller.java of c22918137d).
// Cassandra 5.0 does not have it. After so many flushes it projects what a period's operations cost
// with each scaling parameter w:
//
//   lookups * RA(w) * read_multiplier  +  bytes written * (1 + WA(w)) * write_multiplier
//
// With n bytes of data, flushes of m bytes and the fanout f and threshold t of w, and with the
// greatest i for which m f^i <= n:
//
//   RA(w) = i (t - 1) + 1 if w < 0, else i (t - 1) + ceil(n / (m f^i)) - 1
//   WA(w) = i (f - 1) + ceil(n / (m f^i)) if w < 0, else i + 1
//
// If the cheapest w saves at least adaptive_threshold of the cost, level 0 gets it. If it is level
// 0's already, the lowest level that has another gets it, so that deeper levels follow slowly.
//
// The source measures how long a lookup in an SSTable takes, and a flush and a merge of a KiB. Here
// all are counted in blocks: a lookup reads one of each SSTable, and a block that is written costs
// as much. Multipliers say otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/sizes/store_options.h"
#include "models/tree/adaptation.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct UcsAdaptationOptions {
  std::uint64_t adapt_flushes = 0;
  std::string w_min = "-10";
  std::string w_max = "36";
  Decimal threshold{15, 100};
  std::optional<Bytes> dataset_size;
  Decimal read_multiplier{1, 1};
  Decimal write_multiplier{1, 1};

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// RA(w) and WA(w). REQUIRES: flush_bytes > 0.
struct UcsAmplification {
  std::uint64_t read = 0;
  std::uint64_t write = 0;
};
[[nodiscard]] UcsAmplification ucs_amplification(std::uint64_t data_bytes,
                                                 std::uint64_t flush_bytes, std::int64_t w);

/// What a period did, in blocks, and the sizes that costs depend on.
struct UcsLoad {
  double lookups = 0;
  double blocks_written = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t flush_bytes = 0;
};

/// In blocks.
[[nodiscard]] double ucs_cost(const UcsLoad& load, const UcsAdaptationOptions& options,
                              std::int64_t w);

/// The parameters of all levels after a period of this load. REQUIRES: kUcsLevelsMax of them.
[[nodiscard]] std::vector<std::int64_t> adapted_scalings(std::vector<std::int64_t> by_level,
                                                         const UcsLoad& load,
                                                         const UcsAdaptationOptions& options);

/// What the pending flush sets, with the parameters that hold now. Nothing before adapt_flushes
/// flushes have passed since the last time, or if nothing is known.
[[nodiscard]] std::optional<Adaptation> ucs_adaptation(const TreeView& tree,
                                                       const UcsAdaptationOptions& options,
                                                       const std::vector<std::int64_t>& by_level,
                                                       const StoreOptions& store,
                                                       Bytes flush_bytes);

}  // namespace lsmlab
