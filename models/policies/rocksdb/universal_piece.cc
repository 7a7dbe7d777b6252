#include "models/policies/rocksdb/universal_piece.h"

#include <algorithm>
#include <optional>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The window of step 1. Where two files share a key, that of the deeper run has the older version,
// whose internal key is the larger one.
class PieceWindow {
 public:
  PieceWindow(const RunFiles& files, const RunFiles& bottom, double fanout_max,
              std::uint64_t bytes_max)
      : files_(files), bottom_(bottom), bytes_max_(bytes_max), fanout_(fanout_max) {}

  // The files of the pick; nothing if no window is below the limit.
  [[nodiscard]] std::optional<FileSpan> slide() {
    for (std::size_t end = 0; end < files_.size(); ++end) {
      if (pass_bottom_before(files_[end]) > 1) first_ = end;
      if (first_ == end) {
        bytes_ = bottom_bytes_ = 0;
        bottom_first_ = bottom_end_;
        is_end_counted_ = false;
      }
      bytes_ += files_[end].bytes.value();
      take_overlapped(files_[end]);
      const bool is_last = end + 1 == files_.size();
      if ((is_large() || is_last) && bytes_ > 0) {
        compare(end);
        shrink(end);
      }
    }
    return pick_;
  }

 private:
  [[nodiscard]] bool is_large() const { return bytes_ + bottom_bytes_ > bytes_max_; }

  std::uint64_t pass_bottom_before(const File& file) {
    std::uint64_t passed = 0;
    for (; bottom_end_ < bottom_.size() && bottom_[bottom_end_].keys.largest < file.keys.smallest;
         ++bottom_end_, ++passed) {
      if (!is_end_counted_) bottom_bytes_ += bottom_[bottom_end_].bytes.value();
      is_end_counted_ = false;
    }
    return passed;
  }

  void take_overlapped(const File& file) {
    while (bottom_end_ < bottom_.size() && bottom_[bottom_end_].keys.smallest < file.keys.largest) {
      if (!is_end_counted_) bottom_bytes_ += bottom_[bottom_end_].bytes.value();
      is_end_counted_ = true;
      if (bottom_[bottom_end_].keys.largest >= file.keys.largest) break;
      ++bottom_end_;
      is_end_counted_ = false;
    }
  }

  void compare(std::size_t end) {
    const double fanout = static_cast<double>(bottom_bytes_) / static_cast<double>(bytes_);
    if (fanout >= fanout_) return;
    fanout_ = fanout;
    pick_ = FileSpan(files_, first_, end + 1);
  }

  void shrink(std::size_t end) {
    while (is_large() && first_ <= end) {
      bytes_ -= files_[first_].bytes.value();
      ++first_;
      if (first_ == files_.size()) continue;
      for (; bottom_first_ <= bottom_end_ && bottom_first_ < bottom_.size() &&
             bottom_[bottom_first_].keys.largest < files_[first_].keys.smallest;
           ++bottom_first_) {
        bottom_bytes_ -= std::min(bottom_bytes_, bottom_[bottom_first_].bytes.value());
      }
    }
  }

  const RunFiles& files_;
  const RunFiles& bottom_;
  std::uint64_t bytes_max_;
  double fanout_;  // of the pick, or the limit
  std::optional<FileSpan> pick_;
  std::size_t first_ = 0;
  std::size_t bottom_first_ = 0;
  std::size_t bottom_end_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bottom_bytes_ = 0;
  bool is_end_counted_ = false;  // the file at bottom_end_ is in bottom_bytes_
};

// The files of a run that lie within a range.
FileSpan files_within(const SortedRun& run, const KeyRange& keys) {
  const std::size_t first = run.files.first_from(keys.smallest);
  std::size_t last = std::max(first, run.files.first_above(keys.largest));
  while (last > first && run.files[last - 1].keys.largest > keys.largest) --last;
  return {run.files, first, last};
}

// RocksDB: SetupOtherInputs.
void grow(const SortedRun& run, const SortedRun& bottom, FileSpan& files) {
  const FileSpan below = overlapping_files(bottom, range_of(files));
  if (below.empty()) return;
  const KeyRange all = hull_of(range_of(files), range_of(below));
  const FileSpan grown = overlapping_files(run, all);
  if (grown.size() > files.size() &&
      overlapping_files(bottom, range_of(grown)).size() == below.size()) {
    files = grown;
    return;
  }
  const FileSpan within = files_within(run, all);
  if (within.size() > files.size()) files = within;
}

}  // namespace

std::vector<PlanInput> universal_piece(const std::vector<PieceRun>& runs, double fanout_max,
                                       std::uint64_t window_bytes) {
  if (runs.size() < 2) return {};
  const PieceRun& bottom = runs.back();
  const PieceRun& second = runs[runs.size() - 2];
  PieceWindow window(second.run->files, bottom.run->files, fanout_max, window_bytes);
  std::optional<FileSpan> files = window.slide();
  if (!files) return {};
  grow(*second.run, *bottom.run, *files);
  std::vector<PlanInput> inputs{input_of(second.level, *second.run, *files)};
  KeyRange keys = range_of(*files);
  for (std::size_t i = runs.size() - 2; i-- > 0;) {
    const FileSpan within = files_within(*runs[i].run, keys);
    if (within.empty()) {
      if (!overlapping_files(*runs[i].run, keys).empty()) break;
      continue;
    }
    inputs.insert(inputs.begin(), input_of(runs[i].level, *runs[i].run, within));
    keys = range_of(within);
  }
  const FileSpan below = overlapping_files(*bottom.run, range_of(*files));
  if (!below.empty()) inputs.push_back(input_of(bottom.level, *bottom.run, below));
  return inputs;
}

}  // namespace lsmlab
