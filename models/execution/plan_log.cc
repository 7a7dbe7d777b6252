#include "models/execution/plan_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/check.h"
#include "models/base/json_parse.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/plan_execution.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint32_t kLevelMax = 1000;

using Json = nlohmann::ordered_json;

// Thrown and caught only inside this file.
struct RecordFault {
  std::string message;
  std::optional<OptionFault> of_word = {};  // of a word that is none of those expected
};

const Json& member_of(const Json& json, const char* member) {
  if (!json.is_object()) throw RecordFault{"expected a JSON object"};
  const auto found = json.find(member);
  if (found == json.end()) throw RecordFault{fmt::format("has no \"{}\"", member)};
  return *found;
}

std::uint64_t whole_number(const Json& json, const char* member) {
  const Json& value = member_of(json, member);
  if (!value.is_number_unsigned())
    throw RecordFault{fmt::format("\"{}\" is not a whole number below 2^64", member)};
  return value.get<std::uint64_t>();
}

std::string text_of(const Json& json, const char* member) {
  const Json& value = member_of(json, member);
  if (!value.is_string()) throw RecordFault{fmt::format("\"{}\" is not a text", member)};
  return value.get<std::string>();
}

// The row of `table` that the member names.
template <class Rows>
const auto& row_of(const Json& json, const char* member, const Rows& table) {
  const std::string word = text_of(json, member);
  std::vector<std::string> names;
  for (const auto& row : table) {
    if (row.name == word) return row;
    names.emplace_back(row.name);
  }
  const std::string nearest = nearest_name(word, names).value_or("");
  const std::string expected = fmt::format("{}", fmt::join(names, ", "));
  const std::string message = fmt::format(
      "unknown {} '{}'; {} one of {}", member, excerpt(word),
      nearest.empty() ? "expected" : fmt::format("did you mean '{}'? Expected", nearest), expected);
  throw RecordFault{message, OptionFault{member, word, expected, false, nearest, message}};
}

const Json& list_of(const Json& json, const char* member) {
  const Json& value = member_of(json, member);
  if (!value.is_array()) throw RecordFault{fmt::format("\"{}\" is not a list", member)};
  return value;
}

KeyRange key_range(const Json& json) {
  const bool is_range = json.is_array() && json.size() == 2 && json.at(0).is_number_unsigned() &&
                        json.at(1).is_number_unsigned();
  if (!is_range) throw RecordFault{"\"keys\" is not a pair of whole numbers"};
  const KeyRange keys{json.at(0).get<std::uint64_t>(), json.at(1).get<std::uint64_t>()};
  if (keys.smallest > keys.largest) throw RecordFault{"\"keys\" begins after its end"};
  return keys;
}

std::uint32_t level_number(const Json& json, const char* member) {
  const std::uint64_t level = whole_number(json, member);
  if (level > kLevelMax) throw RecordFault{fmt::format("\"{}\" is above {}", member, kLevelMax)};
  return static_cast<std::uint32_t>(level);
}

bool flag_of(const Json& json, const char* member) {
  if (!json.contains(member)) return false;
  const Json& value = json.at(member);
  if (!value.is_boolean()) {
    throw RecordFault{fmt::format("\"{}\" is neither true nor false", member)};
  }
  return value.get<bool>();
}

Adaptation adaptation_of(const Json& json, const PlanRecord& record) {
  if (!record.takes_memtable)
    throw RecordFault{"\"adaptation\" needs a plan that takes a memtable"};
  Adaptation adaptation;
  const Json& measured = member_of(json, "measured");
  adaptation.measured = {whole_number(measured, "lookups"), whole_number(measured, "writes"),
                         whole_number(measured, "scans"), whole_number(measured, "deletes")};
  const auto at_most = [&](const char* name, std::uint64_t max) {
    const std::uint64_t value = whole_number(json, name);
    if (value > max) throw RecordFault{fmt::format("\"{}\" is above {}", name, max)};
    return value;
  };
  adaptation.tuning = {record.flush,
                       at_most("del_ratio_base_millionths", Tuning::kDelRatioBaseMillionthsMax),
                       at_most("bits_per_key_thousandths", Tuning::kBitsPerKeyThousandthsMax),
                       Bytes(whole_number(json, "range_bytes"))};
  if (json.contains("scaling_parameters")) {
    const Json& text = json.at("scaling_parameters");
    if (!text.is_string() || text.get_ref<const std::string&>().size() > Tuning::kScalingTextMax) {
      throw RecordFault{"\"scaling_parameters\" is no text, or too long"};
    }
    adaptation.tuning.scaling_parameters = text.get<std::string>();
  }
  const Json& costs = member_of(json, "cost_microblocks");
  adaptation.costs = {whole_number(costs, "lookup"),      whole_number(costs, "scan"),
                      whole_number(costs, "update"),      whole_number(costs, "mean"),
                      whole_number(costs, "mean_before"), whole_number(costs, "mean_tiered")};
  return adaptation;
}

