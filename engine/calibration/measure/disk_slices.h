// Clients that work on one row of the disk for a slice of time.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "engine/calibration/measure/client_loops.h"
#include "engine/calibration/measure/measure.h"
#include "engine/calibration/measure/scratch_file.h"

namespace lsmlab::engine {

/// A request of a lookup, which reads a block of an SSTable.
inline constexpr std::uint64_t kSmallRequestBytes = 4 << 10;
/// Largest size of a growing scratch file, which represents an SSTable or a log.
inline constexpr std::uint64_t kGrownBytesMax = 64 << 20;

/// Clients that read or overwrite blocks of the scratch file.
class Slice {
 public:
  /// `other`: the same file, opened a second time, because the system reads ahead for each open
  /// file separately.
  Slice(const ScratchFile& file, const ScratchFile& other, const DiskRow& row,
        std::uint64_t file_bytes, const CalibrateOptions& options)
      : file_(file),
        other_(other),
        row_(row),
        blocks_(file_bytes / row.request_bytes),
        options_(options) {}

  /// Begins at this request, so that requests move over the file from slice to slice.
  void set_begin(std::uint64_t index) {
    begin_ = index;
    next_.store(index, std::memory_order_relaxed);
  }
  /// The slice ends when every block was requested once.
  void set_once() { end_ = begin_ + blocks_; }
  void set_length(CalibrateClock::duration length) { length_ = length; }

  /// `buffers`: one for each client. Errors: I/O.
  [[nodiscard]] Result<ClientLoop> run(std::span<const IoPages> buffers);
  [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::uint64_t block_of(std::uint64_t index) const;
  [[nodiscard]] const ScratchFile& file_of(std::uint64_t index) const {
    return row_.work == DiskWork::kTwoStreamRead && index % 2 == 1 ? other_ : file_;
  }
  [[nodiscard]] Result<void> work(ClientLoop& loop, char* buffer);

  const ScratchFile& file_;
  const ScratchFile& other_;
  const DiskRow& row_;
  std::uint64_t blocks_;
  const CalibrateOptions& options_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = ~std::uint64_t{0};
  CalibrateClock::duration length_{};
  std::atomic<std::uint64_t> next_{0};
};

/// Clients that work like flushes and merges. Each appends to a file of its own, which is empty at
/// first. Between appends it reads in sequence in its own part of the scratch file.
class GrowingSlice {
 public:
  /// `begin`: where reads begin. Every request advances it, so that reads move over the file from
  /// slice to slice.
  GrowingSlice(const ScratchFile& file, std::span<const ScratchFile> grown, const DiskRow& row,
               std::uint64_t file_bytes, const CalibrateOptions& options,
               std::atomic<std::uint64_t>& begin)
      : file_(file),
        grown_(grown),
        row_(row),
        file_bytes_(file_bytes),
        options_(options),
        begin_(begin) {}

  /// Runs until the time is over, or until a file is as large as a store's files or as the space
  /// allows. Errors: I/O.
  [[nodiscard]] Result<ClientLoop> run(std::span<const IoPages> buffers,
                                       CalibrateClock::duration length);

  /// Runs one such client, and another one that makes small random reads meanwhile.
  struct Beside {
    ClientLoop large;
    ClientLoop small;
  };
  [[nodiscard]] Result<Beside> run_beside(std::span<const IoPages> buffers,
                                          CalibrateClock::duration length);

 private:
  [[nodiscard]] Result<void> empty_files() const;
  [[nodiscard]] std::uint64_t grown_bytes_max() const {
    return std::min(file_bytes_ / row_.depth, kGrownBytesMax);
  }
  [[nodiscard]] Result<void> read_small(ClientLoop& loop, char* buffer,
                                        const std::atomic<bool>& is_over) const;
  [[nodiscard]] Result<void> work(unsigned client, ClientLoop& loop, char* buffer,
                                  CalibrateClock::duration length);

  const ScratchFile& file_;
  std::span<const ScratchFile> grown_;
  const DiskRow& row_;
  std::uint64_t file_bytes_;
  const CalibrateOptions& options_;
  std::atomic<std::uint64_t>& begin_;
};

}  // namespace lsmlab::engine
