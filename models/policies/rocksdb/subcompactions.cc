#include "models/policies/rocksdb/subcompactions.h"

#include <algorithm>

namespace lsmlab {
namespace {

struct Inputs {
  std::uint64_t bytes = 0;
  std::uint64_t first_level_files = 0;
  std::uint64_t ranges = 0;  // between the keys that versions before 7.6 take for boundaries
};

Inputs inputs_of(const TreeView& tree, const MergePlan& merge) {
  Inputs inputs;
  FileFinder finder(tree);
  for (const PlanInput& input : merge.inputs) {
    for (const FileId id : input.files) inputs.bytes += finder.at(id).bytes.value();
    if (input.level == merge.inputs.front().level) inputs.first_level_files += input.files.size();
    // First and last key of each file of level 0 and of other levels' files together, and the first
    // key of each further file of the output level.
    inputs.ranges += input.level == 0 ? 2 * input.files.size() : 2;
    if (input.level == merge.target.level) inputs.ranges += input.files.size() - 1;
  }
  --inputs.ranges;
  return inputs;
}

std::uint64_t divided_up(Uint128 dividend, Uint128 divisor) {
  return static_cast<std::uint64_t>((dividend + divisor - 1) / divisor);
}

// As many parts as output files that are four fifths full.
MergeParts parts_before_7_6(const RocksdbSubcompactions& rules, const Inputs& inputs,
                            Bytes file_bytes) {
  const std::uint64_t files =
      divided_up(Uint128{inputs.bytes} * 5, Uint128{file_bytes.value()} * 4);
  const std::uint64_t parts = std::min({inputs.ranges, rules.parts_max, files});
  MergeParts found;
  if (parts < 2) return found;
  const auto upto = [&](std::uint64_t part) {
    return static_cast<std::uint64_t>(Uint128{inputs.bytes} * part / parts);
  };
  for (std::uint64_t i = 0; i < parts; ++i) found.input_bytes.push_back(upto(i + 1) - upto(i));
  return found;
}

}  // namespace

void declare_max_subcompactions(OptionTable& table, std::uint64_t& parts_max) {
  table.count("max_subcompactions", parts_max, {1, 1024}, "threads",
              "threads that may divide the keys of one merge among them, at most, if it takes "
              "level 0 or is universal; more: such merges end sooner. Only for runs with a clock");
}

MergeParts rocksdb_parts(const RocksdbSubcompactions& rules, const TreeView& tree,
                         const MergePlan& merge, Bytes file_bytes, std::uint64_t idle_threads) {
  if (merge.target.level == 0 || merge.inputs.empty()) return {};
  const bool takes_idle = rules.is_round_robin && rules.version >= RocksdbVersion::k7_8;
  const bool is_divided = rules.is_universal || merge.inputs.front().level == 0;
  if (!takes_idle && (rules.parts_max < 2 || !is_divided)) return {};
  const Inputs inputs = inputs_of(tree, merge);
  if (rules.version < RocksdbVersion::k7_8) return parts_before_7_6(rules, inputs, file_bytes);
  std::uint64_t planned = rules.parts_max;
  if (takes_idle && planned < inputs.first_level_files) {
    planned += std::min(idle_threads, inputs.first_level_files - planned);
  }
  if (planned < 2) return {};
  const std::uint64_t part_bytes = std::max(inputs.bytes / planned, file_bytes.value());
  if (part_bytes >= inputs.bytes) return {};
  const std::uint64_t parts = std::min(planned, divided_up(inputs.bytes, part_bytes));
  MergeParts found;
  if (parts > rules.parts_max) found.merge_threads = parts - rules.parts_max;
  // Prepare() of these versions forgets a boundary that is the only one (PR 11501).
  if (parts == 2 && rules.version < RocksdbVersion::k8_4) return found;
  found.input_bytes.assign(parts - 1, part_bytes);
  found.input_bytes.push_back(inputs.bytes - (parts - 1) * part_bytes);
  return found;
}

RuleFidelity rocksdb_subcompactions_fidelity() {
  return {"subcompactions: which merges are divided, into how many parts of which sizes",
          Fidelity::kSimplified, "db/compaction/compaction_job.cc, compaction.cc, RocksDB 7.8.3",
          "with a clock; parts take time only: RocksDB also ends an output file where a part ends. "
          "Its boundaries lie within 1 % of a file of these. The engine's merges have one thread"};
}

}  // namespace lsmlab
