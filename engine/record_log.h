// The framing of logs: records one after another, each with a length and a checksum.
//
//   record := payload length u32, checksum u64 (XXH3-64 of the payload, seeded with its length),
//             payload
//
// Integers are little-endian. XXH3-64 of nothing is not zero, so a file's tail of zeros is damage
// and no row of empty records.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace lsmlab::engine {

inline constexpr std::size_t kRecordHeaderBytes = 12;
inline constexpr std::uint64_t kRecordPayloadBytesMax = std::numeric_limits<std::uint32_t>::max();

/// Leaves room for a record's header at the end of `log`; its payload is appended there next.
/// Returns where the record begins.
[[nodiscard]] std::size_t begin_record(std::string& log);
/// Fills in the header of the record that begins at `begin`; its payload is the rest of `log`.
/// REQUIRES: a payload of at most kRecordPayloadBytesMax.
void end_record(std::string& log, std::size_t begin);
void append_record(std::string& log, std::string_view payload);

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

/// Where a whole record with a payload begins, at `offset` or behind: what stands in front of it
/// was not merely the end of a log that a crash tore.
[[nodiscard]] std::optional<std::uint64_t> find_record(std::string_view log, std::uint64_t offset);

}  // namespace lsmlab::engine
