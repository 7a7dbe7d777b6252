// Who sends the operations of a run with a clock, and when: of a simulation, or of a replay in
// threaded mode.
//
//   closed    each client sends its next operation when the last one is done
//   paced     the same, but all clients together send no more than `rate` operations a second, or
//             no more than `rate` puts beside any number of others. What a stall took is made up
//             for within a period of the limiter (refill_ms), as in db_bench, or not at all
//   constant  operations arrive at equal distances, whatever the store does; a free client takes
//             each operation, and its latency counts from its arrival
//   poisson   the same, with exponential distances
//   bursty    the same as constant at `rate` for on_ms, then at `off_rate` for off_ms
//   replayed  operations arrive at the times of a file; after the last time the file starts again
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/operation_kind.h"
#include "models/base/options.h"
#include "models/base/random.h"
#include "models/base/spec.h"

namespace lsmlab {

enum class Arrivals { kClosed, kPaced, kConstant, kPoisson, kBursty, kReplayed };
/// What kPaced limits.
enum class PacedOperations { kAll, kPuts };

struct ClientModel {
  Arrivals arrivals = Arrivals::kClosed;
  std::uint64_t clients = 1;
  std::uint64_t rate = 0;  // operations a second; for kBursty, during a burst
  PacedOperations paced = PacedOperations::kAll;
  std::uint64_t refill_ms = 0;  // of kPaced; 0: each operation keeps its distance from the last
  std::uint64_t on_ms = 100;
  std::uint64_t off_ms = 900;
  std::uint64_t off_rate = 0;
  /// Whether an operation waits for the one before it.
  [[nodiscard]] bool waits_for_last() const {
    return arrivals == Arrivals::kClosed || arrivals == Arrivals::kPaced;
  }
  std::string path;           // file with one time per line, in rising order
  std::uint64_t unit_ns = 1;  // unit of these times
  // Counted from the first time. The last element is when the first time comes again.
  std::shared_ptr<const std::vector<std::uint64_t>> times_ns = {};
};

struct ConfiguredClients {
  std::string label;
  ResolvedOptions options;
  ClientModel model;
};

/// A family of clients, for listings.
struct ClientFamily {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
};
[[nodiscard]] std::vector<ClientFamily> client_families();

/// Makes clients from a SPEC such as `closed:clients=8` or `poisson:rate=100k,clients=4`. Errors:
/// an unknown name; bad parameters; a file of times that cannot be read, or in which a time is
/// earlier than the one before.
[[nodiscard]] Result<ConfiguredClients> make_clients(const Spec& spec);

/// The times at which operations arrive, in order.
class ArrivalTimes {
 public:
  ArrivalTimes(const ClientModel& model, std::uint64_t seed) : model_(model), random_(seed) {}
  /// Of open arrivals.
  [[nodiscard]] std::uint64_t next_ns();
  /// When a client that is free now may send its next operation, of this kind. REQUIRES:
  /// waits_for_last().
  [[nodiscard]] std::uint64_t next_from(std::uint64_t now_ns, OperationKind kind);

 private:
  [[nodiscard]] std::uint64_t next_replayed_ns();
  [[nodiscard]] std::uint64_t next_bursty_ns();
  [[nodiscard]] std::uint64_t next_of_limiter(std::uint64_t now_ns);

  ClientModel model_;
  SplitMix64 random_;
  std::uint64_t count_ = 0;
  std::uint64_t last_ns_ = 0;    // of the last operation, or refill of the limiter
  Uint128 available_ = 0;        // of the limiter, in operations times 10^-9
  std::uint64_t refill_ns_ = 0;  // when it may be refilled next
};

}  // namespace lsmlab
