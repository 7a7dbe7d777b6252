#include "engine/record_log.h"

#include <xxhash.h>

#include <cstring>

#include "engine/field_codec.h"
#include "models/check.h"

namespace lsmlab::engine {
namespace {

std::uint64_t checksum_of_record(std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(), payload.size());
}

struct Frame {
  std::optional<std::string_view> payload;
  std::string_view fault;  // where there is no payload
};

// REQUIRES: offset < log.size().
Frame frame_at(std::string_view log, std::uint64_t offset) {
  FieldReader fields(log.substr(offset));
  const auto length = fields.fixed<std::uint32_t>();
  const auto checksum = fields.fixed<std::uint64_t>();
  if (!length || !checksum) return {std::nullopt, "is torn: its header is not whole"};
  const auto payload = fields.bytes(*length);
  if (!payload) return {std::nullopt, "is torn: it is longer than the file"};
  if (checksum_of_record(*payload) != *checksum) {
    return {std::nullopt, "is damaged: its checksum does not match"};
  }
  return {payload, {}};
}

}  // namespace

std::size_t begin_record(std::string& log) {
  const std::size_t begin = log.size();
  log.append(kRecordHeaderBytes, '\0');
  return begin;
}

void end_record(std::string& log, std::size_t begin) {
  CHECK(begin + kRecordHeaderBytes <= log.size());
  const std::string_view payload = std::string_view(log).substr(begin + kRecordHeaderBytes);
  CHECK(payload.size() <= kRecordPayloadBytesMax);
  const auto length = static_cast<std::uint32_t>(payload.size());
  const std::uint64_t checksum = checksum_of_record(payload);
  std::memcpy(log.data() + begin, &length, sizeof length);
  std::memcpy(log.data() + begin + sizeof length, &checksum, sizeof checksum);
}

void append_record(std::string& log, std::string_view payload) {
  const std::size_t begin = begin_record(log);
  log += payload;
  end_record(log, begin);
}

std::optional<std::string_view> RecordReader::next() {
  if (damage_ || end_ == log_.size()) return std::nullopt;
  const Frame frame = frame_at(log_, end_);
  if (!frame.payload) {
    damage_ = RecordDamage{end_, frame.fault};
    return std::nullopt;
  }
  offset_ = end_;
  end_ += kRecordHeaderBytes + frame.payload->size();
  return frame.payload;
}

std::optional<std::uint64_t> find_record(std::string_view log, std::uint64_t offset) {
  for (; offset + kRecordHeaderBytes < log.size(); ++offset) {
    const Frame frame = frame_at(log, offset);
    if (frame.payload && !frame.payload->empty()) return offset;
  }
  return std::nullopt;
}

}  // namespace lsmlab::engine
