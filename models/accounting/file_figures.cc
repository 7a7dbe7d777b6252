// The figures of runs on files, and of each merge's time.
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
      {"written", GroupShape::kObject, "The store's count of bytes written against the kernel's."},
      {{{"counted_bytes", "bytes", kMean, "Bytes that the store counted: the sum over kinds."},
        &WrittenCheck::counted_bytes},
       {{"kernel_bytes", "bytes", kMean,
         "Bytes that the system saw the process write; null where it does not tell."},
        &WrittenCheck::kernel_bytes},
       {{"agrees", "", kNone, "Whether both agree within 1 % of the former; null likewise."},
        &WrittenCheck::agrees}},
      [](const RunResult& run) { return run.files ? &run.files->written : nullptr; });
}

FigureGroup verification_group() {
  return figure_object<VerificationFigures>(
      {"verification", GroupShape::kObject,
       "The store's contents, read key by key and compared with what was written."},
      {{{"keys_checked", "keys", kMean, "Keys read."}, &VerificationFigures::keys_checked},
       {{"mismatches", "keys", kMean, "Keys whose value was not the one written."},
        &VerificationFigures::mismatches},
       {{"first_mismatch", "", kNone, "The first of them, in a sentence; null where none."},
        &VerificationFigures::first_mismatch}},
      [](const RunResult& run) {
        return run.files && run.files->verification ? &*run.files->verification : nullptr;
      });
}

FigureGroup merge_times_group() {
  return figure_objects<MergeTime>(
      {"merge_times", GroupShape::kColumns,
       "A column of merges, of our engine and of simulations with a clock; some thousands evenly "
       "spaced where there were more."},
      {{{"operations_before", "operations", kNone, "Operations done when the merge began."},
        &MergeTime::operations_before},
       {{"bytes_read", "bytes", kNone, "Bytes that it read.", true}, &MergeTime::bytes_read},
       {{"bytes_written", "bytes", kNone, "Bytes that it wrote.", true}, &MergeTime::bytes_written},
       {{"nanoseconds", "ns", kNone, "Its duration.", true}, &MergeTime::nanoseconds},
       {{"processor_ns", "ns", kNone, "Of that, time that its thread worked."},
        &MergeTime::processor_ns},
       {{"core_wait_ns", "ns", kNone,
         "Of that, time that its thread waited for a core; the rest it waited for the device."},
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
