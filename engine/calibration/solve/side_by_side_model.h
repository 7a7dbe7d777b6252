// Two or three threads beside each other in the model, a merge, lookups of another store, its
// flushes and its client: what a calibration holds against the same ones on the machine.
#pragma once

#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Processor time alone.
struct BesideWork {
  double piece_ns = 0;        // a merge's, for request_bytes that it reads and writes
  double get_ns = 0;          // a lookup's, which reads a block from the disk
  double flush_piece_ns = 0;  // a flush's, for request_bytes that it writes
  double put_piece_ns = 0;    // a client's, for as many
};

/// What each takes, in the mean.
struct BesideTimes {
  struct Parts {
    double work_ns = 0;
    double device_wait_ns = 0;
    double core_wait_ns = 0;
  };
  Parts piece;
  Parts get;
};

/// One at a time, without the other.
[[nodiscard]] BesideTimes times_alone(const DeviceModel& model, const BesideWork& work);
/// A thread that merges and one that looks up: the latter's next request comes when the last is
/// done. Deterministic.
[[nodiscard]] BesideTimes times_beside(const DeviceModel& model, const BesideWork& work);
/// That a piece of one of two such merges at once waits for the device, likewise.
[[nodiscard]] double device_wait_beside_merge_ns(const DeviceModel& model, const BesideWork& work);
/// A merge beside a store's client, which puts as fast as full memtables let it, and flushes, and
/// one more client for each core beyond two: the share of its time for which it waits for a core.
[[nodiscard]] double core_waits_beside_store(const DeviceModel& model, const BesideWork& work);

}  // namespace lsmlab::engine
