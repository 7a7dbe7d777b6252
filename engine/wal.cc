#include "engine/wal.h"

#include <fmt/format.h>

#include "engine/field_codec.h"
#include "engine/record_log.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kBatchHeaderBytesMax = sizeof(std::uint64_t) + 2 * kVarintBytesMax;

std::optional<LoggedBatch> parse_batch(std::string_view payload) {
  FieldReader fields(payload);
  const auto first_sequence = fields.fixed<std::uint64_t>();
  const auto now = fields.varint();
  const auto entries = fields.varint();
  if (!first_sequence || !now || !entries) return std::nullopt;
  return LoggedBatch{*first_sequence, Instant(*now), *entries, fields.rest()};
}

}  // namespace

void encode_entry(std::string& encoded, std::string_view key, std::string_view value,
                  bool is_tombstone) {
  encoded.push_back(is_tombstone ? '\1' : '\0');
  append_varint(encoded, key.size());
  append_varint(encoded, value.size());
  encoded += key;
  encoded += value;
}

Result<void> visit_entries(const LoggedBatch& batch,
                           const std::function<void(const EntryView&)>& visit) {
  FieldReader fields(batch.encoded);
  for (std::uint64_t i = 0; i < batch.entries; ++i) {
    const auto kind = fields.fixed<std::uint8_t>();
    const auto key_bytes = fields.varint();
    const auto value_bytes = fields.varint();
    const auto key = fields.bytes(key_bytes.value_or(0));
    const auto value = fields.bytes(value_bytes.value_or(0));
    if (!kind || !key || !value || *kind > 1 || (*kind == 1 && !value->empty())) {
      return input_error(fmt::format("entry {} of {} in the batch of sequence number {} is damaged",
                                     i + 1, batch.entries, batch.first_sequence));
    }
    if (batch.first_sequence > kSequenceMax || i > kSequenceMax - batch.first_sequence) {
      return input_error(fmt::format("the batch of sequence number {} passes the largest one, {}",
                                     batch.first_sequence, kSequenceMax));
    }
    visit({*key, *value, make_tag(batch.first_sequence + i, *kind == 1)});
  }
  if (!fields.rest().empty()) {
    return input_error(
        fmt::format("the batch of sequence number {} has {} bytes behind its {} entries",
                    batch.first_sequence, fields.rest().size(), batch.entries));
  }
  return success();
}

WalWriter::WalWriter(std::unique_ptr<WritableFile> file, std::uint64_t buffer_bytes)
    : file_(std::move(file)), buffer_bytes_(buffer_bytes), size_(file_->size()) {}

Result<void> WalWriter::keep(Result<void> outcome) {
  if (!outcome && error_) error_ = outcome;
  return outcome;
}

Result<void> WalWriter::append(const LoggedBatch& batch) {
  BOOST_OUTCOME_TRYV(error_);
  if (batch.encoded.size() > kRecordPayloadBytesMax - kBatchHeaderBytesMax) {
    return input_error(
        fmt::format("a batch of {} bytes does not fit a record of the log", batch.encoded.size()));
  }
  const std::size_t begin = begin_record(buffer_);
  append_fixed(buffer_, batch.first_sequence);
  append_varint(buffer_, batch.now.value());
  append_varint(buffer_, batch.entries);
  buffer_ += batch.encoded;
  end_record(buffer_, begin);
  size_ += buffer_.size() - begin;
  return buffer_.size() >= buffer_bytes_ ? flush() : success();
}

Result<void> WalWriter::flush() {
  BOOST_OUTCOME_TRYV(error_);
  if (buffer_.empty()) return success();
  const Result<void> outcome = keep(file_->append(buffer_));
  buffer_.clear();
  return outcome;
}

Result<void> WalWriter::sync() {
  BOOST_OUTCOME_TRYV(flush());
  return keep(file_->sync());
}

Result<void> WalWriter::close() {
  BOOST_OUTCOME_TRYV(flush());
  return keep(file_->close());
}

Result<WalRecovery> visit_wal(
    FileSystem& files, const std::string& path,
    const std::function<Result<void>(std::uint64_t offset, const LoggedBatch&)>& visit) {
  auto log = BOOST_OUTCOME_TRYX(files.read_file(path));
  RecordReader records(log);
  WalRecovery recovery;
  while (const auto payload = records.next()) {
    const std::optional<LoggedBatch> batch = parse_batch(*payload);
    if (!batch) {
      return machine_error(
          fmt::format("{}: the record at byte {} is no write batch", path, records.offset()));
    }
    BOOST_OUTCOME_TRYV(visit(records.offset(), *batch));
    ++recovery.batches;
  }
  recovery.valid_bytes = records.end();
  recovery.dropped_bytes = log.size() - records.end();
  return recovery;
}

Result<WalRecovery> read_wal(FileSystem& files, const std::string& path,
                             const std::function<Result<void>(const LoggedBatch&)>& visit) {
  return visit_wal(files, path,
                   [&](std::uint64_t, const LoggedBatch& batch) { return visit(batch); });
}

}  // namespace lsmlab::engine
