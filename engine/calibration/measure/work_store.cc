#include "engine/calibration/measure/work_store.h"

#include <array>
#include <cstring>
#include <filesystem>

#include "engine/files/process_io.h"
#include "engine/replay/engine_replay.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"
#include "models/base/random.h"
#include "models/policies/registry.h"
#include "models/sizes/sstable_size.h"
#include "traces/workloads/made_data.h"

namespace lsmlab::engine {
namespace {

using Key = CalibrateKey;

std::string_view view_of(const Key& key) { return {key.data(), key.size()}; }

// Keys of different numbers differ and have no order. Keys in a store are even, absent keys odd.
Key key_of(std::uint64_t number, bool is_present) {
  const std::uint64_t id = (mix_bits(number) << 1) | (is_present ? 0 : 1);
  std::string text;
  KeyFormat().write(id, kCalibrateKeyBytes, text);
  Key key;
  std::memcpy(key.data(), text.data(), key.size());
  return key;
}

}  // namespace

Result<RunSetup> run_of(const StoreShape& shape) {
  Spec policy = shape.policy;
  policy.parameters.emplace_back("buffer", std::to_string(shape.buffer.value()));
  policy.parameters.emplace_back("block_cache", shape.is_uncached ? "0" : "4GiB");
  RunSetup run{BOOST_OUTCOME_TRYX(make_policy(policy))};
  run.options.source = RunSource::kEngine;
  run.options.direct_io = shape.is_direct;
  run.options.wal_buffer = shape.wal_buffer;
  run.options.is_stepped = !shape.is_threaded;
  return run;
}

WorkStore::WorkStore(std::string directory, const StoreShape& shape)
    : directory_(std::move(directory)), shape_(shape) {
  make_value(1, 1, 2 * kCalibrateLargeValueBytes, values_);
}

WorkStore::~WorkStore() {
  store_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Result<void> WorkStore::open() {
  const RunSetup run = BOOST_OUTCOME_TRYX(run_of(shape_));
  ReplayOptions options;
  options.files = &files_;
  StoreSetup setup = store_setup_of(run, options);
  leaves_merges_ = !shape_.is_threaded;
  setup.stop = &leaves_merges_;
  store_ = BOOST_OUTCOME_TRYX(Store::open(directory_, setup));
  return success();
}

Result<Sample> WorkStore::fill(double share) {
  const std::uint64_t target = entries_of(share);
  CHECK(target > in_memtable_);
  const std::uint64_t count = target - in_memtable_;
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key_of(written_ + i, true));
  const double begin = thread_ns();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view value(values_.data() + i % kCalibrateLargeValueBytes,
                                 shape_.value_bytes);
    BOOST_OUTCOME_TRYV(store_->put(view_of(keys[i]), value));
  }
  Sample sample;
  sample.nanoseconds = (thread_ns() - begin) / static_cast<double>(count);
  in_memtable_ += count;
  written_ += count;
  return sample;
}

Result<void> WorkStore::time_puts(double memtables, LatencyHistogram& latencies) {
  const std::uint64_t count = entries_of(memtables);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Key key = key_of(written_++, true);
    const std::string_view value(values_.data() + i % kCalibrateLargeValueBytes,
                                 shape_.value_bytes);
    const CalibrateClock::time_point begin = CalibrateClock::now();
    BOOST_OUTCOME_TRYV(store_->put(view_of(key), value));
    latencies.add(static_cast<std::uint64_t>((CalibrateClock::now() - begin).count()));
  }
  return success();
}

Result<Sample> WorkStore::flush() {
  const Totals before = store_->totals();
  const double begin = thread_ns();
  BOOST_OUTCOME_TRYV(store_->flush());
  Sample sample = of_entries(thread_ns() - begin, in_memtable_,
                             store_->totals().flush_bytes_written - before.flush_bytes_written);
  in_memtable_ = 0;
  return sample;
}

Result<Sample> WorkStore::merge() {
  leaves_merges_ = false;
  // This reader keeps the inputs until the clock has stopped. Their removal is measured elsewhere
  // (CpuWork::kFile).
  const std::unique_ptr<Cursor> reader = store_->scan({});
  const double begin = thread_ns();
  BOOST_OUTCOME_TRYV(store_->settle());
  const double taken = thread_ns() - begin;
  leaves_merges_ = true;
  CHECK(store_->totals().merges == 1);
  Sample sample = of_entries(taken, written_, store_->totals().merge_bytes_read);
  const MergeTime time = store_->impl().merge_times().back();
  sample.wall_ns = static_cast<double>(time.nanoseconds) / static_cast<double>(written_);
  sample.core_wait_ns = static_cast<double>(time.core_wait_ns) / static_cast<double>(written_);
  return sample;
}

