#include "sim/keys/starting_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/base/random.h"

namespace lsmlab {
namespace {

Result<std::vector<StartingRecord>> records_of(OperationSource& source, std::uint64_t count) {
  constexpr std::uint64_t kBatchOperations = 4096;
  std::vector<StartingRecord> records;
  records.reserve(static_cast<std::size_t>(count));
  std::vector<Operation> batch(kBatchOperations);
  while (records.size() < count) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBatchOperations, count - records.size()));
    const std::size_t filled =
        BOOST_OUTCOME_TRYX(source.fill(std::span<Operation>(batch).first(wanted)));
    CHECK(filled == wanted);
    for (const Operation& put : std::span<const Operation>(batch).first(filled)) {
      CHECK(put.kind == OperationKind::kPut);
      records.push_back({put.key, put.value_bytes, put.key_bytes});
    }
  }
  std::sort(records.begin(), records.end(),
            [](const StartingRecord& a, const StartingRecord& b) { return a.key < b.key; });
  return records;
}

class Placement {
 public:
  Placement(std::vector<StartingRecord> records, std::uint64_t seed)
      : records_(std::move(records)), is_placed_(records_.size(), false), random_(seed) {}

  // The records of each file of the run; a file without any is left out.
  [[nodiscard]] std::vector<std::vector<StartingRecord>> choose(const StartingRun& run,
                                                                bool takes_unplaced_first) {
    std::vector<std::vector<StartingRecord>> files;
    for (const StartingFile& file : run.files) {
      const StartingFile::Part part = file.part_of(records_.size());
      std::uint64_t unplaced = 0;
      for (std::uint64_t i = part.begin; i < part.end; ++i) unplaced += !is_placed_[i];
      Draw first{unplaced, std::min(unplaced, file.entries)};
      Draw rest{part.end - part.begin, std::min(part.end - part.begin, file.entries)};
      if (takes_unplaced_first) {
        rest = {rest.left - unplaced, std::min(rest.left - unplaced, file.entries - first.wanted)};
      }
      std::vector<StartingRecord> chosen;
      for (std::uint64_t i = part.begin; i < part.end; ++i) {
        const bool is_first = takes_unplaced_first && !is_placed_[i];
        if (!draw(is_first ? first : rest)) continue;
        is_placed_[i] = true;
        chosen.push_back(records_[i]);
      }
      if (!chosen.empty()) files.push_back(std::move(chosen));
    }
    return files;
  }

 private:
  // So many of the records that are left are still wanted; each set of them is equally likely.
  struct Draw {
    std::uint64_t left = 0;
    std::uint64_t wanted = 0;
  };
  [[nodiscard]] bool draw(Draw& from) {
    const bool is_taken = random_.below(from.left--) < from.wanted;
    if (is_taken) --from.wanted;
    return is_taken;
  }

  std::vector<StartingRecord> records_;  // by key
  std::vector<bool> is_placed_;
  SplitMix64 random_;
};

}  // namespace

Result<void> place_records(const StartingTree& start, OperationSource& source, std::uint64_t seed,
                           KeyTree& files) {
  Placement placement(BOOST_OUTCOME_TRYX(records_of(source, start.records)), seed);
  // The newest run chooses first, so that the oldest one knows what is left.
  std::vector<std::vector<std::vector<StartingRecord>>> chosen(start.runs.size());
  for (std::size_t run = start.runs.size(); run-- > 0;) {
    chosen[run] = placement.choose(start.runs[run], run == 0);
  }
  for (std::size_t run = 0; run < start.runs.size(); ++run) {
    const std::uint32_t level = start.runs[run].level;
    BOOST_OUTCOME_TRYV(
        files.place(level, starting_format(files.store(), start, level), chosen[run]));
  }
  return success();
}

}  // namespace lsmlab