void add_adaptation(const Adaptation& adaptation, fmt::memory_buffer& line) {
  const Traffic& measured = adaptation.measured;
  const Tuning& tuning = adaptation.tuning;
  const TuningCosts& costs = adaptation.costs;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, R"(,"adaptation":{{"measured":{{"lookups":{},"writes":{},"scans":{},)",
                 measured.lookups, measured.writes, measured.scans);
  fmt::format_to(out, R"("deletes":{}}},"del_ratio_base_millionths":{},)", measured.deletes,
                 tuning.del_ratio_base_millionths);
  fmt::format_to(out, R"("bits_per_key_thousandths":{},"range_bytes":{},)",
                 tuning.bits_per_key_thousandths, tuning.range_bytes.value());
  if (!tuning.scaling_parameters.empty()) {
    fmt::format_to(out, R"("scaling_parameters":{},)", Json(tuning.scaling_parameters).dump());
  }
  fmt::format_to(out, R"("cost_microblocks":{{"lookup":{},"scan":{},"update":{},"mean":{},)",
                 costs.lookup, costs.scan, costs.update, costs.mean);
  fmt::format_to(out, R"("mean_before":{},"mean_tiered":{}}}}})", costs.mean_before,
                 costs.mean_tiered);
}

PlanRecord record_of_json(const Json& json) {
  PlanRecord record;
  record.sequence = whole_number(json, "sequence");
  record.plan = row_of(json, "plan", kPlanKinds).kind;
  record.reason = row_of(json, "reason", kPlanReasons).reason;
  record.flush = whole_number(json, "flush");
  record.takes_memtable = json.contains("memtable_bytes");
  if (record.takes_memtable) record.memtable_bytes = Bytes(whole_number(json, "memtable_bytes"));
  for (const auto& input : list_of(json, "inputs")) {
    record.inputs.push_back({FileId(whole_number(input, "id")), level_number(input, "level"),
                             Bytes(whole_number(input, "bytes"))});
  }
  if (json.contains("slices")) {
    for (const auto& slice : list_of(json, "slices")) {
      record.slices.push_back({FileId(whole_number(slice, "frozen")),
                               FileId(whole_number(slice, "file")),
                               Bytes(whole_number(slice, "bytes"))});
    }
  }
  record.target_level = level_number(json, "target_level");
  if (json.contains("target_run")) record.target_run = RunId(whole_number(json, "target_run"));
  record.keeps_tombstones = flag_of(json, "keeps_tombstones");
  if (json.contains("into")) record.into = FileId(whole_number(json, "into"));
  if (json.contains("copies_max")) record.copies_max = whole_number(json, "copies_max");
  if (record.plan == PlanKind::kTrim) {
    for (const auto& id : list_of(json, "trimmed")) {
      if (!id.is_number_unsigned()) throw RecordFault{"\"trimmed\" is not a list of whole numbers"};
      record.trimmed.emplace_back(id.get<std::uint64_t>());
    }
  }
  for (const auto& output : list_of(json, "outputs")) {
    const Bytes bytes(whole_number(output, "bytes"));
    const KeyRange keys = output.contains("keys") ? key_range(output.at("keys")) : KeyRange();
    record.outputs.push_back({FileId(whole_number(output, "id")), bytes, keys});
  }
  record.entries_in = Entries(whole_number(json, "entries_in"));
  record.entries_out = Entries(whole_number(json, "entries_out"));
  if (json.contains("adaptation")) record.adaptation = adaptation_of(json.at("adaptation"), record);
  return record;
}

}  // namespace

