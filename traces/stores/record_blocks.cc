#include "traces/stores/record_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <string>

namespace lsmlab::stores {
namespace {

constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kLogNumberBytes = 4;

enum class FragmentFault { kNone, kPadding, kEnds, kLength, kChecksum };

struct Fragment {
  FragmentFault fault = FragmentFault::kNone;
  unsigned type = 0;
  std::string_view payload;
  std::size_t bytes = 0;  // with its header
};

std::uint32_t little_endian(std::string_view bytes, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

bool is_recyclable(unsigned type) { return (type >= 5 && type <= 8) || type == 11; }

// `rest`: from the fragment's first byte to the end of its block or of the file.
Fragment next_fragment(std::string_view rest, bool at_file_end) {
  const FragmentFault shortage = at_file_end ? FragmentFault::kEnds : FragmentFault::kLength;
  Fragment fragment;
  if (rest.size() < kHeaderBytes) {
    fragment.fault = rest.find_first_not_of('\0') == std::string_view::npos && !at_file_end
                         ? FragmentFault::kPadding
                         : shortage;
    return fragment;
  }
  const std::size_t length = little_endian(rest.substr(4), 2);
  fragment.type = static_cast<std::uint8_t>(rest[6]);
  if (fragment.type == 0 && length == 0 && little_endian(rest, 4) == 0) {
    fragment.fault = FragmentFault::kPadding;
    return fragment;
  }
  const std::size_t header =
      kHeaderBytes + (is_recyclable(fragment.type) ? kLogNumberBytes : std::size_t{0});
  fragment.bytes = header + length;
  if (fragment.bytes > rest.size()) {
    fragment.fault = shortage;
    return fragment;
  }
  // The checksum covers the type, the log number if there is one, and the payload.
  if (masked_crc32c(rest.substr(6, fragment.bytes - 6)) != little_endian(rest, 4)) {
    fragment.fault = FragmentFault::kChecksum;
    return fragment;
  }
  fragment.payload = rest.substr(header, length);
  return fragment;
}

class RecordReader {
 public:
  RecordReader(std::string_view bytes, const RecordVisitor& visit) : bytes_(bytes), visit_(visit) {}

  std::optional<Error> read() {
    while (at_ < bytes_.size()) {
      const std::size_t block_end = (at_ / kBlockBytes + 1) * kBlockBytes;
      const bool at_file_end = block_end > bytes_.size();
      const Fragment fragment =
          next_fragment(bytes_.substr(at_, std::min(block_end, bytes_.size()) - at_), at_file_end);
      if (fragment.fault == FragmentFault::kPadding) {
        at_ = block_end;
        continue;
      }
      if (fragment.fault != FragmentFault::kNone) return fault_of(fragment);
      if (const auto error = add(fragment)) return error;
      if (is_ended_) return std::nullopt;
      at_ += fragment.bytes;
    }
    if (is_inside_) return ends_within(begin_);
    return std::nullopt;
  }

 private:
  static Error ends_within(std::size_t offset) {
    return input_error(fmt::format(
        "the file ends within the record at offset {}: it was cut, or is being written", offset));
  }

  Error fault_of(const Fragment& fragment) const {
    if (fragment.fault == FragmentFault::kEnds) return ends_within(is_inside_ ? begin_ : at_);
    return input_error(
        fmt::format("offset {}: the record is damaged: its {} is wrong", at_,
                    fragment.fault == FragmentFault::kChecksum ? "checksum" : "length"));
  }

  std::optional<Error> add(const Fragment& fragment) {
    // Full 1 and 5, first 2 and 6, middle 3 and 7, last 4 and 8.
    const unsigned type =
        is_recyclable(fragment.type) && fragment.type != 11 ? fragment.type - 4 : fragment.type;
    // Settings of the log (compression, sizes of timestamps), and types that may be ignored.
    if (type >= 128 || type == 10 || type == 11) return std::nullopt;
    if (type == 9) return input_error(fmt::format("offset {}: the log is compressed", at_));
    if (type == 0 || type > 4) {
      return input_error(fmt::format("offset {}: unknown record type {}", at_, type));
    }
    const bool begins = type <= 2;
    if (begins == is_inside_) {
      return input_error(fmt::format("offset {}: {}", at_,
                                     begins ? "a record begins before the previous one ends"
                                            : "a fragment has no first fragment"));
    }
    if (begins) begin_ = at_;
    if (type == 1) {
      is_ended_ = !visit_(fragment.payload, at_);
      return std::nullopt;
    }
    if (type == 2) record_.clear();
    record_.append(fragment.payload);
    is_inside_ = type != 4;
    if (type == 4) is_ended_ = !visit_(record_, begin_);
    return std::nullopt;
  }

  const std::string_view bytes_;
  const RecordVisitor& visit_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the record whose fragments are being collected
  std::string record_;
  bool is_inside_ = false;
  bool is_ended_ = false;
};

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const auto value = static_cast<std::uint32_t>(crc.checksum());
  return ((value >> 15) | (value << 17)) + 0xa282ead8U;
}

bool begins_with_record(std::string_view bytes) {
  const Fragment first = next_fragment(bytes.substr(0, kBlockBytes), bytes.size() < kBlockBytes);
  return first.fault == FragmentFault::kNone;
}

std::optional<Error> visit_records(std::string_view bytes, const RecordVisitor& visit) {
  return RecordReader(bytes, visit).read();
}

}  // namespace lsmlab::stores
