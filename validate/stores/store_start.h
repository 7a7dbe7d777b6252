// The trees of a user's store that simulations of it begin with, from its MANIFEST: that of today,
// and that with which the history in its LOG begins. Where a file's keys lie among all keys is
// estimated from the ranges of all files, so that each has room for its entries.
#pragma once

#include <memory>

#include "models/execution/starting_tree.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"
#include "traces/stores/store_workload.h"

namespace lsmlab {

struct StoreStarts {
  // Null: not known, or the store was empty.
  std::shared_ptr<const StartingTree> at_history;
  std::shared_ptr<const StartingTree> now;
};

/// `workload`: whose shares of updates and deletes tell how many entries are obsolete. Errors: the
/// keys are in an unknown order; the MANIFEST is damaged.
[[nodiscard]] Result<StoreStarts> starts_of(const stores::Store& store,
                                            const stores::FamilyFigures& figures,
                                            const stores::StoreWorkload& workload);

/// The tree after RocksDB 8.2 or newer opened it with dynamic levels: its levels lie at the last
/// of `levels`, in their order (the move in DBImpl::Recover of db/db_impl/db_impl_open.cc).
/// REQUIRES: the deepest level is below `levels`.
[[nodiscard]] StartingTree opened_with_dynamic_levels(StartingTree start, std::uint64_t levels);

}  // namespace lsmlab
