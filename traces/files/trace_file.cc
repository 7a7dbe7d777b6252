#include "traces/files/trace_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "models/base/check.h"
#include "traces/io/unpacking.h"

namespace lsmlab {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'l', 's', 'm', 't', 'r', 'c', '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 16;       // without provenance and checksum
constexpr std::size_t kBlockHeaderBytes = 24;  // without the payload
constexpr std::size_t kFooterBytes = 64;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::uint32_t kBlockMark = 0x4b4c4f42;   // "BOLK"
constexpr std::uint32_t kFooterMark = 0x544f4f46;  // "FOOT"

// The checksum of parts that follow each other. `seed` is the checksum of the part before.
std::uint64_t checksum_of(std::uint64_t seed, std::span<const std::uint8_t> bytes) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

void count(std::span<const Operation> operations, TraceCounts& counts) {
  ++counts.blocks;
  counts.operations += operations.size();
  for (const Operation& operation : operations) {
    ++counts.by_kind[static_cast<std::size_t>(operation.kind)];
  }
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path,
                                                         const std::string& provenance) {
  if (provenance.size() > kTraceProvenanceBytesMax) {
    return input_error(fmt::format("{}: a provenance of {} bytes; expected at most {}", path,
                                   provenance.size(), kTraceProvenanceBytesMax));
  }
  auto file = BOOST_OUTCOME_TRYX(ReplacingWriter::create(path));
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(file)));
  BOOST_OUTCOME_TRYV(writer->write_header(provenance));
  return writer;
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(std::unique_ptr<ByteSink> sink) {
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(sink)));
  BOOST_OUTCOME_TRYV(writer->write_header({}));
  return writer;
}

TraceWriter::TraceWriter(std::unique_ptr<ByteSink> file) : file_(std::move(file)) {
  pending_.reserve(kTraceBlockOperationsMax);
}

Result<void> TraceWriter::write_header(const std::string& provenance) {
  std::vector<std::uint8_t> header(kHeaderBytes + provenance.size() + kChecksumBytes);
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  store_little<4>(kVersion, header.data() + 8);
  store_little<4>(provenance.size(), header.data() + 12);
  std::copy(provenance.begin(), provenance.end(), header.begin() + kHeaderBytes);
  const std::span all(header);
  checksum_ = checksum_of(checksum_of(0, all.first(kHeaderBytes)),
                          all.subspan(kHeaderBytes, provenance.size()));
  store_little<8>(checksum_, header.data() + header.size() - kChecksumBytes);
  return file_->write(header);
}

Result<void> TraceWriter::append(std::span<const Operation> operations) {
  CHECK(file_ != nullptr);
  for (const Operation& operation : operations) {
    if (operation.kind > OperationKind::kScan) {
      return input_error(fmt::format("operation {}: kind {} is unknown",
                                     counts_.operations + pending_.size(),
                                     static_cast<int>(operation.kind)));
    }
    pending_.push_back(operation);
    if (pending_.size() == kTraceBlockOperationsMax) {
      BOOST_OUTCOME_TRYV(write_block());
    }
  }
  return success();
}

Result<void> TraceWriter::write_block() {
  const auto payload = encoder_.encode(pending_);
  CHECK(payload.size() <= kTracePayloadBytesMax);
  std::array<std::uint8_t, kBlockHeaderBytes> header{};
  store_little<4>(kBlockMark, header.data());
  store_little<4>(pending_.size(), header.data() + 4);
  store_little<4>(payload.size(), header.data() + 8);
  checksum_ = checksum_of(
      checksum_of(checksum_, std::span(header).first<kBlockHeaderBytes - kChecksumBytes>()),
      payload);
  store_little<8>(checksum_, header.data() + header.size() - kChecksumBytes);
  BOOST_OUTCOME_TRYV(file_->write(header));
  BOOST_OUTCOME_TRYV(file_->write(payload));
  count(pending_, counts_);
  pending_.clear();
  return success();
}

