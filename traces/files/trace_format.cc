#include "traces/files/trace_format.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// How a column's numbers are computed from its values.
enum class Transform : std::uint8_t {
  kPlain = 0,
  kFromPrevious = 1,  // value minus the one before; the column's header has the first value
  kFromKey = 2,       // value minus its operation's key
};

enum class Compression : std::uint8_t { kNone = 0, kZstd = 1 };

struct Column {
  const char* name;
  std::uint64_t value_max;
  Transform alternative;  // the transform that the column may use instead of kPlain
};

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t k32Bits = std::numeric_limits<std::uint32_t>::max();
constexpr Column kKinds{"kinds", 3, Transform::kPlain};
constexpr Column kKeys{"keys", kAny, Transform::kFromPrevious};
constexpr Column kKeyBytes{"key sizes", 0xffff, Transform::kPlain};
constexpr Column kValueBytes{"value sizes", k32Bits, Transform::kPlain};
constexpr Column kScanLastKeys{"scan ends", kAny, Transform::kFromKey};
constexpr Column kScanEntries{"scan limits", k32Bits, Transform::kPlain};

// Level 1: higher levels gain little on such columns and would slow writing.
constexpr int kZstdLevel = 1;
constexpr std::size_t kCompressedBytesMin = 64;

struct Numbers {
  Transform transform = Transform::kPlain;
  std::uint64_t base = 0;
  std::uint64_t first = 0;
  std::size_t width = 0;  // bytes per number
};

std::size_t bytes_of(std::uint64_t value) {
  return static_cast<std::size_t>(std::bit_width(value) + 7) / 8;
}

template <std::size_t kWidth>
void pack(std::span<const std::uint64_t> values, std::uint64_t base, std::uint8_t* out) {
  for (const std::uint64_t value : values) {
    store_little<kWidth>(value - base, out);
    out += kWidth;
  }
}

template <std::size_t kWidth>
void unpack(const std::uint8_t* in, std::uint64_t base, std::span<std::uint64_t> values) {
  for (std::uint64_t& value : values) {
    value = base + load_little<kWidth>(in);
    in += kWidth;
  }
}

using Packer = void (*)(std::span<const std::uint64_t>, std::uint64_t, std::uint8_t*);
using Unpacker = void (*)(const std::uint8_t*, std::uint64_t, std::span<std::uint64_t>);
constexpr std::array<Packer, 9> kPackers{pack<0>, pack<1>, pack<2>, pack<3>, pack<4>,
                                         pack<5>, pack<6>, pack<7>, pack<8>};
constexpr std::array<Unpacker, 9> kUnpackers{unpack<0>, unpack<1>, unpack<2>, unpack<3>, unpack<4>,
                                             unpack<5>, unpack<6>, unpack<7>, unpack<8>};

Numbers plain_numbers(std::span<const std::uint64_t> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {Transform::kPlain, *least, 0, bytes_of(*most - *least)};
}

// Differences are computed modulo 2^64 and ordered as signed numbers, so that small steps down take
// as few bytes as small steps up.
Numbers difference_numbers(Transform transform, std::span<const std::uint64_t> differences) {
  if (differences.empty()) return {};
  const auto by_sign = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end(), by_sign);
  return {transform, *least, 0, bytes_of(*most - *least)};
}

bool is_put(const Operation& operation) { return operation.kind == OperationKind::kPut; }
bool is_scan(const Operation& operation) { return operation.kind == OperationKind::kScan; }

}  // namespace

struct TraceBlockEncoder::State {
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> differences;
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> payload;

  void append(const Numbers& numbers, std::span<const std::uint64_t> entries);
  void append_column() { append(plain_numbers(values), values); }
  void append_shorter(const Numbers& other);
};

