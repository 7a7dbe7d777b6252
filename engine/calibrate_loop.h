// A merge beside another store's lookups on the disk, or beside another merge, in the model: what a
// calibration holds against the same two on the machine.
#pragma once

#include "models/device.h"

namespace lsmlab::engine {

/// Processor time alone.
struct BesideWork {
  double piece_ns = 0;  // a merge's, for request_bytes that it reads and writes
  double get_ns = 0;    // a lookup's, which reads a block from the disk
};

/// What each takes, in the mean: work and waits.
struct BesideTimes {
  double piece_ns = 0;
  double get_ns = 0;
};

/// One at a time, without the other.
[[nodiscard]] BesideTimes times_alone(const DeviceModel& model, const BesideWork& work);
/// A thread that merges and one that looks up, each on a core of its own: the latter's next request
/// comes when the last is done. Deterministic.
[[nodiscard]] BesideTimes times_beside(const DeviceModel& model, const BesideWork& work);
/// A piece of one of two such merges at once, likewise.
[[nodiscard]] double piece_beside_merge_ns(const DeviceModel& model, const BesideWork& work);

}  // namespace lsmlab::engine
