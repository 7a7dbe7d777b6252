#include "validate/catalog/measured_format.h"

#include <algorithm>
#include <cstddef>
#include <utility>

// jemalloc's own function, null where the program is not linked with it.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old_value,
                                             std::size_t* old_bytes, void* new_value,
                                             std::size_t new_bytes);

namespace lsmlab {

bool has_jemalloc() { return mallctl != nullptr; }

Spec with_table_format(Spec policy, RunSource source) {
  constexpr const char* kTableFormat = "table_format";
  constexpr const char* kAllocator = "allocator";
  const auto is_given = [&](const char* name) {
    return std::any_of(policy.parameters.begin(), policy.parameters.end(),
                       [&](const auto& parameter) { return parameter.first == name; });
  };
  const bool is_foreign = source == RunSource::kRocksdb || source == RunSource::kLeveldb;
  if (!is_foreign || is_given(kTableFormat)) return policy;
  policy.parameters.emplace_back(kTableFormat, run_source_name(source));
  if (source == RunSource::kRocksdb && has_jemalloc() && !is_given(kAllocator)) {
    policy.parameters.emplace_back(kAllocator, "jemalloc");
  }
  return policy;
}

}  // namespace lsmlab