void TraceBlockEncoder::State::append(const Numbers& numbers,
                                      std::span<const std::uint64_t> entries) {
  const std::size_t plain_bytes = numbers.width * entries.size();
  packed.resize(plain_bytes);
  kPackers[numbers.width](entries, numbers.base, packed.data());
  const std::size_t header = payload.size();
  const std::size_t room = std::max(plain_bytes, ZSTD_compressBound(plain_bytes));
  payload.resize(header + kTraceColumnHeaderBytes + room);
  std::uint8_t* const body = payload.data() + header + kTraceColumnHeaderBytes;
  std::size_t stored_bytes = plain_bytes;
  Compression compression = Compression::kNone;
  if (plain_bytes >= kCompressedBytesMin) {
    const std::size_t compressed_bytes =
        ZSTD_compressCCtx(zstd.get(), body, room, packed.data(), plain_bytes, kZstdLevel);
    CHECK(ZSTD_isError(compressed_bytes) == 0);
    // Compression must save at least a sixteenth, otherwise the time for unpacking is not worth it.
    if (compressed_bytes <= plain_bytes - plain_bytes / 16) {
      stored_bytes = compressed_bytes;
      compression = Compression::kZstd;
    }
  }
  if (compression == Compression::kNone) std::copy(packed.begin(), packed.end(), body);
  std::uint8_t* const out = payload.data() + header;
  out[0] = static_cast<std::uint8_t>(numbers.transform);
  out[1] = static_cast<std::uint8_t>(numbers.width);
  out[2] = static_cast<std::uint8_t>(compression);
  out[3] = 0;
  store_little<4>(stored_bytes, out + 4);
  store_little<8>(numbers.base, out + 8);
  store_little<8>(numbers.first, out + 16);
  payload.resize(header + kTraceColumnHeaderBytes + stored_bytes);
}

void TraceBlockEncoder::State::append_shorter(const Numbers& other) {
  const Numbers plain = plain_numbers(values);
  if (other.width < plain.width) {
    append(other, differences);
  } else {
    append(plain, values);
  }
}

TraceBlockEncoder::TraceBlockEncoder() : state_(std::make_unique<State>()) {
  CHECK(state_->zstd != nullptr);
}
TraceBlockEncoder::~TraceBlockEncoder() = default;

std::span<const std::uint8_t> TraceBlockEncoder::encode(std::span<const Operation> operations) {
  CHECK(!operations.empty() && operations.size() <= kTraceBlockOperationsMax);
  State& state = *state_;
  auto& values = state.values;
  auto& differences = state.differences;
  state.payload.clear();
  const auto collect = [&](auto member, auto wanted) {
    values.clear();
    for (const Operation& operation : operations) {
      if (wanted(operation)) values.push_back(static_cast<std::uint64_t>(operation.*member));
    }
  };
  const auto all = [](const Operation&) { return true; };

  collect(&Operation::kind, all);
  state.append_column();

  collect(&Operation::key, all);
  differences.resize(values.size() - 1);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = values[i + 1] - values[i];
  Numbers steps = difference_numbers(Transform::kFromPrevious, differences);
  if (differences.empty()) steps.width = 8;  // a single key is stored as plain
  steps.first = values.front();
  state.append_shorter(steps);

  collect(&Operation::key_bytes, all);
  state.append_column();
  collect(&Operation::value_bytes, is_put);
  state.append_column();

  differences.clear();
  for (const Operation& operation : operations) {
    if (is_scan(operation)) differences.push_back(operation.scan_last_key - operation.key);
  }
  collect(&Operation::scan_last_key, is_scan);
  state.append_shorter(difference_numbers(Transform::kFromKey, differences));

  collect(&Operation::scan_entries_max, is_scan);
  state.append_column();
  return state.payload;
}

struct TraceBlockDecoder::State {
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> packed;
  std::span<const std::uint8_t> rest;  // the unread part of the payload
  Numbers numbers;                     // numbers of the column that was read last

  Result<void> read_column(const Column& column, std::size_t count);
  Result<const std::uint8_t*> read_packed(const Column& column, std::size_t plain_bytes);
};

Result<void> TraceBlockDecoder::State::read_column(const Column& column, std::size_t count) {
  const auto wrong = [&](const char* what) {
    return input_error(fmt::format("column \"{}\": {}", column.name, what));
  };
  if (rest.size() < kTraceColumnHeaderBytes) return wrong("its header is cut off");
  const std::uint8_t* const header = rest.data();
  const auto transform = static_cast<Transform>(header[0]);
  if (transform != Transform::kPlain && transform != column.alternative) {
    return wrong("unknown transform");
  }
  if (header[1] > 8) return wrong("more than 8 bytes per entry");
  if (header[3] != 0) return wrong("a reserved byte is not 0");
  numbers = {transform, load_little<8>(header + 8), load_little<8>(header + 16), header[1]};
  const bool steps = transform == Transform::kFromPrevious;
  if (!steps && numbers.first != 0) return wrong("a reserved number is not 0");
  if (steps && count == 0) return wrong("differences, but no entries");
  const std::size_t stored = steps ? count - 1 : count;
  auto bytes = BOOST_OUTCOME_TRYX(read_packed(column, numbers.width * stored));
  values.resize(count);
  const std::span<std::uint64_t> all(values);
  kUnpackers[numbers.width](bytes, numbers.base, all.subspan(count - stored));
  if (steps) {
    values[0] = numbers.first;
    for (std::size_t i = 1; i < count; ++i) values[i] += values[i - 1];
  }
  if (column.value_max != kAny) {
    std::uint64_t most = 0;
    for (const std::uint64_t value : values) most = std::max(most, value);
    if (most > column.value_max) return wrong("a value is too large");
  }
  return success();
}

