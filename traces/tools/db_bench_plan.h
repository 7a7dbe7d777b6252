// What lines of db_bench do to a store: one step for each benchmark, in order. A plan has no random
// numbers; db_bench_source.h draws them.
// Source: RocksDB 7.8.3, tools/db_bench_tool.cc. Where the text of its help and its code differ,
// the code counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/stated_time.h"
#include "traces/tools/db_bench_benchmarks.h"
#include "traces/tools/db_bench_flags.h"
#include "traces/tools/db_bench_mixgraph.h"

namespace lsmlab::tools {

/// Number v as a key: `key_bytes` bytes, of which the first eight are v, most significant first,
/// and the others '0'. A key of fewer than eight bytes has the last ones of v. An id has the same
/// order as the key, and the same first eight bytes unless ids leave gaps.
struct DbBenchKeys {
  std::uint16_t key_bytes = 16;
  bool leaves_gaps = false;  // ids are even, so that there are absent ones between them

  [[nodiscard]] std::uint64_t id(std::uint64_t number) const {
    const unsigned dropped_bits = key_bytes < 8 ? 64 - 8 * unsigned{key_bytes} : 0;
    const std::uint64_t kept = number << dropped_bits >> dropped_bits;
    return leaves_gaps ? kept << 1 : kept;
  }
  friend bool operator==(const DbBenchKeys&, const DbBenchKeys&) = default;
};

enum class ValueSizeKind { kFixed, kUniform, kNormal };
struct DbBenchValues {
  ValueSizeKind kind = ValueSizeKind::kFixed;
  std::uint32_t fixed = 100;
  std::uint32_t min = 100;  // of kUniform and kNormal, both ends included
  std::uint32_t max = 102'400;
};

/// The flags of one line that its steps share.
struct DbBenchSettings {
  std::size_t line = 0;
  std::uint64_t seed = 0;  // 0: that of the run
  std::uint64_t numbers = 1'000'000;
  std::uint64_t seek_nexts = 0;
  std::uint64_t scan_distance = 0;  // 0: no bound
  double read_exponent = 0;         // of read_random_exp_range; 0: reads are uniform
  std::uint32_t read_percent = 90;
  MixGraph mix = {};
};

struct DbBenchStep {
  std::string benchmark;
  StepKind kind = StepKind::kGet;
  std::uint64_t units = 0;    // of each thread; what db_bench counts as operations
  std::uint64_t numbers = 0;  // keys are numbers below this
  std::uint64_t batch = 1;
  std::uint64_t threads = 1;       // without the writer
  std::uint64_t first_thread = 1;  // db_bench counts the threads of all benchmarks from 1
  bool has_writer = false;         // one more thread, the first one, puts random keys
  std::uint64_t writer_puts = 0;
  PartEnd asks = PartEnd::kNothing;  // of kAsk
  bool asks_absent_keys = false;
  DbBenchValues values = {};
  std::shared_ptr<const DbBenchSettings> settings = {};

  /// Of all threads. An update is two, and so is a unit of kSeekInOrder.
  [[nodiscard]] std::uint64_t operation_count() const;
  [[nodiscard]] bool only_puts() const {
    return kind == StepKind::kPutInOrder || kind == StepKind::kPutAtRandom ||
           kind == StepKind::kPutEachOnce;
  }
  [[nodiscard]] bool only_deletes() const {
    return kind == StepKind::kDeleteInOrder || kind == StepKind::kDeleteAtRandom;
  }
  /// Whether it has puts that --benchmark_write_rate_limit does not limit (UpdateRandom,
  /// ReadRandomWriteRandom; MixGraph asks it for 100 bytes with every hundredth put).
  [[nodiscard]] bool has_free_puts() const {
    return kind == StepKind::kUpdate || kind == StepKind::kReadWrite ||
           (kind == StepKind::kMixGraph && settings->mix.puts > 0);
  }
};

struct DbBenchPlan {
  DbBenchKeys keys;
  std::vector<DbBenchStep> steps;
  // Writes of each write batch; nothing if some batches have more than others.
  std::optional<std::uint64_t> write_batch = 1;
  // Of the store. The plan is that of one: number v belongs to family v modulo so many.
  std::uint64_t column_families = 1;
  std::vector<std::string> notes;  // what differs from db_bench, in sentences
  /// The given flags that do not decide operations, as "name=value", by what lsmlab does with them.
  /// Of those but kNoBytes only values that differ from the default.
  std::map<FlagUse, std::vector<std::string>> other_flags;
  std::vector<std::string> unused_flags;  // given ones of kOperations that no benchmark asks for

  [[nodiscard]] std::uint64_t operation_count() const;
  /// No more than so many different keys are put.
  [[nodiscard]] std::uint64_t keys_max() const;
};

/// What a line does not say, because it depends on the machine.
struct MachineFigures {
  std::optional<std::uint64_t> writer_puts = {};  // of a thread that writes while others read
  // of all threads; says how long a benchmark is that --duration ends
  std::optional<OperationRate> operations_per_second = {};
};

/// Makes the lines longer or shorter: what they count in keys and operations, and --duration.
struct LineScale {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;  // not 0
  std::uint64_t parts = 1;        // not 0; the scaled counts are divided by it

  /// Rounded to the nearest; 0 only for 0, and at most 2^63.
  [[nodiscard]] std::uint64_t of(std::uint64_t count) const;
};

/// Plans the lines. Errors: a benchmark that is unknown (with the nearest one) or that lsmlab
/// cannot run; a flag that changes operations and that lsmlab cannot follow; values that db_bench
/// refuses or that make no sense; a figure of the machine that is missing, or puts of a writer that
/// no benchmark has; nothing to do, or more than 2^48 operations.
[[nodiscard]] Result<DbBenchPlan> plan_db_bench(const std::vector<DbBenchLine>& lines,
                                                const MachineFigures& machine,
                                                const LineScale& scale = {});

}  // namespace lsmlab::tools
