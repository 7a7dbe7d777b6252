#include "traces/workloads/client_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "models/base/check.h"
#include "models/base/last_time.h"
#include "models/base/portable_math.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/workloads/number_lines.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

struct Family {
  const char* name;
  Arrivals arrivals;
  const char* summary;
};
constexpr Family kFamilies[] = {
    {"closed", Arrivals::kClosed, "each client sends its next operation when the last one is done"},
    {"paced", Arrivals::kPaced, "as closed, with no more than a rate of operations"},
    {"constant", Arrivals::kConstant,
     "operations arrive at equal distances; latencies count from the arrival"},
    {"poisson", Arrivals::kPoisson, "operations arrive at random, at a rate"},
    {"bursty", Arrivals::kBursty,
     "operations arrive at a rate for a while, then at a lower rate or not for a while"},
    {"replayed", Arrivals::kReplayed, "operations arrive at the times of a file"},
};

void declare(ClientModel& model, OptionTable& table) {
  table.count("clients", model.clients, {1, 65'536}, "clients",
              "largest number of concurrent operations");
  if (model.arrivals == Arrivals::kClosed) return;
  if (model.arrivals == Arrivals::kReplayed) {
    table.text(
        "path", model.path,
        "file with one time per line, in rising order; # starts a comment; if there are more "
        "operations, the file starts again");
    table.count("unit_ns", model.unit_ns, {1, kNsPerSecond}, "ns",
                "unit of these times; 1000 for microseconds");
    return;
  }
  model.rate = 100'000;
  table.count("rate", model.rate, {1, kNsPerSecond}, "operations a second",
              model.arrivals == Arrivals::kPaced
                  ? "most operations per second, of all clients together"
                  : "how many operations arrive per second, whatever the store does");
  if (model.arrivals == Arrivals::kPaced) {
    table.choice<PacedOperations>(
        "of", model.paced, {{"all", PacedOperations::kAll}, {"puts", PacedOperations::kPuts}},
        "what the rate limits: all operations, or puts alone, beside any number of gets, scans and "
        "deletes");
    table.count(
        "refill_ms", model.refill_ms, {0, 3'600'000}, "ms",
        "length of the limiter's period. The operations of a period may begin at once, which makes "
        "up for a stall within it (db_bench: 100). 0: each operation keeps its distance from the "
        "last");
  }
  if (model.arrivals != Arrivals::kBursty) return;
  table.count("on_ms", model.on_ms, {1, 3'600'000}, "ms", "length of a burst");
  table.count("off_ms", model.off_ms, {0, 3'600'000}, "ms", "time between bursts");
  table.count("off_rate", model.off_rate, {0, kNsPerSecond}, "operations a second",
              "how many operations arrive per second between bursts");
}

// Reads the times and counts them from the first one. Then appends when the first time comes again:
// one mean distance after the last time.
Result<void> read_times(ClientModel& model) {
  if (model.path.empty()) return input_error("path=FILE is needed");
  const NumberLines lines{parse_count, 0, kLastTimeNs / model.unit_ns, "a time of a run, in units",
                          "times"};
  std::vector<std::uint64_t> times = BOOST_OUTCOME_TRYX(read_number_lines(model.path, lines));
  const auto fall = std::adjacent_find(times.begin(), times.end(), std::greater<>());
  if (fall != times.end()) {
    return input_error(
        fmt::format("{}: time {} comes after time {}", model.path, *(fall + 1), *fall));
  }
  const std::uint64_t first = times.front();
  for (std::uint64_t& time : times) time = (time - first) * model.unit_ns;
  const std::uint64_t distance =
      times.size() > 1 ? times.back() / (times.size() - 1) : model.unit_ns;
  times.push_back(times.back() + std::max<std::uint64_t>(distance, 1));
  model.times_ns = std::make_shared<const std::vector<std::uint64_t>>(std::move(times));
  return success();
}

}  // namespace

std::vector<ClientFamily> client_families() {
  std::vector<ClientFamily> families;
  for (const Family& family : kFamilies) {
    ClientModel model;
    model.arrivals = family.arrivals;
    OptionTable table;
    declare(model, table);
    families.push_back({family.name, family.summary, table.describe()});
  }
  return families;
}

