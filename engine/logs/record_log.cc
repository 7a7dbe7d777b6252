#include "engine/logs/record_log.h"

#include <xxhash.h>

#include <cstring>

#include "engine/logs/field_codec.h"
#include "engine/sstable/checksum.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

std::uint64_t checksum_of_record(std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(), payload.size());
}

struct Header {
  std::string_view payload;
  std::uint64_t checksum = 0;
};

constexpr std::string_view kTornHeader = "is torn: its header is incomplete";
constexpr std::string_view kTornPayload = "is torn: it is longer than the file";

struct HeaderAt {
  std::optional<Header> header;  // set if the log holds the whole payload
  std::string_view fault;        // why there is no header
};

HeaderAt header_at(std::string_view log, std::uint64_t offset) {
  FieldReader fields(log.substr(offset));
  const auto length = fields.fixed<std::uint32_t>();
  const auto checksum = fields.fixed<std::uint64_t>();
  if (!length || !checksum) return {std::nullopt, kTornHeader};
  const auto payload = fields.bytes(*length);
  if (!payload) return {std::nullopt, kTornPayload};
  return {Header{*payload, *checksum}, {}};
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

std::string record_header(std::string_view first, std::string_view second) {
  const std::uint64_t bytes = first.size() + second.size();
  CHECK(bytes <= kRecordPayloadBytesMax);
  RunningChecksum checksum(bytes);  // the same seed as in checksum_of_record()
  checksum.add(first);
  checksum.add(second);
  std::string header;
  append_fixed(header, static_cast<std::uint32_t>(bytes));
  append_fixed(header, static_cast<std::uint64_t>(checksum.value()));
  return header;
}

void append_record(std::string& log, std::string_view payload) {
  const std::size_t begin = begin_record(log);
  log += payload;
  end_record(log, begin);
}

std::optional<std::string_view> RecordReader::next() {
  if (damage_ || end_ == log_.size()) return std::nullopt;
  const auto [header, fault] = header_at(log_, end_);
  if (!header) {
    damage_ = RecordDamage{end_, fault};
    return std::nullopt;
  }
  if (checksum_of_record(header->payload) != header->checksum) {
    damage_ = RecordDamage{end_, "is damaged: its checksum does not match"};
    return std::nullopt;
  }
  offset_ = end_;
  end_ += kRecordHeaderBytes + header->payload.size();
  return header->payload;
}

std::optional<RecordSearch::Found> RecordSearch::find(std::uint64_t offset) {
  for (; offset + kRecordHeaderBytes < log_.size(); ++offset) {
    const std::optional<Header> header = header_at(log_, offset).header;
    if (!header || header->payload.empty() || !likely_(header->payload)) continue;
    if (header->payload.size() > bytes_left_) return Found{offset, header->payload, false};
    bytes_left_ -= header->payload.size();
    if (checksum_of_record(header->payload) != header->checksum) continue;
    return Found{offset, header->payload, true};
  }
  return std::nullopt;
}

}  // namespace lsmlab::engine
