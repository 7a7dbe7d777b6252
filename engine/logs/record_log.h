// The framing of logs: consecutive records, each with a length and a checksum.
//
//   record := payload length u32, checksum u64 (XXH3-64 of the payload, seeded with its length),
//             payload
//
// Integers are little-endian. XXH3-64 of empty input is not zero, so a tail of zeros is damage, not
// a sequence of empty records.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/sizes/wal_record.h"

namespace lsmlab::engine {

inline constexpr std::size_t kRecordHeaderBytes = kLogFrameBytes;
inline constexpr std::uint64_t kRecordPayloadBytesMax = std::numeric_limits<std::uint32_t>::max();

/// Appends room for a record's header to `log`; the caller appends the payload next. Returns where
/// the record begins.
[[nodiscard]] std::size_t begin_record(std::string& log);
/// Fills in the header of the record that begins at `begin`; the rest of `log` is its payload.
/// REQUIRES: the payload has at most kRecordPayloadBytesMax bytes.
void end_record(std::string& log, std::size_t begin);
void append_record(std::string& log, std::string_view payload);
/// The header of a record whose payload consists of two pieces, for a payload too large to copy.
/// REQUIRES: as end_record().
[[nodiscard]] std::string record_header(std::string_view first, std::string_view second);

struct RecordDamage {
  std::uint64_t offset = 0;  // where the record begins
  std::string_view reason;   // completes "the record at byte 12 <reason>", e.g. "is torn"
};

/// Reads the records of a log until its end or the first incomplete record.
class RecordReader {
 public:
  /// The bytes must outlive the reader.
  explicit RecordReader(std::string_view log) : log_(log) {}

  /// The next payload; nullopt at the end or at damage.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Offset of the record that next() returned last.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// End of the whole records read so far.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// Why next() returned nullopt; empty at the end of the log.
  [[nodiscard]] const std::optional<RecordDamage>& damage() const { return damage_; }

 private:
  std::string_view log_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::optional<RecordDamage> damage_;
};

/// Finds whole records behind damage, where no length tells where the next record begins.
///
/// The cost is linear in the log's size, whatever it holds. The search considers only places whose
/// payload looks like one of this log, and computes checksums over at most kSearchFactor times the
/// log's bytes. If a crafted log needs more, the search returns the next likely place as an
/// uncertain record.
class RecordSearch {
 public:
  /// Whether bytes look like a payload of this log. Must be cheap and strict: it is called wherever
  /// a record might begin.
  using Likely = std::function<bool(std::string_view payload)>;
  static constexpr std::uint64_t kSearchFactor = 8;

  /// The bytes must outlive the search.
  RecordSearch(std::string_view log, Likely likely)
      : log_(log), likely_(std::move(likely)), bytes_left_(kSearchFactor * log.size()) {}

  struct Found {
    std::uint64_t offset = 0;  // where the record begins
    std::string_view payload;
    bool is_certain = true;  // false: its checksum was not computed
  };
  /// The first whole record with a likely payload that begins at `offset` or later.
  [[nodiscard]] std::optional<Found> find(std::uint64_t offset);

 private:
  std::string_view log_;
  Likely likely_;
  std::uint64_t bytes_left_;  // checksums may still be computed over this many bytes
};

}  // namespace lsmlab::engine