Result<ConfiguredClients> make_clients(const Spec& spec) {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    names.emplace_back(family.name);
    if (spec.name != family.name) continue;
    ConfiguredClients clients;
    clients.model.arrivals = family.arrivals;
    OptionTable table;
    declare(clients.model, table);
    const Result<void> assigned = table.assign(spec.parameters);
    if (!assigned) {
      return in_context(fmt::format("clients {}", spec.name), assigned.error());
    }
    if (family.arrivals == Arrivals::kReplayed) {
      const Result<void> read = read_times(clients.model);
      if (!read) {
        return in_context(fmt::format("clients {}", spec.name), read.error());
      }
    }
    clients.options = table.values();
    clients.options.insert(clients.options.begin(), {"arrivals", std::string(family.name)});
    clients.label = spec.name;
    for (const auto& [name, value] : spec.parameters) {
      clients.label += fmt::format(" {}={}", name, value);
    }
    return clients;
  }
  return input_error(
      fmt::format("unknown clients '{}'{}", excerpt(spec.name), suggestion(spec.name, names)));
}

std::uint64_t ArrivalTimes::next_from(std::uint64_t now_ns, OperationKind kind) {
  const bool is_free = model_.paced == PacedOperations::kPuts && kind != OperationKind::kPut;
  if (model_.arrivals == Arrivals::kClosed || is_free) return now_ns;
  if (model_.refill_ms > 0) return next_of_limiter(now_ns);
  const std::uint64_t begin_ns = std::max(now_ns, last_ns_);
  last_ns_ = begin_ns + (kNsPerSecond + model_.rate / 2) / model_.rate;
  return begin_ns;
}

// RocksDB's GenericRateLimiter (util/rate_limiter.cc): operations begin at once until those of a
// period are used up, then wait for the next one, which begins when it is first needed. One that
// takes more than a period waits for as many as it needs.
std::uint64_t ArrivalTimes::next_of_limiter(std::uint64_t now_ns) {
  const std::uint64_t period_ns = model_.refill_ms * 1'000'000;
  const Uint128 quota = Uint128{period_ns} * model_.rate;  // in operations times 10^-9
  while (available_ < kNsPerSecond) {
    last_ns_ = std::max(now_ns, refill_ns_);
    refill_ns_ = last_ns_ + period_ns;
    if (available_ < std::max<Uint128>(quota, kNsPerSecond)) available_ += quota;
  }
  available_ -= kNsPerSecond;
  return std::max(now_ns, last_ns_);
}

std::uint64_t ArrivalTimes::next_ns() {
  const auto in_time = [](Uint128 ns) {
    return static_cast<std::uint64_t>(std::min<Uint128>(ns, kLastTimeNs));
  };
  const auto at_rate = [&](std::uint64_t n) {
    return in_time(Uint128{n} * kNsPerSecond / model_.rate);
  };
  switch (model_.arrivals) {
    case Arrivals::kClosed:
    case Arrivals::kPaced:
      break;
    case Arrivals::kConstant:
      return at_rate(count_++);
    case Arrivals::kPoisson: {
      const double mean_ns = static_cast<double>(kNsPerSecond) / static_cast<double>(model_.rate);
      const double distance_ns = -portable_log(random_.unit()) * mean_ns;
      return last_ns_ += static_cast<std::uint64_t>(std::floor(distance_ns + 0.5));
    }
    case Arrivals::kReplayed:
      return next_replayed_ns();
    case Arrivals::kBursty:
      return next_bursty_ns();
  }
  CHECK(false);
  return 0;
}

std::uint64_t ArrivalTimes::next_bursty_ns() {
  const std::uint64_t on_ns = model_.on_ms * 1'000'000;
  const std::uint64_t off_ns = model_.off_ms * 1'000'000;
  // In operations times 10^-9, so that no phase loses a part of one.
  const Uint128 in_burst = Uint128{on_ns} * model_.rate;
  const Uint128 in_round = in_burst + Uint128{off_ns} * model_.off_rate;
  const Uint128 before = Uint128{count_++} * kNsPerSecond;
  const Uint128 in_last = before % in_round;
  const Uint128 since =
      in_last < in_burst ? in_last / model_.rate : on_ns + (in_last - in_burst) / model_.off_rate;
  const Uint128 at_ns = before / in_round * (on_ns + off_ns) + since;
  return static_cast<std::uint64_t>(std::min<Uint128>(at_ns, kLastTimeNs));
}

std::uint64_t ArrivalTimes::next_replayed_ns() {
  const std::vector<std::uint64_t>& times = *model_.times_ns;
  const std::uint64_t round = count_ / (times.size() - 1);
  const Uint128 at = Uint128{round} * times.back() + times[count_ % (times.size() - 1)];
  ++count_;
  return static_cast<std::uint64_t>(std::min<Uint128>(at, kLastTimeNs));
}

}  // namespace lsmlab
