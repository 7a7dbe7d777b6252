// Client threads that write, read and scan one store concurrently, each with its own keys and a
// model of their values. The clients' keys are interleaved, and pairs of them share a window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/store.h"

namespace lsmlab::engine::testing {

struct ClientOptions {
  unsigned threads = 3;
  std::uint64_t operations = 1000;  // per client
  std::uint64_t keys = 150;         // per client
  std::uint64_t seed = 1;
  std::uint64_t value_bytes_max = 60;
  bool writes_only = false;
};

class Clients {
 public:
  explicit Clients(const ClientOptions& options);

  /// Runs all clients to their end. Returns the first fault, or an empty text.
  [[nodiscard]] std::string run(Store& store);
  /// What is wrong with the store when every client is at rest; empty if nothing is.
  [[nodiscard]] std::string check(Store& store) const;

 private:
  friend class Client;
  using Model = std::vector<std::optional<std::string>>;  // by index
  [[nodiscard]] std::string key_of(unsigned client, std::uint64_t index) const;

  ClientOptions options_;
  std::vector<Model> models_;
};

/// Waits for running plans, then returns a fault of the tree at rest, or an empty text. Faults: an
/// image that cannot be restored; a run-set policy's stack that is not in order of age or exceeds
/// its bound; a leveled level with several runs; SSTables on disk that the tree lacks, or the
/// reverse.
[[nodiscard]] std::string tree_fault(Store& store, const std::string& directory);

}  // namespace lsmlab::engine::testing