Result<Sample> WorkStore::look_up(bool is_present, std::uint64_t lookups) {
  // Keys in files only: lookups in the memtable would ask no SSTable.
  const std::uint64_t in_files = written_ - in_memtable_;
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < lookups; ++i) keys.push_back(next_looked_up(is_present, in_files));
  const auto sums = [&] {
    LookupFigures all = store_->reads().gets_found;
    all += store_->reads().gets_absent;
    return all;
  };
  const LookupFigures before = sums();
  const std::uint64_t core_wait_begin_ns = thread_times().core_wait_ns;
  const CalibrateClock::time_point wall_begin = CalibrateClock::now();
  const double begin = thread_ns();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = BOOST_OUTCOME_TRYX(store_->get(view_of(keys[i])));
    CHECK(found.has_value() == is_present);
  }
  const auto count = static_cast<double>(lookups);
  Sample sample;
  sample.nanoseconds = (thread_ns() - begin) / count;
  sample.wall_ns = static_cast<double>((CalibrateClock::now() - wall_begin).count()) / count;
  sample.core_wait_ns =
      static_cast<double>(thread_times().core_wait_ns - core_wait_begin_ns) / count;
  const LookupFigures after = sums();
  sample.tables = static_cast<double>(after.runs_touched - before.runs_touched) / count;
  sample.blocks =
      static_cast<double>(after.blocks.blocks_fetched - before.blocks.blocks_fetched) / count;
  return sample;
}

Result<WorkStore::InTurn> WorkStore::look_up_and_put(std::uint64_t lookups) {
  const std::uint64_t in_files = written_ - in_memtable_;
  const LookupFigures before = store_->reads().gets_found;
  std::array<LatencyHistogram, 2> puts;
  Sample get;
  const std::string_view value(values_.data(), shape_.value_bytes);
  const auto count = static_cast<double>(lookups);
  for (std::uint64_t i = 0; i < lookups; ++i) {
    const Key key = next_looked_up(true, in_files);
    const std::array put_keys{key_of(written_, true), key_of(written_ + 1, true)};
    const double work_begin = thread_ns();
    const CalibrateClock::time_point get_begin = CalibrateClock::now();
    const auto found = BOOST_OUTCOME_TRYX(store_->get(view_of(key)));
    CHECK(found.has_value());
    get.wall_ns += static_cast<double>((CalibrateClock::now() - get_begin).count()) / count;
    get.nanoseconds += (thread_ns() - work_begin) / count;
    for (std::size_t put = 0; put < puts.size(); ++put) {
      const CalibrateClock::time_point begin = CalibrateClock::now();
      BOOST_OUTCOME_TRYV(store_->put(view_of(put_keys[put]), value));
      puts[put].add(static_cast<std::uint64_t>((CalibrateClock::now() - begin).count()));
      ++written_;
      ++in_memtable_;
    }
  }
  const LookupFigures after = store_->reads().gets_found;
  get.tables = static_cast<double>(after.runs_touched - before.runs_touched) / count;
  get.blocks =
      static_cast<double>(after.blocks.blocks_fetched - before.blocks.blocks_fetched) / count;
  Sample put;
  put.nanoseconds = static_cast<double>(puts[0].percentile(50, 100));
  put.slow_ns = put.nanoseconds - static_cast<double>(puts[1].percentile(50, 100));
  return InTurn{get, put};
}

CalibrateKey WorkStore::next_looked_up(bool is_present, std::uint64_t in_files) {
  const std::uint64_t number = looked_up_++;
  return key_of(is_present ? (number * 0x9e3779b1) % in_files : number, is_present);
}

Result<Sample> WorkStore::scan(std::uint64_t entries, std::uint64_t count) {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key_of(i, false));
  const ScanFigures before = store_->reads().scans;
  const double begin = thread_ns();
  for (const Key& key : keys) {
    const std::unique_ptr<Cursor> cursor = store_->scan({std::string(view_of(key)), std::nullopt});
    for (std::uint64_t i = 0; i < entries; ++i) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry) break;
    }
  }
  Sample sample;
  const auto scans = static_cast<double>(count);
  sample.nanoseconds = (thread_ns() - begin) / scans;
  const ScanFigures after = store_->reads().scans;
  sample.entries = static_cast<double>(after.entries - before.entries) / scans;
  sample.tables = static_cast<double>(after.runs_touched - before.runs_touched) / scans;
  sample.blocks =
      static_cast<double>(after.blocks.blocks_fetched - before.blocks.blocks_fetched) / scans;
  return sample;
}

Result<void> WorkStore::read_all() {
  const std::unique_ptr<Cursor> cursor = store_->scan({});
  for (;;) {
    const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
    if (!has_entry) return success();
  }
}

std::uint64_t WorkStore::entries_of(double memtables) const {
  const auto entry_bytes =
      static_cast<double>(buffered_entry_bytes(kCalibrateKeyBytes, shape_.value_bytes));
  return static_cast<std::uint64_t>(memtables * static_cast<double>(shape_.buffer.value()) /
                                    entry_bytes);
}

Sample WorkStore::of_entries(double nanoseconds, std::uint64_t entries, Uint128 bytes) {
  const auto count = static_cast<double>(entries);
  Sample sample;
  sample.nanoseconds = nanoseconds / count;
  sample.entries = 1;
  sample.kib = static_cast<double>(bytes) / 1024 / count;
  return sample;
}

}  // namespace lsmlab::engine
