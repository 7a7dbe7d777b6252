// A workload of operations, generated or read from a trace, that is ready to be opened.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/part_mark.h"
#include "models/base/stated_time.h"
#include "models/sizes/key_format.h"
#include "traces/workloads/operation.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

struct KeyWorkload {
  std::string name;
  ResolvedOptions options;
  std::uint64_t operations = 0;  // 0 if it is not known before the end
  /// Opens the operations. Errors: a trace that cannot be read.
  std::function<Result<std::unique_ptr<OperationSource>>(std::uint64_t seed)> open;
  /// What the operations are drawn from; null if no such description exists.
  std::shared_ptr<const OperationWorkload> model = {};
  /// Without a model: what resolution `range` cannot know, such as "traces".
  std::string beyond_ranges = {};
  /// No more than so many different keys are put; nothing if that is not known.
  std::optional<std::uint64_t> keys_max = {};
  /// The phases, by their ends; empty if they are not known.
  std::vector<PartMark> parts = {};
  /// How values compress (ValueShape), if the workload states it.
  std::optional<Decimal> value_ratio = {};
  /// The system that it stands for cuts values from one text (traces/tools/db_bench_values.h).
  bool cuts_values_from_text = false;
  /// How keys are made from ids (OperationSource).
  KeyFormat key_format = {};
  /// How many writes each write batch has.
  std::uint64_t write_batch = 1;
  /// How many operations a second it stands for, if it says so: stated times are counted by it.
  std::optional<OperationRate> rate = {};
  /// No id is larger; nothing if that is not known.
  std::optional<std::uint64_t> id_max = {};
};

}  // namespace lsmlab