Result<void> TraceWriter::finish() {
  CHECK(file_ != nullptr);
  if (!pending_.empty()) {
    BOOST_OUTCOME_TRYV(write_block());
  }
  std::array<std::uint8_t, kFooterBytes> footer{};
  store_little<4>(kFooterMark, footer.data());
  store_little<8>(counts_.blocks, footer.data() + 8);
  store_little<8>(counts_.operations, footer.data() + 16);
  for (std::size_t kind = 0; kind < counts_.by_kind.size(); ++kind) {
    store_little<8>(counts_.by_kind[kind], footer.data() + 24 + 8 * kind);
  }
  checksum_ = checksum_of(checksum_, std::span(footer).first<kFooterBytes - kChecksumBytes>());
  store_little<8>(checksum_, footer.data() + footer.size() - kChecksumBytes);
  BOOST_OUTCOME_TRYV(file_->write(footer));
  BOOST_OUTCOME_TRYV(file_->finish());
  file_.reset();
  return success();
}

TraceReader::TraceReader(std::unique_ptr<ByteReader> file, TraceReaderOptions options)
    : file_(std::move(file)), options_(options) {}

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path,
                                                       TraceReaderOptions options) {
  auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path, options.stop));
  return open(std::move(file), options);
}

Result<std::unique_ptr<TraceReader>> TraceReader::open(std::unique_ptr<ByteReader> file,
                                                       TraceReaderOptions options) {
  std::unique_ptr<TraceReader> reader(new TraceReader(std::move(file), options));
  BOOST_OUTCOME_TRYV(reader->read_header());
  return reader;
}

Error TraceReader::damaged(const std::string& what) const {
  return input_error(fmt::format("{}: block {} at byte {}: {}", file_->path(), counts_.blocks,
                                 block_offset_, what));
}

Result<void> TraceReader::read_exactly(std::span<std::uint8_t> bytes) {
  auto got = BOOST_OUTCOME_TRYX(file_->read(bytes));
  if (got == bytes.size()) return success();
  return damaged(fmt::format("the file ends at byte {}; it is truncated", file_->offset()));
}

Result<void> TraceReader::read_header() {
  const auto wrong = [&](const std::string& what) {
    return input_error(fmt::format("{}: header at byte 0: {}", file_->path(), what));
  };
  std::array<std::uint8_t, kHeaderBytes> front{};
  auto got = BOOST_OUTCOME_TRYX(file_->read(front));
  if (got < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), front.begin())) {
    const auto packed = describe_packing(std::span(front).first(got));
    return wrong(
        packed ? fmt::format("{}; trace files are not unpacked automatically; unpack it first ({})",
                             packed->what, unpacking_command(*packed, file_->path()))
               : "this is not an lsmlab trace file");
  }
  if (got < front.size()) return wrong("the file is truncated");
  const std::uint64_t version = load_little<4>(front.data() + 8);
  if (version != kVersion) {
    return wrong(fmt::format("version {}; expected {}", version, kVersion));
  }
  const std::size_t provenance_bytes = load_little<4>(front.data() + 12);
  if (provenance_bytes > kTraceProvenanceBytesMax) {
    return wrong(fmt::format("a provenance of {} bytes; expected at most {}", provenance_bytes,
                             kTraceProvenanceBytesMax));
  }
  std::vector<std::uint8_t> back(provenance_bytes + kChecksumBytes);
  auto more = BOOST_OUTCOME_TRYX(file_->read(back));
  if (more < back.size()) return wrong("the file is truncated");
  provenance_.assign(back.begin(), back.end() - kChecksumBytes);
  checksum_ = checksum_of(checksum_of(0, front), std::span(back).first(provenance_bytes));
  if (checksum_ != load_little<8>(back.data() + provenance_bytes)) {
    return wrong("the checksum does not match; the header is damaged");
  }
  return success();
}