// Reads the column's body, and unpacks it if it is compressed.
Result<const std::uint8_t*> TraceBlockDecoder::State::read_packed(const Column& column,
                                                                  std::size_t plain_bytes) {
  const auto compression = static_cast<Compression>(rest[2]);
  const std::size_t stored_bytes = load_little<4>(rest.data() + 4);
  rest = rest.subspan(kTraceColumnHeaderBytes);
  if (stored_bytes > rest.size()) {
    return input_error(fmt::format("column \"{}\": reaches past the block", column.name));
  }
  const auto body = rest.first(stored_bytes);
  rest = rest.subspan(stored_bytes);
  if (compression == Compression::kNone && stored_bytes == plain_bytes) return body.data();
  if (compression != Compression::kZstd || stored_bytes >= plain_bytes) {
    return input_error(fmt::format("column \"{}\": {} bytes stored in form {} for {} bytes",
                                   column.name, stored_bytes, static_cast<int>(compression),
                                   plain_bytes));
  }
  packed.resize(plain_bytes);
  const std::size_t bytes =
      ZSTD_decompressDCtx(zstd.get(), packed.data(), plain_bytes, body.data(), body.size());
  if (bytes != plain_bytes) {
    return input_error(fmt::format("column \"{}\": cannot be decompressed: {}", column.name,
                                   ZSTD_isError(bytes) != 0 ? ZSTD_getErrorName(bytes) : "short"));
  }
  return packed.data();
}

TraceBlockDecoder::TraceBlockDecoder() : state_(std::make_unique<State>()) {
  CHECK(state_->zstd != nullptr);
}
TraceBlockDecoder::~TraceBlockDecoder() = default;

Result<void> TraceBlockDecoder::decode(std::span<const std::uint8_t> payload,
                                       std::span<Operation> operations) {
  const std::size_t count = operations.size();
  CHECK(count <= kTraceBlockOperationsMax);
  State& state = *state_;
  const auto& values = state.values;
  state.rest = payload;

  BOOST_OUTCOME_TRYV(state.read_column(kKinds, count));
  std::size_t puts = 0;
  std::size_t scans = 0;
  for (std::size_t i = 0; i < count; ++i) {
    operations[i] = {};
    operations[i].kind = static_cast<OperationKind>(values[i]);
    puts += is_put(operations[i]) ? 1U : 0U;
    scans += is_scan(operations[i]) ? 1U : 0U;
  }
  BOOST_OUTCOME_TRYV(state.read_column(kKeys, count));
  for (std::size_t i = 0; i < count; ++i) operations[i].key = values[i];
  BOOST_OUTCOME_TRYV(state.read_column(kKeyBytes, count));
  for (std::size_t i = 0; i < count; ++i) {
    operations[i].key_bytes = static_cast<std::uint16_t>(values[i]);
  }

  const auto give = [&](auto wanted, auto set) {
    std::size_t next = 0;
    for (Operation& operation : operations) {
      if (wanted(operation)) set(operation, values[next++]);
    }
  };
  BOOST_OUTCOME_TRYV(state.read_column(kValueBytes, puts));
  give(is_put, [](Operation& operation, std::uint64_t value) {
    operation.value_bytes = static_cast<std::uint32_t>(value);
  });
  BOOST_OUTCOME_TRYV(state.read_column(kScanLastKeys, scans));
  const bool from_key = state.numbers.transform == Transform::kFromKey;
  give(is_scan, [&](Operation& operation, std::uint64_t value) {
    operation.scan_last_key = from_key ? operation.key + value : value;
  });
  BOOST_OUTCOME_TRYV(state.read_column(kScanEntries, scans));
  give(is_scan, [](Operation& operation, std::uint64_t value) {
    operation.scan_entries_max = static_cast<std::uint32_t>(value);
  });
  if (!state.rest.empty()) return input_error("bytes follow the last column");
  return success();
}

}  // namespace lsmlab
