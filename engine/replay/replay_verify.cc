#include "engine/replay/replay_verify.h"

#include <fmt/format.h>

namespace lsmlab::engine {
namespace {

std::string fault_of(const WrittenKeys& written, std::string_view key, std::string_view value,
                     const ValueShape& values) {
  const std::uint64_t id = written.format().read(key);
  const auto known = written.live().find(id);
  if (known == written.live().end()) {
    return fmt::format("key {} is in the store, but was not written", id);
  }
  std::string expected;
  written.format().write(id, known->second.key_bytes, expected);
  if (key != expected) return fmt::format("key {} has {} bytes", id, key.size());
  const WrittenKeys::Write& write = known->second;
  if (is_made_value(id, write.number, write.value_bytes, value, values)) return {};
  return fmt::format("key {} has another value than write {} gave it", id, write.number);
}

}  // namespace

Result<VerificationFigures> verify_keys(Store& store, const WrittenKeys& written,
                                        const ValueShape& values) {
  VerificationFigures figures;
  const auto note = [&](std::string fault) {
    ++figures.mismatches;
    if (!figures.first_mismatch) figures.first_mismatch = std::move(fault);
  };
  const std::unique_ptr<Cursor> cursor =
      store.scan({std::string(), std::nullopt}, {.snapshot = nullptr, .is_counted = false});
  for (;;) {
    const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
    if (!has_entry) break;
    ++figures.keys_checked;
    std::string fault = fault_of(written, cursor->key(), cursor->value(), values);
    if (!fault.empty()) note(std::move(fault));
  }
  const std::uint64_t expected = written.live().size();
  if (figures.keys_checked != expected) {
    note(fmt::format("the store has {} keys, but {} were written and not deleted",
                     figures.keys_checked, expected));
  }
  return figures;
}

}  // namespace lsmlab::engine
