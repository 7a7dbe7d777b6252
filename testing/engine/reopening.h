// Checks a store after an error ended its writes.
#pragma once

#include <string>

#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::testing {

/// Opens a store, reads it, writes more and closes it. Empty if every acknowledged write is there,
/// no batch is there in part, and later writes succeed.
inline std::string reopening_fault(const StoreSetup& setup, const std::string& directory,
                                   StoreModel& model) {
  const auto store = Store::open(directory, setup);
  if (!store) return "open: " + store.error().message;
  const auto found = scan_all(*store.value());
  if (!found) return "scan: " + found.error().message;
  const auto batches = model.batches_of(found.value(), StoreModel::Kept::kAcknowledged);
  if (!batches) return "wrong when opened again";
  model.continue_from(*batches);
  RandomBatches random(6);
  for (int i = 0; i < 40; ++i) {
    const auto written = write_and_note(*store.value(), model, random.batch(), true);
    if (!written) return "write: " + written.error().message;
  }
  const auto again = scan_all(*store.value());
  if (!again || again.value() != model.newest()) return "wrong after more writes";
  std::string fault = gets_differ(*store.value(), model.newest());
  if (fault.empty()) fault = tree_fault(*store.value());
  const auto closed = store.value()->close();
  return closed ? fault : "close: " + closed.error().message;
}

}  // namespace lsmlab::engine::testing
