// What lines of db_bench do to a store: one step for each benchmark, in order. A plan has no random
// numbers; db_bench_source.h draws them.
// Source: RocksDB 7.8.3, tools/db_bench_tool.cc. Where the text of its help and its code differ,
// the code counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/tools/db_bench_flags.h"

namespace lsmlab::tools {

/// Number v as a key: `key_bytes` bytes, of which the first eight are v, most significant first,
/// and the others '0'. With keys_per_prefix the number v mod `prefixes` comes before it. An id has
/// the same order as the key.
struct DbBenchKeys {
  std::uint16_t key_bytes = 16;
  unsigned number_bytes = 8;   // of v that the key has
  std::uint64_t prefixes = 0;  // 0: keys have no prefix
  unsigned prefix_bytes = 0;   // of the prefix that the key has, at most eight
  unsigned number_bits = 64;   // of an id; the prefix is above them
  bool leaves_gaps = false;    // ids are even, so that there are absent ones between them

  [[nodiscard]] std::uint64_t id(std::uint64_t number) const;
  friend bool operator==(const DbBenchKeys&, const DbBenchKeys&) = default;
};

enum class ValueSizeKind { kFixed, kUniform, kNormal };
struct DbBenchValues {
  ValueSizeKind kind = ValueSizeKind::kFixed;
  std::uint32_t fixed = 100;
  std::uint32_t min = 100;
  std::uint32_t max = 102'400;
};

/// Values for mixgraph: a hot range of keys by a sum of two exponentials, a key by a power, sizes
/// of values and lengths of scans by Pareto distributions.
struct MixGraph {
  double key_a = 0;
  double key_b = 0;
  double range_a = 0;
  double range_b = 0;
  double range_c = 0;
  double range_d = 0;
  std::int64_t ranges = 1;
  double value_theta = 0;
  double value_k = 0;
  double value_sigma = 0;
  double scan_theta = 0;
  double scan_k = 0;
  double scan_sigma = 0;
  double gets = 1;
  double puts = 0;
  double seeks = 0;
  std::int64_t scan_max = 0;
  std::int64_t value_max = 0;
};

/// The flags of one line that its steps share.
struct DbBenchSettings {
  std::uint64_t seed = 0;  // 0: that of the run
  std::uint64_t numbers = 1'000'000;
  std::uint64_t seek_nexts = 0;
  std::uint64_t scan_distance = 0;  // 0: no bound
  double read_exponent = 0;         // of read_random_exp_range; 0: reads are uniform
  std::uint32_t read_percent = 90;
  MixGraph mix;
};

enum class StepKind {
  kPutInOrder,
  kPutAtRandom,
  kPutEachOnce,
  kDeleteInOrder,
  kDeleteAtRandom,
  kGet,
  kGetBatch,
  kSeek,
  kScanAll,
  kUpdate,  // a get, then a put of the same key
  kReadWrite,
  kMixGraph,
};

struct DbBenchStep {
  std::string benchmark;
  StepKind kind = StepKind::kGet;
  std::uint64_t operations = 0;  // of each thread; an update counts once
  std::uint64_t numbers = 0;     // keys are numbers below this
  std::uint64_t batch = 1;
  std::uint64_t threads = 1;
  std::uint64_t first_thread = 1;  // db_bench counts the threads of all benchmarks from 1
  bool has_writer = false;         // one more thread, the first one, puts random keys
  std::uint64_t writer_puts = 0;
  bool asks_absent_keys = false;
  DbBenchValues values = {};
  std::shared_ptr<const DbBenchSettings> settings = {};

  /// Of all threads. An update is two.
  [[nodiscard]] std::uint64_t operation_count() const;
  [[nodiscard]] bool only_puts() const;
};

struct DbBenchPlan {
  DbBenchKeys keys;
  std::vector<DbBenchStep> steps;
  std::vector<std::string> notes;     // what differs from db_bench, in sentences
  std::vector<std::string> no_bytes;  // given flags without an effect on operations and bytes

  [[nodiscard]] std::uint64_t operation_count() const;
  /// No more than so many different keys are put.
  [[nodiscard]] std::uint64_t keys_max() const;
};

/// Plans the lines. `writer_puts`: the puts of a thread that writes while others read. Errors: a
/// benchmark that is unknown (with the nearest one) or that lsmlab cannot run; a flag that changes
/// operations and that lsmlab cannot follow; values that db_bench refuses or that make no sense.
[[nodiscard]] Result<DbBenchPlan> plan_db_bench(const std::vector<DbBenchLine>& lines,
                                                std::optional<std::uint64_t> writer_puts);

}  // namespace lsmlab::tools