PlanRecord make_plan_record(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
                            std::uint64_t sequence) {
  PlanRecord record;
  record.sequence = sequence;
  record.plan = kind_of_plan(plan);
  record.reason = plan.reason;
  record.takes_memtable = takes_memtable(plan);
  record.flush = tree.flush_count() + (record.takes_memtable ? 1 : 0);
  if (record.takes_memtable) {
    record.memtable_bytes = tree.pending_flush()->bytes;
    record.entries_in += tree.pending_flush()->entries;
  }
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  const bool carries_inputs = edit.added.empty() && record.plan != PlanKind::kDrop;
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree.find_file(id);
      CHECK(at);
      const File& file = tree.file_at(*at);
      record.inputs.push_back({id, input.level, file.bytes});
      const std::span<const Slice> slices =
          merge != nullptr ? merged_slices(*merge, file) : std::span<const Slice>(file.slices);
      for (const Slice& slice : slices) {
        record.slices.push_back({slice.frozen_file, id, slice.bytes});
      }
      record.entries_in += file.entries;
      if (record.plan == PlanKind::kRefer) record.entries_out += file.entries;
      if (carries_inputs) {
        record.outputs.push_back({id, file.bytes, file.keys});
        record.entries_out += file.entries;
      }
    }
  }
  for (const TreeEdit::Linked& linked : edit.linked) {
    record.slices.push_back({linked.frozen_file, linked.lower_file, linked.slice.bytes});
  }
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      for (const Slice& slice : file.slices) {
        record.slices.push_back({slice.frozen_file, file.id, slice.bytes});
      }
    }
  }
  if (merge != nullptr) record.copies_max = merge->copies_max;
  record.trimmed = edit.trimmed;
  record.adaptation = plan.adaptation;
  record.entries_in += edit.slice_entries;
  // If other plans ran at the same time, the target in the edit may differ from the planned one.
  OutputTarget target = plan_target(plan);
  if (!edit.added.empty()) target = edit.added.front().target;
  if (!edit.moved.empty()) target = edit.moved.front().target;
  record.target_level = target.level;
  record.target_run = target.run;
  record.keeps_tombstones = merge != nullptr && !merge->drops_tombstones;
  for (const TreeEdit::Added& added : edit.added) {
    if (added.into) record.into = added.into;
    for (const File& file : added.files) {
      record.outputs.push_back({file.id, file.bytes, file.keys});
      record.entries_out += file.entries;
    }
  }
  return record;
}

std::string plan_record_line(const PlanRecord& record) {
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, R"({{"sequence":{},"plan":"{}","reason":"{}","flush":{},)", record.sequence,
                 plan_kind_name(record.plan), reason_name(record.reason), record.flush);
  if (record.takes_memtable) {
    fmt::format_to(out, R"("memtable_bytes":{},)", record.memtable_bytes.value());
  }
  fmt::format_to(out, R"("inputs":[)");
  const char* separator = "";
  for (const PlanRecord::Input& input : record.inputs) {
    fmt::format_to(out, R"({}{{"id":{},"level":{},"bytes":{}}})", separator, input.id.value(),
                   input.level, input.bytes.value());
    separator = ",";
  }
  fmt::format_to(out, "],");
  if (!record.slices.empty()) {
    fmt::format_to(out, R"("slices":[)");
    separator = "";
    for (const PlanRecord::SlicePart& slice : record.slices) {
      fmt::format_to(out, R"({}{{"frozen":{},"file":{},"bytes":{}}})", separator,
                     slice.frozen_file.value(), slice.file.value(), slice.bytes.value());
      separator = ",";
    }
    fmt::format_to(out, "],");
  }
  if (record.plan == PlanKind::kTrim) {
    fmt::format_to(out, R"("trimmed":[)");
    separator = "";
    for (const FileId id : record.trimmed) {
      fmt::format_to(out, "{}{}", separator, id.value());
      separator = ",";
    }
    fmt::format_to(out, "],");
  }
  if (record.copies_max > 0) fmt::format_to(out, R"("copies_max":{},)", record.copies_max);
  fmt::format_to(out, R"("target_level":{},)", record.target_level);
  if (record.target_run) fmt::format_to(out, R"("target_run":{},)", record.target_run->value());
  if (record.keeps_tombstones) fmt::format_to(out, R"("keeps_tombstones":true,)");
  if (record.into) fmt::format_to(out, R"("into":{},)", record.into->value());
  fmt::format_to(out, R"("outputs":[)");
  separator = "";
  for (const PlanRecord::Output& output : record.outputs) {
    fmt::format_to(out, R"({}{{"id":{},"bytes":{})", separator, output.id.value(),
                   output.bytes.value());
    if (output.keys != KeyRange()) {
      fmt::format_to(out, R"(,"keys":[{},{}])", output.keys.smallest, output.keys.largest);
    }
    fmt::format_to(out, "}}");
    separator = ",";
  }
  fmt::format_to(out, R"(],"entries_in":{},"entries_out":{})", record.entries_in.value(),
                 record.entries_out.value());
  if (record.adaptation) add_adaptation(*record.adaptation, line);
  fmt::format_to(out, "}}");
  return fmt::to_string(line);
}

