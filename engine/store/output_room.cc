#include "engine/store/output_room.h"

#include <algorithm>
#include <optional>

#include "models/base/check.h"
#include "models/base/units.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {
namespace {

// Index, filter and overlong blocks vary by less than this.
constexpr std::uint64_t kMarginDivisor = 64;
constexpr std::uint64_t kMarginBytes = 4096;

// A size limit counts entries or blocks, without filter and index. The inputs tell how much these
// add.
std::uint64_t with_filter_and_index(const TreeView& tree, const MergePlan& merge, Bytes limit) {
  Uint128 file_bytes = 0;
  Uint128 entry_bytes = 0;
  for (const PlanInput& input : merge.inputs) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree.find_file(id);
      CHECK(at);
      const File& file = tree.file_at(*at);
      const std::uint64_t entries = file.entries.value();
      if (entries == 0) continue;
      file_bytes += file.bytes.value();
      entry_bytes += Uint128{entries} * buffered_entry_bytes(file.key_bytes.value() / entries,
                                                             file.value_bytes.value() / entries);
    }
  }
  if (entry_bytes == 0) return limit.value();
  return static_cast<std::uint64_t>(Uint128{limit.value()} * file_bytes / entry_bytes);
}

}  // namespace

OutputRoom::OutputRoom(const TreeView& tree, const Plan& plan, const PlanSums& sums)
    : rest_bytes_(sums.read_bytes) {
  if (takes_memtable(plan)) rest_bytes_ += tree.pending_flush()->bytes.value();
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  const auto* flush = std::get_if<FlushPlan>(&plan.action);
  if (flush != nullptr && flush->cut.file_bytes) file_bytes_ = flush->cut.file_bytes->value();
  if (merge == nullptr) return;
  if (merge->cut.file_bytes) {
    file_bytes_ = with_filter_and_index(tree, *merge, *merge->cut.file_bytes);
  }
  if (merge->cut.file_begins) {
    const std::uint64_t mean = rest_bytes_ / (1 + merge->cut.file_begins->size());
    file_bytes_ = file_bytes_ == 0 ? mean : std::min(file_bytes_, mean);
  }
}

std::uint64_t OutputRoom::next_file_bytes() const {
  const std::uint64_t likely = file_bytes_ == 0 ? rest_bytes_ : std::min(rest_bytes_, file_bytes_);
  return likely == 0 ? 0 : likely + likely / kMarginDivisor + kMarginBytes;
}

}  // namespace lsmlab::engine