// Reads the next block. Returns false at the footer.
Result<bool> TraceReader::read_block() {
  block_offset_ = file_->offset();
  std::array<std::uint8_t, kBlockHeaderBytes> header{};
  BOOST_OUTCOME_TRYV(read_exactly(header));
  const std::uint64_t mark = load_little<4>(header.data());
  if (mark == kFooterMark) {
    BOOST_OUTCOME_TRYV(read_footer(header));
    return false;
  }
  const std::size_t operations = load_little<4>(header.data() + 4);
  const std::size_t payload_bytes = load_little<4>(header.data() + 8);
  // Checked before the checksum, because these values decide how much is read.
  if (mark != kBlockMark || operations == 0 || operations > kTraceBlockOperationsMax ||
      payload_bytes > kTracePayloadBytesMax || load_little<4>(header.data() + 12) != 0) {
    return damaged("the block's header is damaged");
  }
  payload_.resize(payload_bytes);
  BOOST_OUTCOME_TRYV(read_exactly(payload_));
  const std::uint64_t checksum = checksum_of(
      checksum_of(checksum_, std::span(header).first<kBlockHeaderBytes - kChecksumBytes>()),
      payload_);
  if (checksum != load_little<8>(header.data() + header.size() - kChecksumBytes)) {
    return damaged("the checksum does not match; the block is damaged");
  }
  block_.resize(operations);
  const auto decoded = decoder_.decode(payload_, block_);
  if (!decoded) return damaged(decoded.error().message);
  checksum_ = checksum;
  count(block_, counts_);
  return true;
}

Result<void> TraceReader::read_footer(std::span<const std::uint8_t> front) {
  std::array<std::uint8_t, kFooterBytes> footer{};
  std::copy(front.begin(), front.end(), footer.begin());
  BOOST_OUTCOME_TRYV(read_exactly(std::span(footer).subspan(front.size())));
  const std::uint64_t checksum =
      checksum_of(checksum_, std::span(footer).first<kFooterBytes - kChecksumBytes>());
  if (checksum != load_little<8>(footer.data() + footer.size() - kChecksumBytes)) {
    return damaged("the checksum does not match; the footer is damaged");
  }
  TraceCounts promised;
  promised.blocks = load_little<8>(footer.data() + 8);
  promised.operations = load_little<8>(footer.data() + 16);
  for (std::size_t kind = 0; kind < promised.by_kind.size(); ++kind) {
    promised.by_kind[kind] = load_little<8>(footer.data() + 24 + 8 * kind);
  }
  if (load_little<4>(footer.data() + 4) != 0 || promised != counts_) {
    return damaged(
        fmt::format("the footer counts {} operations in {} blocks, but the file has {} in {}",
                    promised.operations, promised.blocks, counts_.operations, counts_.blocks));
  }
  auto rest = BOOST_OUTCOME_TRYX(file_->peek());
  if (!rest.empty()) return damaged("bytes follow the footer");
  return success();
}

Result<bool> TraceReader::next_block() {
  if (ended_) return false;
  handed_out_ = 0;
  block_.clear();
  auto more = read_block();
  if (more) {
    ended_ = !more.value();
    return more;
  }
  block_.clear();
  // A failing disk does not damage the file: what cannot be read now may be readable later.
  if (!options_.salvage || more.error().kind == ErrorKind::kMachine) return more;
  ended_ = true;
  damage_ = std::move(more).error();
  return false;
}

Result<std::size_t> TraceReader::fill(std::span<Operation> operations) {
  std::size_t done = 0;
  while (done < operations.size()) {
    if (handed_out_ == block_.size()) {
      auto more = BOOST_OUTCOME_TRYX(next_block());
      if (!more) break;
    }
    const auto from = std::span(block_).subspan(handed_out_);
    const std::size_t taken = std::min(from.size(), operations.size() - done);
    std::copy_n(from.begin(), taken, operations.subspan(done).begin());
    handed_out_ += taken;
    done += taken;
  }
  return done;
}

}  // namespace lsmlab
