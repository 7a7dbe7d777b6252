// The framing of logs: records one after another, each with a length and a checksum.
//
//   record := payload length u32, checksum u64 (XXH3-64 of the payload, seeded with its length),
//             payload
//
// Integers are little-endian. XXH3-64 of nothing is not zero, so a file's tail of zeros is damage
// and no row of empty records.
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

/// Leaves room for a record's header at the end of `log`; its payload is appended there next.
/// Returns where the record begins.
[[nodiscard]] std::size_t begin_record(std::string& log);
/// Fills in the header of the record that begins at `begin`; its payload is the rest of `log`.
/// REQUIRES: a payload of at most kRecordPayloadBytesMax.
void end_record(std::string& log, std::size_t begin);
void append_record(std::string& log, std::string_view payload);
/// The header of a record whose payload is two pieces, for one that is too large to be copied.
/// REQUIRES: as end_record().
[[nodiscard]] std::string record_header(std::string_view first, std::string_view second);

struct RecordDamage {
  std::uint64_t offset = 0;  // where the record begins
  std::string_view reason;   // "is torn" or the like: "the record at byte 12 <reason>"
};

/// Goes through the records of a log until its end or the first that is not whole.
class RecordReader {
 public:
  /// The bytes must outlive the reader.
  explicit RecordReader(std::string_view log) : log_(log) {}

  /// The next payload; nothing at the end and at damage.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Where the record begins that next() gave last.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// The end of the whole records so far.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// Why next() gave nothing; none at the end of the log.
  [[nodiscard]] const std::optional<RecordDamage>& damage() const { return damage_; }

 private:
  std::string_view log_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::optional<RecordDamage> damage_;
};

/// Finds whole records behind damage, where no length tells any more where the next one begins.
///
/// The cost is linear in the log, whatever it holds: a place counts only where its payload looks
/// like one of the log's own, and checksums are computed over at most kSearchFactor times the log's
/// bytes. Where that does not suffice, which takes a crafted log, the next likely place is shown as
/// a record that is not certain.
class RecordSearch {
 public:
  /// Whether bytes look like a payload of this log; cheap and strict, as it is asked at every place
  /// where a record might begin.
  using Likely = std::function<bool(std::string_view payload)>;
  static constexpr std::uint64_t kSearchFactor = 8;

  /// The bytes must outlive the search.
  RecordSearch(std::string_view log, Likely likely)
      : log_(log), likely_(std::move(likely)), bytes_left_(kSearchFactor * log.size()) {}

  struct Found {
    std::uint64_t offset = 0;  // where the record begins
    std::string_view payload;
    bool is_certain = true;  // false: its checksum was not computed any more
  };
  /// The first whole record with a likely payload that begins at `offset` or behind.
  [[nodiscard]] std::optional<Found> find(std::uint64_t offset);

 private:
  std::string_view log_;
  Likely likely_;
  std::uint64_t bytes_left_;  // that checksums may still be computed over
};

}  // namespace lsmlab::engine
