#include "sim/client_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/check.h"
#include "models/portable_math.h"
#include "models/suggest.h"
#include "sim/event_queue.h"

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
    {"constant", Arrivals::kConstant,
     "operations arrive at equal distances; latencies count from the arrival"},
    {"poisson", Arrivals::kPoisson, "operations arrive at random, at a rate"},
    {"bursty", Arrivals::kBursty, "operations arrive at a rate for a while, then none for a while"},
};

void declare(ClientModel& model, OptionTable& table) {
  table.count("clients", model.clients, {1, 65'536}, "clients",
              "operations that may be under way at once");
  if (model.arrivals == Arrivals::kClosed) return;
  model.rate = 100'000;
  table.count("rate", model.rate, {1, kNsPerSecond}, "operations a second",
              "at which they arrive, whatever the store does");
  if (model.arrivals != Arrivals::kBursty) return;
  table.count("on_ms", model.on_ms, {1, 3'600'000}, "ms", "length of a burst");
  table.count("off_ms", model.off_ms, {0, 3'600'000}, "ms", "time between bursts");
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
      return input_error(fmt::format("clients {}: {}", spec.name, assigned.error().message));
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
      fmt::format("unknown clients '{}'{}", spec.name, suggestion(spec.name, names)));
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
      break;
    case Arrivals::kConstant:
      return at_rate(count_++);
    case Arrivals::kPoisson: {
      const double mean_ns = static_cast<double>(kNsPerSecond) / static_cast<double>(model_.rate);
      const double distance_ns = -portable_log(random_.unit()) * mean_ns;
      return last_ns_ += static_cast<std::uint64_t>(std::floor(distance_ns + 0.5));
    }
    case Arrivals::kBursty: {
      const std::uint64_t on_ns = model_.on_ms * 1'000'000;
      const std::uint64_t on_time_ns = at_rate(count_++);
      return in_time(on_time_ns + Uint128{on_time_ns / on_ns} * model_.off_ms * 1'000'000);
    }
  }
  CHECK(false);
  return 0;
}

}  // namespace lsmlab
