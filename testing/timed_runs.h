// Runs with a clock, for tests: puts and gets on a device whose times are whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "models/base/random.h"
#include "sim/timed/simulate_timed.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::testing {

// Puts of unique keys of one size, then gets of these keys, or scans of a number of entries from
// these keys. Optionally one more put after each get.
class PutsThenGets : public OperationSource {
 public:
  PutsThenGets(std::uint64_t puts, std::uint64_t gets, bool is_loading, bool alternates,
               std::uint32_t scan_entries)
      : puts_(puts),
        gets_(gets),
        is_loading_(is_loading),
        step_(alternates ? 2 : 1),
        scan_entries_(scan_entries) {}
  [[nodiscard]] std::uint64_t loading_operations() const override {
    return is_loading_ ? puts_ : 0;
  }
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < puts_ + step_ * gets_; ++filled, ++next_) {
      Operation& operation = operations[filled];
      operation = {};
      const bool is_put = next_ < puts_ || (next_ - puts_) % step_ != 0;
      operation.kind = is_put ? OperationKind::kPut : OperationKind::kGet;
      operation.key = mix_bits(is_put ? next_ : (next_ * 7919) % puts_);
      operation.key_bytes = 16;
      operation.value_bytes = 112;
      if (is_put || scan_entries_ == 0) continue;
      operation.kind = OperationKind::kScan;
      operation.scan_last_key = ~std::uint64_t{0};
      operation.scan_entries_max = scan_entries_;
    }
    return filled;
  }

 private:
  std::uint64_t puts_;
  std::uint64_t gets_;
  bool is_loading_;
  std::uint64_t step_;
  std::uint32_t scan_entries_;
  std::uint64_t next_ = 0;
};

// Parameters of the plain device, on which a byte takes a nanosecond, with some of them changed.
inline Parameters plain_device(const Parameters& changed = {}) {
  Parameters device{
      {"read_bandwidth", "1GB"},   {"write_bandwidth", "1GB"},     {"read_latency_ns", "80000"},
      {"write_latency_ns", "0"},   {"sequential_latency_ns", "0"}, {"cpu_put_ns", "1000"},
      {"cpu_get_ns", "500"},       {"cpu_table_ns", "100"},        {"cpu_block_ns", "700"},
      {"cpu_flush_entry_ns", "0"}, {"cpu_merge_entry_ns", "0"},    {"cpu_merge_kib_ns", "0"},
      {"cpu_flush_kib_ns", "0"},   {"cpu_file_ns", "0"},           {"cpu_cores", "64"},
      {"request_bytes", "128KiB"}};
  for (const auto& parameter : changed) {
    std::erase_if(device, [&](const auto& known) { return known.first == parameter.first; });
    device.push_back(parameter);
  }
  return device;
}

struct TimedCase {
  std::string policy = "none:buffer=1MiB,block_cache=0";
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::string clients = "closed";
  Parameters device = plain_device();
  bool sync_writes = false;
  bool disable_wal = false;
  unsigned merge_threads = 1;
  bool puts_load = false;
  Parameters stalls = {};
  bool alternates = false;
  std::uint32_t scan_entries = 0;  // if not 0, each get is a scan of this many entries
  std::vector<PartMark> parts = {};
};

inline RunResult run_timed(const TimedCase& given, bool final_flush = true) {
  DeviceAndClients machine;
  auto device = make_device("plain", given.device);
  REQUIRE(device.has_value());
  machine.device = std::move(device).value();
  auto clients = make_clients(parse_spec(given.clients).value());
  REQUIRE(clients.has_value());
  machine.clients = std::move(clients).value();
  RunSetup setup{policy_of(given.policy)};
  setup.parts = given.parts;
  setup.options.is_stepped = false;
  setup.options.sync = given.sync_writes ? SyncRule::kEveryBatch : SyncRule::kNever;
  setup.policy.store.writes_log = !given.disable_wal;
  setup.options.merge_threads = given.merge_threads;
  setup.options.final_flush = final_flush;
  setup.stalls = stall_rules_of(setup.policy, given.stalls).value();
  PutsThenGets source(given.puts, given.gets, given.puts_load, given.alternates,
                      given.scan_entries);
  RunControl control;
  auto result = simulate_timed(setup, machine, source, control);
  REQUIRE(result.has_value());
  REQUIRE(result.value().complete);
  return std::move(result).value();
}

}  // namespace lsmlab::testing