Result<PlanRecord> parse_plan_record(std::string_view line) {
  const Result<Json> json = parse_json(line);
  if (!json) return in_context("not a plan record", json.error());
  try {
    return record_of_json(json.value());
  } catch (const RecordFault& fault) {
    Error error = input_error(fault.message);
    if (fault.of_word) error.faults.push_back(*fault.of_word);
    return in_context("not a plan record", std::move(error));
  }
}

namespace {

Result<const File*> input_file(const TreeView& tree, const PlanRecord& record,
                               const PlanRecord::Input& input) {
  const std::optional<FileLocation> at = tree.find_file(input.id);
  if (at && at->level == input.level && tree.file_at(*at).bytes == input.bytes) {
    return &tree.file_at(*at);
  }
  return input_error(fmt::format("plan {}: no file {} of {} bytes in level {}", record.sequence,
                                 input.id.value(), input.bytes.value(), input.level));
}

// REQUIRES: the files are in the tree.
std::vector<PlanInput> inputs_of(const TreeView& tree, const PlanRecord& record) {
  std::vector<PlanInput> inputs;
  for (const PlanRecord::Input& input : record.inputs) {
    const FileLocation at = *tree.find_file(input.id);
    const RunId run = tree.levels()[at.level].runs[at.run].id;
    if (inputs.empty() || inputs.back().run != run) inputs.push_back({input.level, run, {}});
    inputs.back().files.push_back(input.id);
  }
  return inputs;
}

Result<TreeEdit> edit_of_link(const TreeView& tree, const PlanRecord& record) {
  if (record.inputs.size() != 1 || record.slices.empty() ||
      record.inputs.front().level >= record.target_level) {
    return input_error(fmt::format("plan {}: a link needs one input file and a deeper target level",
                                   record.sequence));
  }
  const File* upper = BOOST_OUTCOME_TRYX(input_file(tree, record, record.inputs.front()));
  TreeEdit edit;
  edit.frozen.push_back(upper->id);
  // Skips slices that were linked to the upper file earlier: they are not parts of it.
  for (const PlanRecord::SlicePart& slice : record.slices) {
    if (slice.frozen_file != upper->id) continue;
    const std::optional<FileLocation> at = tree.find_file(slice.file);
    if (!at || at->level != record.target_level) {
      return input_error(fmt::format("plan {}: a slice names file {}, which is not in level {}",
                                     record.sequence, slice.file.value(), record.target_level));
    }
    const KeyRange range = responsible_range(tree.levels()[at->level].runs[at->run], at->file);
    if (!range.overlaps(upper->keys)) {
      return input_error(fmt::format("plan {}: file {} is not responsible for any key of file {}",
                                     record.sequence, slice.file.value(), upper->id.value()));
    }
    edit.linked.push_back(
        {upper->id, slice.file, {upper->id, slice_keys(tree, *upper, slice.file), slice.bytes}});
  }
  return edit;
}

// The slices of the outputs follow those of the inputs. A slice's keys are those of its part of the
// inputs within the output's keys.
Result<TreeEdit> edit_of_refer(const TreeView& tree, const PlanRecord& record) {
  TreeEdit edit;
  for (const PlanRecord::Input& input : record.inputs) {
    const File* file = BOOST_OUTCOME_TRYX(input_file(tree, record, input));
    if (!file->is_virtual && !file->slices.empty()) {
      return input_error(
          fmt::format("plan {}: file {} has slices", record.sequence, file->id.value()));
    }
    (file->is_virtual ? edit.removed : edit.frozen).push_back(file->id);
  }
  const std::vector<Slice> parts = referred_parts(tree, inputs_of(tree, record));
  TreeEdit::Added added{{record.target_level, record.target_run}, {}};
  for (const PlanRecord::Output& output : record.outputs) {
    File file;
    file.id = output.id;
    std::vector<bool> is_taken(parts.size(), false);
    for (const PlanRecord::SlicePart& slice : record.slices) {
      if (slice.file != output.id) continue;
      std::size_t i = 0;
      while (i < parts.size() && (is_taken[i] || parts[i].frozen_file != slice.frozen_file ||
                                  !parts[i].keys.overlaps(output.keys))) {
        ++i;
      }
      if (i == parts.size()) {
        return input_error(fmt::format("plan {}: file {} refers to file {}, which no input has",
                                       record.sequence, output.id.value(),
                                       slice.frozen_file.value()));
      }
      is_taken[i] = true;
      const KeyRange keys{std::max(parts[i].keys.smallest, output.keys.smallest),
                          std::min(parts[i].keys.largest, output.keys.largest)};
      file.slices.push_back({slice.frozen_file, keys, slice.bytes});
    }
    if (file.slices.empty()) {
      return input_error(fmt::format("plan {}: the virtual file {} has no slice", record.sequence,
                                     output.id.value()));
    }
    finish_virtual_file(tree, file);
    file.keys = output.keys;
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  return edit;
}

}  // namespace

Result<TreeEdit> edit_of_record(const TreeView& tree, const PlanRecord& record) {
  if (record.plan == PlanKind::kLink) return edit_of_link(tree, record);
  if (record.plan == PlanKind::kRefer) return edit_of_refer(tree, record);
  TreeEdit edit;
  if (record.plan == PlanKind::kTrim) {
    edit.trimmed = record.trimmed;
    return edit;
  }
  edit.takes_memtable = record.takes_memtable;
  if (record.adaptation) edit.tuning = record.adaptation->tuning;
  edit.is_merge = record.plan == PlanKind::kMerge;
  FlushSpan flushes{record.flush, record.takes_memtable ? record.flush : 0};
  std::vector<FileId> inputs;
  for (const PlanRecord::Input& input : record.inputs) {
    const File* file = BOOST_OUTCOME_TRYX(input_file(tree, record, input));
    flushes = {std::min(flushes.first, file->flushes.first),
               std::max(flushes.last, file->flushes.last)};
    inputs.push_back(input.id);
  }
  const OutputTarget target{record.target_level, record.target_run};
  if (record.plan == PlanKind::kMove) {
    edit.moved.push_back({std::move(inputs), target});
    return edit;
  }
  if (record.into) {
    if (record.plan != PlanKind::kMerge || inputs != std::vector<FileId>{*record.into}) {
      return input_error(
          fmt::format("plan {}: file {} is not the one input of a merge that gets its output",
                      record.sequence, record.into->value()));
    }
    edit.taken_slices.push_back({*record.into, record.slices.size()});
  } else {
    edit.removed = std::move(inputs);
  }
  if (record.plan == PlanKind::kDrop) {
    if (edit.removed.empty() || !record.outputs.empty()) {
      return input_error(fmt::format("plan {}: a drop has {}", record.sequence,
                                     edit.removed.empty() ? "no input" : "outputs"));
    }
    return edit;
  }
  TreeEdit::Added added{target, {}, record.into};
  for (const PlanRecord::Output& output : record.outputs) {
    File file;
    file.id = output.id;
    file.keys = output.keys;
    file.bytes = output.bytes;
    file.flushes = flushes;
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  if (record.copies_max > 0) add_copies(tree, inputs_of(tree, record), record.copies_max, edit);
  return edit;
}

}  // namespace lsmlab
