// Client threads that write, read and scan one store at once, each with keys of its own and a model
// of what they hold. Keys of all clients lie among one another, and pairs of them share a window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/store.h"

namespace lsmlab::engine::testing {

struct ClientOptions {
  unsigned threads = 3;
  std::uint64_t operations = 1000;  // of each
  std::uint64_t keys = 150;         // of each
  std::uint64_t seed = 1;
  std::uint64_t value_bytes_max = 60;
  bool writes_only = false;
};

class Clients {
 public:
  explicit Clients(const ClientOptions& options);

  /// Runs all of them to their end. Returns the first fault, or an empty text.
  [[nodiscard]] std::string run(Store& store);
  /// What is wrong with the store where every client is at rest.
  [[nodiscard]] std::string check(Store& store) const;

 private:
  friend class Client;
  using Model = std::vector<std::optional<std::string>>;  // by index
  [[nodiscard]] std::string key_of(unsigned client, std::uint64_t index) const;

  ClientOptions options_;
  std::vector<Model> models_;
};

/// Waits for what runs. What no tree at rest may be: an image that does not restore; a run-set
/// policy's stack out of the order of age or above its bound; a leveled level of several runs;
/// SSTables on disk that are not in the tree, or the other way round.
[[nodiscard]] std::string tree_fault(Store& store, const std::string& directory);

}  // namespace lsmlab::engine::testing
