#include "models/plan_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/check.h"

namespace lsmlab {
namespace {

// In the order of Plan::action.
constexpr std::array<std::string_view, 4> kKindNames{"flush", "merge", "move", "link"};
constexpr std::uint32_t kLevelMax = 1000;

std::string_view kind_name(const Plan& plan) { return kKindNames[plan.action.index()]; }

// Thrown and caught inside this file only, beside the library's own exceptions.
struct RecordFault {
  std::string message;
};

std::uint64_t whole_number(const nlohmann::json& json, const char* member) {
  const nlohmann::json& value = json.at(member);
  if (!value.is_number_unsigned())
    throw RecordFault{fmt::format("\"{}\" is not a whole number", member)};
  return value.get<std::uint64_t>();
}

std::uint32_t level_number(const nlohmann::json& json, const char* member) {
  const std::uint64_t level = whole_number(json, member);
  if (level > kLevelMax) throw RecordFault{fmt::format("\"{}\" is above {}", member, kLevelMax)};
  return static_cast<std::uint32_t>(level);
}

PlanRecord record_of_json(const nlohmann::json& json) {
  PlanRecord record;
  record.sequence = whole_number(json, "sequence");
  record.plan = json.at("plan").get<std::string>();
  if (std::find(kKindNames.begin(), kKindNames.end(), record.plan) == kKindNames.end()) {
    throw RecordFault{fmt::format("unknown plan '{}'", record.plan)};
  }
  record.reason = json.at("reason").get<std::string>();
  record.flush = whole_number(json, "flush");
  record.takes_memtable = json.contains("memtable_bytes");
  if (record.takes_memtable) record.memtable_bytes = Bytes(whole_number(json, "memtable_bytes"));
  for (const auto& input : json.at("inputs")) {
    record.inputs.push_back({FileId(whole_number(input, "id")), level_number(input, "level"),
                             Bytes(whole_number(input, "bytes"))});
  }
  if (json.contains("slices")) {
    for (const auto& slice : json.at("slices")) {
      record.slices.push_back({FileId(whole_number(slice, "frozen")),
                               FileId(whole_number(slice, "file")),
                               Bytes(whole_number(slice, "bytes"))});
    }
  }
  record.target_level = level_number(json, "target_level");
  for (const auto& output : json.at("outputs")) {
    record.outputs.push_back(
        {FileId(whole_number(output, "id")), Bytes(whole_number(output, "bytes"))});
  }
  record.entries_in = Entries(whole_number(json, "entries_in"));
  record.entries_out = Entries(whole_number(json, "entries_out"));
  return record;
}

}  // namespace

PlanRecord make_plan_record(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
                            std::uint64_t sequence) {
  PlanRecord record;
  record.sequence = sequence;
  record.plan = kind_name(plan);
  record.reason = reason_name(plan.reason);
  record.takes_memtable = takes_memtable(plan);
  record.flush = tree.flush_count() + (record.takes_memtable ? 1 : 0);
  if (record.takes_memtable) {
    record.memtable_bytes = tree.pending_flush()->bytes;
    record.entries_in += tree.pending_flush()->entries;
  }
  const bool carries_inputs = edit.added.empty();
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree.find_file(id);
      CHECK(at);
      const File& file = tree.file_at(*at);
      record.inputs.push_back({id, input.level, file.bytes});
      for (const Slice& slice : file.slices) {
        record.slices.push_back({slice.frozen_file, id, slice.bytes});
      }
      record.entries_in += file.entries;
      if (carries_inputs) {
        record.outputs.push_back({id, file.bytes});
        record.entries_out += file.entries;
      }
    }
  }
  for (const TreeEdit::Linked& linked : edit.linked) {
    record.slices.push_back({linked.frozen_file, linked.lower_file, linked.slice.bytes});
  }
  record.entries_in += edit.slice_entries;
  record.target_level = plan_target(plan).level;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      record.outputs.push_back({file.id, file.bytes});
      record.entries_out += file.entries;
    }
  }
  return record;
}

std::string plan_record_line(const PlanRecord& record) {
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, R"({{"sequence":{},"plan":"{}","reason":"{}","flush":{},)", record.sequence,
                 record.plan, record.reason, record.flush);
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
  fmt::format_to(out, R"("target_level":{},"outputs":[)", record.target_level);
  separator = "";
  for (const PlanRecord::Output& output : record.outputs) {
    fmt::format_to(out, R"({}{{"id":{},"bytes":{}}})", separator, output.id.value(),
                   output.bytes.value());
    separator = ",";
  }
  fmt::format_to(out, R"(],"entries_in":{},"entries_out":{}}})", record.entries_in.value(),
                 record.entries_out.value());
  return fmt::to_string(line);
}

Result<PlanRecord> parse_plan_record(std::string_view line) {
  // The library reports malformed input by exceptions; they end here.
  try {
    return record_of_json(nlohmann::json::parse(line));
  } catch (const nlohmann::json::exception& fault) {
    return input_error(fmt::format("not a plan record: {}", fault.what()));
  } catch (const RecordFault& fault) {
    return input_error(fmt::format("not a plan record: {}", fault.message));
  }
}

Result<TreeEdit> edit_of_record(const TreeView& tree, const PlanRecord& record) {
  if (record.plan == "link") {
    return input_error(fmt::format("plan {}: links need key ranges, which the log does not hold",
                                   record.sequence));
  }
  TreeEdit edit;
  edit.takes_memtable = record.takes_memtable;
  edit.is_merge = record.plan == "merge";
  FlushSpan flushes{record.flush, record.takes_memtable ? record.flush : 0};
  std::vector<FileId> inputs;
  for (const PlanRecord::Input& input : record.inputs) {
    const std::optional<FileLocation> at = tree.find_file(input.id);
    if (!at || at->level != input.level || tree.file_at(*at).bytes != input.bytes) {
      return input_error(fmt::format("plan {}: no file {} of {} bytes in level {}", record.sequence,
                                     input.id.value(), input.bytes.value(), input.level));
    }
    const FlushSpan span = tree.file_at(*at).flushes;
    flushes = {std::min(flushes.first, span.first), std::max(flushes.last, span.last)};
    inputs.push_back(input.id);
  }
  const OutputTarget target{record.target_level, std::nullopt};
  if (record.plan == "move") {
    edit.moved.push_back({std::move(inputs), target});
    return edit;
  }
  edit.removed = std::move(inputs);
  TreeEdit::Added added{target, {}};
  for (const PlanRecord::Output& output : record.outputs) {
    File file;
    file.id = output.id;
    file.bytes = output.bytes;
    file.flushes = flushes;
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  return edit;
}

}  // namespace lsmlab
