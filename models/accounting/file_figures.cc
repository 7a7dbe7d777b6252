// The figures of runs on files, and the times of merges.
#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

using BytesOfKind = std::pair<std::string, Uint128>;

FigureGroup bytes_by_kind_group() {
  return figure_objects<BytesOfKind>(
      {"written.bytes_by_kind", GroupShape::kValues,
       "Bytes that reached files of each kind: `wal`, `flush`, `merge`, `manifest`, `other`."},
      {{{"bytes", "bytes", kMean, "Bytes written, those of merges that failed included."},
        &BytesOfKind::second}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.files) return std::nullopt;
        std::vector<FigureInstance> instances;
        for (const BytesOfKind& kind : run.files->written.bytes_by_kind) {
          instances.push_back({kind.first, &kind});
        }
        return instances;
      });
}

FigureGroup written_group() {
  return figure_object<WrittenCheck>(
      {"written", GroupShape::kObject,
       "The store's count of bytes written, compared with the kernel's."},
      {{{"counted_bytes", "bytes", kMean, "Bytes that the store counted: the sum over kinds."},
        &WrittenCheck::counted_bytes},
       {{"kernel_bytes", "bytes", kMean,
         "Bytes that the process wrote, as the kernel counts them; null where it does not tell."},
        &WrittenCheck::kernel_bytes},
       {{"agrees", "", kNone,
         "Whether both agree within 1 % of `counted_bytes`; null without `kernel_bytes`."},
        &WrittenCheck::agrees}},
      [](const RunResult& run) { return run.files ? &run.files->written : nullptr; });
}

FigureGroup verification_group() {
  return figure_object<VerificationFigures>(
      {"verification", GroupShape::kObject,
       "The store's contents, read key by key and compared with what was written."},
      {{{"keys_checked", "keys", kMean, "Keys whose value was read back after the run."},
        &VerificationFigures::keys_checked},
       {{"mismatches", "keys", kMean, "Keys whose value differs from the one written."},
        &VerificationFigures::mismatches},
       {{"first_mismatch", "", kNone, "The first mismatch, in a sentence; null without one."},
        &VerificationFigures::first_mismatch}},
      [](const RunResult& run) {
        return run.files && run.files->verification ? &*run.files->verification : nullptr;
      });
}

FigureGroup merge_times_group() {
  return figure_objects<MergeTime>(
      {"merge_times", GroupShape::kColumns,
       "The time of each merge, for our engine and timed simulations. Of more than some thousands, "
       "a result holds evenly spaced ones."},
      {{{"operations_before", "operations", kNone, "Operations done when the merge began."},
        &MergeTime::operations_before},
       {{"bytes_read", "bytes", kNone, "Bytes that the merge read.", true}, &MergeTime::bytes_read},
       {{"bytes_written", "bytes", kNone, "Bytes that the merge wrote.", true},
        &MergeTime::bytes_written},
       {{"nanoseconds", "ns", kNone, "Duration of the merge.", true}, &MergeTime::nanoseconds},
       {{"processor_ns", "ns", kNone,
         "Part of the duration in which its thread worked; the mean of its threads."},
        &MergeTime::processor_ns},
       {{"core_wait_ns", "ns", kNone,
         "Part of the duration in which its thread waited for a core; for the rest it waited for "
         "the device."},
        &MergeTime::core_wait_ns}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (run.merge_times.empty()) return std::nullopt;
        return figure_instances(run.merge_times);
      });
}

}  // namespace

std::vector<FigureGroup> file_figures() {
  return {bytes_by_kind_group(), written_group(), verification_group(), merge_times_group()};
}

}  // namespace lsmlab
