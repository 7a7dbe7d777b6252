// RocksDB's binary query trace, version 0.2 and older. rocksdb_text.cc says how seeks, multi-gets
// and column families are imported.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traces/importers/import_parser.h"
#include "traces/importers/rocksdb_keys.h"
#include "traces/io/unpacking.h"

namespace lsmlab::importing {
namespace {

constexpr std::size_t kPayloadBytesMax = std::size_t{64} << 20;

// Reads integers and slices from the front of bytes of any origin. After a failure all reads return
// nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  std::string_view take(std::size_t count) {
    if (!ok_ || count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  template <std::size_t kBytes>
  std::uint64_t fixed() {
    const std::string_view bytes = take(kBytes);
    return ok_ ? load_little<kBytes>(reinterpret_cast<const std::uint8_t*>(bytes.data())) : 0;
  }
  std::uint32_t fixed32() { return static_cast<std::uint32_t>(fixed<4>()); }
  std::uint32_t varint32() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= 28; shift += 7) {
      const std::uint64_t byte = fixed<1>();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return static_cast<std::uint32_t>(value);
    }
    ok_ = false;
    return 0;
  }
  std::string_view slice() { return take(varint32()); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

Error cut_short(std::string_view what) {
  return input_error(fmt::format("{} that is cut short", what));
}

Result<void> read_batch_entry(std::uint64_t tag, std::uint32_t family, Cursor& batch,
                              Stage& stage) {
  const std::string_view key = batch.slice();
  const bool has_value =
      tag == 0x1 || tag == 0x5 || tag == 0x2 || tag == 0x6 || tag == 0xe || tag == 0xf;
  const std::string_view value = has_value ? batch.slice() : std::string_view();
  if (!batch.ok()) return cut_short("a write batch");
  switch (tag) {
    case 0x1:
    case 0x5:
      return add_in_family(OperationKind::kPut, family, key, value.size(), stage);
    case 0x2:
    case 0x6:
      return stage.add_unsupported("a merge");
    case 0xe:
    case 0xf:
      return stage.add_unsupported("a range delete");
    default:
      return add_in_family(OperationKind::kDelete, family, key, 0, stage);
  }
}

Result<void> read_write_batch(std::string_view bytes, Stage& stage) {
  Cursor batch(bytes);
  batch.fixed<8>();  // sequence number
  const std::uint32_t promised = batch.fixed32();
  if (!batch.ok()) return cut_short("a write batch");
  std::uint64_t entries = 0;
  while (!batch.at_end()) {
    const std::uint64_t tag = batch.fixed<1>();
    switch (tag) {
      case 0x3:  // log data
        batch.slice();
        if (!batch.ok()) return cut_short("a write batch");
        break;
      case 0xd:  // no operation
        break;
      case 0x0:
      case 0x1:
      case 0x2:
      case 0x7:
      case 0xf: {
        BOOST_OUTCOME_TRYV(read_batch_entry(tag, 0, batch, stage));
        ++entries;
        break;
      }
      case 0x4:
      case 0x5:
      case 0x6:
      case 0x8:
      case 0xe: {
        const std::uint32_t family = batch.varint32();
        BOOST_OUTCOME_TRYV(read_batch_entry(tag, family, batch, stage));
        ++entries;
        break;
      }
      default:
        return input_error(fmt::format("a write batch with the unknown tag {}", tag));
    }
  }
  if (entries != promised) {
    return input_error(
        fmt::format("a write batch of {} entries whose header announces {}", entries, promised));
  }
  return success();
}

Result<void> read_multi_get(Cursor& payload, std::uint64_t members, Stage& stage) {
  if (members != 0x700) {
    return input_error(fmt::format("a multi-get with members {:#x}; expected 0x700", members));
  }
  const std::uint32_t count = payload.fixed32();
  Cursor families(payload.slice());
  Cursor keys(payload.slice());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t family = families.fixed32();
    const std::string_view key = keys.slice();
    if (!payload.ok() || !families.ok() || !keys.ok()) return cut_short("a multi-get");
    BOOST_OUTCOME_TRYV(add_in_family(OperationKind::kGet, family, key, 0, stage));
  }
  return success();
}

// Reads a get (members 1 << 2, 1 << 3) or a seek (members 1 << 4 to 1 << 7).
Result<void> read_lookup(Cursor& payload, std::uint64_t members, bool is_seek, Stage& stage) {
  const std::uint64_t needed = is_seek ? 0x30 : 0x0c;
  const std::uint64_t known = is_seek ? 0xf0 : 0x0c;
  if ((members & needed) != needed || (members & ~known) != 0) {
    return input_error(fmt::format("a get or seek with unknown members {:#x}", members));
  }
  const std::uint32_t family = payload.fixed32();
  const std::string_view key = payload.slice();
  if ((members & 0x40) != 0) payload.slice();  // lower bound
  std::optional<std::string_view> upper_bound;
  if ((members & 0x80) != 0) upper_bound = payload.slice();
  if (!payload.ok()) return cut_short("a get or seek");
  if (!is_seek) return add_in_family(OperationKind::kGet, family, key, 0, stage);
  return add_seek(family, key, upper_bound, stage);
}

constexpr std::uint64_t kBegin = 1;
constexpr std::uint64_t kEnd = 2;

Result<void> read_record(std::uint64_t type, std::string_view bytes, bool has_members,
                         Stage& stage) {
  Cursor payload(bytes);
  const bool is_seek = type == 5 || type == 6;
  std::uint64_t members = is_seek ? 0x30 : 0x0c;
  switch (type) {
    case 3: {
      if (!has_members) return read_write_batch(bytes, stage);
      members = payload.fixed<8>();
      const std::string_view batch = payload.slice();
      if (!payload.ok() || members != 0x2) return cut_short("a write");
      return read_write_batch(batch, stage);
    }
    case 6:
      return stage.add_unsupported("a seek for the previous key");
    case 4:
    case 5:
      if (has_members) members = payload.fixed<8>();
      return read_lookup(payload, members, is_seek, stage);
    case 13:
      members = payload.fixed<8>();
      return read_multi_get(payload, members, stage);
    default:
      if (type >= 7 && type <= 12) return stage.add_unsupported("a cache or device access");
      return input_error(fmt::format("a record of the unknown type {}", type));
  }
}

// Returns whether payloads begin with a bitmap of their members.
Result<bool> read_begin(std::uint64_t type, std::string_view payload) {
  constexpr std::string_view kMagic = "feedcafedeadbeef\tTrace Version: ";
  if (type != kBegin || !payload.starts_with(kMagic)) {
    return input_error("this is not a RocksDB query trace");
  }
  payload.remove_prefix(kMagic.size());
  std::string_view version = take_field(payload, '\t');
  const auto major = parse_number(take_field(version, '.'));
  const auto minor = parse_number(version);
  if (!major || !minor || *major != 0 || *minor > 2) {
    return input_error("a trace version other than 0.1 and 0.2");
  }
  return *minor >= 2;
}

struct Record {
  std::uint64_t type = 0;
  std::string payload;
};

Result<bool> next_record(ByteReader& file, Record& record) {
  std::array<std::uint8_t, 13> header{};  // time, type, length
  auto got = BOOST_OUTCOME_TRYX(file.read(header));
  if (got == 0) return false;
  if (got < header.size()) return cut_short("a record");
  record.type = header[8];
  const std::size_t bytes = load_little<4>(header.data() + 9);
  if (bytes > kPayloadBytesMax) {
    return input_error(
        fmt::format("a record of {} bytes; expected at most {}", bytes, kPayloadBytesMax));
  }
  // Reads in parts: a wrong length takes no more memory than the file has bytes.
  constexpr std::size_t kPartBytes = std::size_t{1} << 20;
  record.payload.clear();
  while (record.payload.size() < bytes) {
    const std::size_t had = record.payload.size();
    const std::size_t part = std::min(bytes - had, kPartBytes);
    record.payload.resize(had + part);
    auto more = BOOST_OUTCOME_TRYX(
        file.read({reinterpret_cast<std::uint8_t*>(record.payload.data()) + had, part}));
    if (more < part) return cut_short("a record");
  }
  return true;
}

// A trace whose program was stopped has no end record. A trace that ends inside a record is an
// error.
class RocksdbBinaryReader final : public InputReader {
 public:
  Result<void> read(const std::string& path, StopFlag stop, Stage& stage) override {
    const auto input = BOOST_OUTCOME_TRYX(open_unpacked(path, stop));
    ByteReader& file = *input.reader;
    bool has_members = false;
    Record record;
    for (std::uint64_t number = 0;; ++number) {
      BOOST_OUTCOME_TRYV(check_stop(stop));
      const std::uint64_t offset = file.offset();
      const auto located = [&](Error error) {
        if (error.kind == ErrorKind::kInput) {
          error.message = fmt::format("{}: record {} at byte {}{}: {}", path, number, offset,
                                      input.is_packed ? " of what is unpacked" : "", error.message);
        }
        return error;
      };
      const auto more = next_record(file, record);
      if (!more) return located(more.error());
      if (number == 0) {
        const auto begin = read_begin(record.type, more.value() ? record.payload : "");
        if (!begin) return located(begin.error());
        has_members = begin.value();
        continue;
      }
      if (!more.value() || record.type == kEnd) return success();
      const auto read = read_record(record.type, record.payload, has_members, stage);
      if (!read) return located(read.error());
    }
  }
};

}  // namespace

Importer rocksdb_binary_importer() {
  using namespace std::string_view_literals;
  // Records of time, type, bytes and payload: the begin of a trace, and a get of the key "a".
  constexpr std::string_view kExample =
      "\0\0\0\0\0\0\0\0\x01\x5a\0\0\0"
      "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 8.9\t"
      "Format: Timestamp OpType Payload\n"
      "\0\0\0\0\0\0\0\0\x04\x0e\0\0\0\x0c\0\0\0\0\0\0\0\0\0\0\0\x01"
      "a"sv;
  return {"rocksdb-binary", "RocksDB's binary query trace, version 0.2 and older",
          make_parser<RocksdbBinaryReader>, kExample};
}

}  // namespace lsmlab::importing
