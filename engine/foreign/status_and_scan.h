// Code for both RocksDB and LevelDB, whose interfaces have one origin.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::engine {

/// Errors: the text of the status, after the name of the store.
template <class Status>
[[nodiscard]] Result<void> checked_status(const char* store, const Status& status) {
  if (status.ok()) return success();
  return machine_error(std::string(store) + ": " + status.ToString());
}

/// Whether a lookup with this status found the key.
template <class Status>
[[nodiscard]] Result<bool> found_status(const char* store, const Status& status) {
  if (status.IsNotFound()) return false;
  BOOST_OUTCOME_TRYV(checked_status(store, status));
  return true;
}

/// Reads at most `entries_max` entries from the first key to the last one (nullptr: to the end).
/// Returns how many it read.
template <class Slice, class Iterator>
[[nodiscard]] Result<std::uint64_t> scan_entries(const char* store,
                                                 const std::unique_ptr<Iterator>& iterator,
                                                 std::string_view first_key,
                                                 const std::string_view* last_key,
                                                 std::uint64_t entries_max) {
  std::uint64_t entries = 0;
  for (iterator->Seek(Slice(first_key.data(), first_key.size()));
       entries < entries_max && iterator->Valid(); iterator->Next()) {
    const bool is_beyond = last_key != nullptr &&
                           iterator->key().compare(Slice(last_key->data(), last_key->size())) > 0;
    if (is_beyond) break;
    // The value is read too, as in a real scan.
    entries += !iterator->key().empty() && iterator->value().data() != nullptr;
  }
  BOOST_OUTCOME_TRYV(checked_status(store, iterator->status()));
  return entries;
}

/// Key and value bytes of all entries.
template <class Iterator>
[[nodiscard]] Result<std::uint64_t> sum_entries(const char* store,
                                                const std::unique_ptr<Iterator>& iterator) {
  std::uint64_t bytes = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    bytes += iterator->key().size() + iterator->value().size();
  }
  BOOST_OUTCOME_TRYV(checked_status(store, iterator->status()));
  return bytes;
}

}  // namespace lsmlab::engine
