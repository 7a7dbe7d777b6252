#include "traces/tools/db_bench_source.h"

#include <algorithm>
#include <limits>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/base/units.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kValueStream = 1'000'002;

// A number below `bound`, as libstdc++ draws it from 32 random bits: Lemire's method. REQUIRES: 0 <
// bound < 2^32.
std::uint32_t draw_below(std::mt19937& random, std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{random()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t rejected_below = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < rejected_below) {
      product = std::uint64_t{random()} * bound;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

// The seed that db_bench's threads count from.
std::uint64_t base_seed(const DbBenchSettings& settings, std::uint64_t run_seed) {
  if (settings.seed != 0) return settings.seed;
  return settings.line == 0 ? run_seed : derive_seed(run_seed, settings.line);
}

}  // namespace

std::vector<std::uint32_t> shuffled_numbers(std::uint64_t count, std::uint32_t seed) {
  CHECK(count <= std::uint64_t{1} << 32);
  std::vector<std::uint32_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i);
  std::mt19937 random(seed);
  std::uint64_t i = 1;
  // If the square of the count fits in 32 bits, one draw gives two places.
  constexpr std::uint64_t kDrawMax = std::numeric_limits<std::uint32_t>::max();
  if (count > 0 && kDrawMax / count >= count) {
    if (count % 2 == 0 && count > 1) {
      std::swap(numbers[1], numbers[draw_below(random, 2)]);
      i = 2;
    }
    for (; i + 1 < count; i += 2) {
      const auto range = static_cast<std::uint32_t>(i + 1);
      const std::uint32_t both = draw_below(random, range * (range + 1));
      std::swap(numbers[i], numbers[both / (range + 1)]);
      std::swap(numbers[i + 1], numbers[both % (range + 1)]);
    }
    return numbers;
  }
  for (; i < count; ++i) {
    // All 32 bits have 2^32 values, which do not fit the bound.
    const std::uint32_t place = i == kDrawMax
                                    ? static_cast<std::uint32_t>(random())
                                    : draw_below(random, static_cast<std::uint32_t>(i + 1));
    std::swap(numbers[i], numbers[place]);
  }
  return numbers;
}

DbBenchSource::DbBenchSource(std::shared_ptr<const DbBenchPlan> plan, std::uint64_t seed)
    : plan_(std::move(plan)), seed_(seed), values_(derive_seed(seed, kValueStream)) {}

std::uint64_t DbBenchSource::loading_operations() const {
  std::uint64_t loading = 0;
  for (const DbBenchStep& step : plan_->steps) {
    if (step.kind == StepKind::kAsk) continue;
    if (!step.only_puts()) return loading;
    loading += step.operation_count();
  }
  return 0;  // there are only puts
}

Result<std::size_t> DbBenchSource::fill(std::span<Operation> operations) {
  std::size_t filled = 0;
  while (filled < operations.size()) {
    if (taken_ == pending_.size()) {
      pending_.clear();
      taken_ = 0;
      if (step_ == nullptr && !start_next_step()) break;
      if (!take_turn()) step_ = nullptr;
      continue;
    }
    operations[filled++] = pending_[taken_++];
  }
  return filled;
}

bool DbBenchSource::start_next_step() {
  if (next_step_ == plan_->steps.size()) return false;
  step_ = &plan_->steps[next_step_++];
  const std::uint64_t seed = base_seed(*step_->settings, seed_);
  threads_.clear();
  // The writer is the first thread that db_bench counts.
  const std::uint64_t first_reader = step_->first_thread + (step_->has_writer ? 1 : 0);
  for (std::uint64_t i = 0; i < step_->threads; ++i) threads_.emplace_back(seed + first_reader + i);
  if (step_->has_writer) threads_.emplace_back(seed + step_->first_thread);
  next_thread_ = 0;
  reader_units_ = 0;
  shuffled_ = {};
  if (step_->kind == StepKind::kPutEachOnce) {
    shuffled_ = shuffled_numbers(step_->numbers, static_cast<std::uint32_t>(seed));
  }
  if (step_->kind == StepKind::kMixGraph) mix_.emplace(step_->settings->mix, step_->numbers);
  return true;
}

