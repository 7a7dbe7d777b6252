#include "traces/stores/unmodelled_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "traces/stores/option_table.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kWalSize = "max_total_wal_size";

struct Unmodelled {
  std::string_view option;
  std::vector<std::string_view> harmless;
};

const std::vector<Unmodelled>& all_unmodelled() {
  static const std::vector<Unmodelled> kOptions = {
      {"target_file_size_is_upper_bound", {"false"}},
      {"max_bytes_for_level_multiplier_additional", {"1:1:1:1:1:1:1", ""}},
      {"compaction_options_fifo.age_for_warm", {"0"}},
      {"compaction_options_fifo.file_temperature_age_thresholds", {"", "{}"}},
      {"compaction_options_fifo.max_data_files_size", {"0"}},
      {"preclude_last_level_data_seconds", {"0"}},
      {"read_triggered_compaction_threshold", {"0", "0.000000"}},
      {"inplace_update_support", {"false"}},
      {"optimize_filters_for_hits", {"false"}},
      {"merge_operator", {"nullptr"}},
      {"compaction_filter", {"nullptr"}},
      {"compaction_filter_factory", {"nullptr"}},
      {"sst_partitioner_factory", {"nullptr"}},
      {"comparator", {"leveldb.BytewiseComparator"}},
      {"enable_blob_files", {"false"}},
      {"table_factory", {"BlockBasedTable"}},
      {"memtable_factory", {"SkipListFactory", "{id=SkipListFactory;}"}},
      {"rate_limiter", {"nullptr"}},
      {"allow_ingest_behind", {"false"}},
      {kWalSize, {"0"}},
      {"ignore_max_compaction_bytes_for_input", {"true"}},
  };
  return kOptions;
}

}  // namespace

std::vector<std::string> unmodelled_options(const StoreOptions& options,
                                            const FamilyOptions& family) {
  std::vector<std::string> found;
  for (const Unmodelled& one : all_unmodelled()) {
    const auto text = option_value(options, family, one.option);
    if (!text) continue;
    const bool is_harmless =
        std::find(one.harmless.begin(), one.harmless.end(), *text) != one.harmless.end();
    // RocksDB asks for it only where column families share the log (DBImpl::PreprocessWrite).
    const bool is_unused = one.option == kWalSize && options.families.size() == 1;
    if (!is_harmless && !is_unused) found.push_back(fmt::format("{}={}", one.option, *text));
  }
  return found;
}

}  // namespace lsmlab::stores
