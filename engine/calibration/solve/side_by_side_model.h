// Simulates some concurrent threads on a device model: a merge, lookups of another store, its
// flushes and its client. A calibration compares them with the same threads on the machine.
#pragma once

#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Processor time of each kind of work, if no other thread works.
struct BesideWork {
  double piece_ns = 0;        // of a merge, for request_bytes that it reads and writes
  double get_ns = 0;          // of a lookup, which reads a block from the disk
  double flush_piece_ns = 0;  // of a flush, for request_bytes that it writes
  double put_piece_ns = 0;    // of a client, for puts of request_bytes
};

/// Mean times of a piece of a merge and of a lookup.
struct BesideTimes {
  struct Parts {
    double work_ns = 0;
    double device_wait_ns = 0;
    double core_wait_ns = 0;
  };
  Parts piece;
  Parts get;
};

/// Times of a merge alone, and of lookups alone. All functions here are deterministic.
[[nodiscard]] BesideTimes times_alone(const DeviceModel& model, const BesideWork& work);
/// Times of a merge and of concurrent lookups by one thread, each after the last.
[[nodiscard]] BesideTimes times_beside(const DeviceModel& model, const BesideWork& work);
/// How long a piece of one of two concurrent merges waits for the device.
[[nodiscard]] double device_wait_beside_merge_ns(const DeviceModel& model, const BesideWork& work);
/// Share of a merge's time for which it waits for a core, concurrent with a store and further
/// clients. The store's client puts as fast as full memtables allow, and the store flushes. There
/// is one further client for each core beyond two.
[[nodiscard]] double core_waits_beside_store(const DeviceModel& model, const BesideWork& work);

}  // namespace lsmlab::engine