// After i of n reads, the writer has done at least its i-th part of the puts.
bool DbBenchSource::is_writers_turn() const {
  if (!step_->has_writer || threads_.back().units == step_->writer_puts) return false;
  const Uint128 reads = Uint128{step_->units} * step_->threads;
  return reader_units_ == reads ||
         Uint128{threads_.back().units} * reads < Uint128{reader_units_} * step_->writer_puts;
}

bool DbBenchSource::take_turn() {
  if (is_writers_turn()) {
    Thread& writer = threads_.back();
    static_cast<void>(writer.random());
    put(random_number(writer));
    ++writer.units;
    return true;
  }
  const std::uint64_t units_each = step_->units;
  for (std::uint64_t i = 0; i < step_->threads; ++i) {
    Thread& thread = threads_[next_thread_];
    next_thread_ = (next_thread_ + 1) % step_->threads;
    if (thread.units == units_each) continue;
    const std::uint64_t before = thread.units;
    if (step_->kind == StepKind::kScanAll) {
      scan_all();
      thread.units = units_each;
    } else {
      take_batch(thread);
    }
    reader_units_ += thread.units - before;
    return true;
  }
  return false;
}

void DbBenchSource::take_batch(Thread& thread) {
  // One number goes to the choice of a store, of which there is one, except in these kinds.
  const bool chooses_store = step_->kind != StepKind::kPutInOrder &&
                             step_->kind != StepKind::kSeek &&
                             step_->kind != StepKind::kSeekInOrder;
  if (chooses_store) static_cast<void>(thread.random());
  for (std::uint64_t i = 0; i < step_->batch; ++i) {
    take_one(thread);
    ++thread.units;
  }
}

void DbBenchSource::take_one(Thread& thread) {
  switch (step_->kind) {
    case StepKind::kPutInOrder:
      return put(thread.units);
    case StepKind::kPutAtRandom:
      return put(random_number(thread));
    case StepKind::kPutEachOnce:
      return put(shuffled_[thread.units]);
    case StepKind::kDeleteInOrder:
      return remove(thread.units);
    case StepKind::kDeleteAtRandom:
      return remove(random_number(thread));
    case StepKind::kGet:
    case StepKind::kGetBatch:
      return get(read_number(thread));
    case StepKind::kSeek:
      return scan(random_number(thread), step_->settings->seek_nexts);
    case StepKind::kUpdate: {
      const std::uint64_t number = random_number(thread);
      get(number);
      return put(number);
    }
    case StepKind::kReadWrite:
      return read_or_put(thread);
    case StepKind::kMixGraph:
      return take_mixed(thread);
    case StepKind::kSeekInOrder:
      return seek_in_order(thread.units);
    case StepKind::kScanAll:
    case StepKind::kAsk:
      break;
  }
  CHECK(false);
}

void DbBenchSource::seek_in_order(std::uint64_t unit) {
  const std::uint64_t nexts = step_->settings->seek_nexts;
  const std::uint64_t first = unit * (nexts + 1);
  const std::uint64_t last = std::min(first + nexts, step_->numbers - 1);
  scan(first, last - first);
  scan(last, 0);
}

void DbBenchSource::read_or_put(Thread& thread) {
  const std::uint64_t number = random_number(thread);
  if (thread.gets_left == 0 && thread.puts_left == 0) {
    thread.gets_left = step_->settings->read_percent;
    thread.puts_left = 100 - thread.gets_left;
  }
  if (thread.gets_left > 0) {
    --thread.gets_left;
    return get(number);
  }
  --thread.puts_left;
  put(number);
}

void DbBenchSource::take_mixed(Thread& thread) {
  const std::uint64_t drawn = read_number(thread);
  const std::uint64_t number = mix_->key(drawn);
  switch (mix_->kind(drawn)) {
    case MixKind::kGet:
      return get(number);
    case MixKind::kPut:
      return put(number, mix_->value_bytes(drawn));
    case MixKind::kSeek:
      break;
  }
  scan(number, mix_->scan_steps(drawn));
}

