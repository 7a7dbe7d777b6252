// Where a validation works, and whom it tells.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace lsmlab {

struct ValidationProgress {
  std::size_t runs_done = 0;  // those that were there already included
  std::size_t runs_total = 0;
  // Of the runs that had to be done on stores, which take most of the time; of simulations where
  // there are none.
  std::uint64_t operations_done = 0;
  std::uint64_t operations_total = 0;
  std::string measuring;  // policy and store of the run that a store is at; empty at the end
};

struct ValidationOptions {
  std::string results;  // where results are kept
  std::string scratch;  // where stores stand while they run
  std::string devices;  // where files of the disk that scratch is on are kept
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const ValidationProgress&)> on_progress;  // some times a second
  /// Told of each kept file that is damaged, whose run is done anew.
  std::function<void(const std::string&)> on_damage = {};
};

}  // namespace lsmlab