std::uint64_t DbBenchSource::random_number(Thread& thread) const {
  return thread.random() % step_->numbers;
}

std::uint64_t DbBenchSource::read_number(Thread& thread) const {
  const double exponent = step_->settings->read_exponent;
  if (exponent == 0) return random_number(thread);
  // Low numbers are likely, then a multiplication spreads them.
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 62;
  constexpr std::uint64_t kPrime = 0x5bd1e995;
  const double order =
      static_cast<double>(thread.random() % kSteps) / static_cast<double>(kSteps) * exponent;
  const double number = portable_exp(-order) * static_cast<double>(step_->settings->numbers);
  return static_cast<std::uint64_t>(number) * kPrime % step_->settings->numbers;
}

std::uint32_t DbBenchSource::draw_value_bytes() {
  const DbBenchValues& sizes = step_->values;
  if (sizes.kind == ValueSizeKind::kFixed) return sizes.fixed;
  const std::uint64_t width = std::uint64_t{sizes.max} - sizes.min;
  if (sizes.kind == ValueSizeKind::kUniform) {
    return sizes.min + static_cast<std::uint32_t>(values_.below(width + 1));
  }
  // A normal distribution of which six standard deviations span the sizes: the sum of twelve
  // uniform numbers less six has mean 0 and deviation 1.
  double normal = -6;
  for (int i = 0; i < 12; ++i) normal += values_.unit();
  const double mean = (static_cast<double>(sizes.min) + static_cast<double>(sizes.max)) / 2;
  const double bytes = mean + normal * static_cast<double>(width) / 6;
  if (bytes <= static_cast<double>(sizes.min)) return sizes.min;
  return std::min(sizes.max, static_cast<std::uint32_t>(bytes));
}

void DbBenchSource::put(std::uint64_t number, std::uint32_t value_bytes) {
  pending_.push_back({.key = plan_->keys.id(number),
                      .value_bytes = value_bytes,
                      .key_bytes = plan_->keys.key_bytes,
                      .kind = OperationKind::kPut});
}

void DbBenchSource::remove(std::uint64_t number) {
  pending_.push_back({.key = plan_->keys.id(number),
                      .key_bytes = plan_->keys.key_bytes,
                      .kind = OperationKind::kDelete});
}

void DbBenchSource::get(std::uint64_t number) {
  Operation operation{.key = plan_->keys.id(number),
                      .key_bytes = plan_->keys.key_bytes,
                      .kind = OperationKind::kGet};
  if (step_->asks_absent_keys) {
    operation.key |= 1;
    ++operation.key_bytes;
  }
  pending_.push_back(operation);
}

void DbBenchSource::scan(std::uint64_t number, std::uint64_t moves) {
  constexpr std::uint64_t kEntriesMax = std::numeric_limits<std::uint32_t>::max();
  const DbBenchSettings& settings = *step_->settings;
  Operation operation{.key = plan_->keys.id(number),
                      .scan_last_key = ~std::uint64_t{0},
                      .key_bytes = plan_->keys.key_bytes,
                      .kind = OperationKind::kScan};
  operation.scan_entries_max = static_cast<std::uint32_t>(std::min(kEntriesMax, moves + 1));
  if (settings.scan_distance > 0 && step_->kind == StepKind::kSeek) {
    const std::uint64_t end = std::min(settings.numbers, number + settings.scan_distance);
    operation.scan_last_key = std::max(operation.key, plan_->keys.id(end) - 1);
  }
  pending_.push_back(operation);
}

void DbBenchSource::scan_all() {
  constexpr std::uint64_t kEntriesMax = std::numeric_limits<std::uint32_t>::max();
  pending_.push_back(
      {.key = 0,
       .scan_last_key = ~std::uint64_t{0},
       .scan_entries_max = static_cast<std::uint32_t>(std::min(kEntriesMax, step_->units + 1)),
       .key_bytes = plan_->keys.key_bytes,
       .kind = OperationKind::kScan});
}

}  // namespace lsmlab::tools
