#include "models/plan_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/check.h"

namespace lsmlab {
namespace {

std::string_view kind_name(const Plan& plan) {
  constexpr std::array<std::string_view, 4> kNames{"flush", "merge", "move", "link"};
  return kNames[plan.action.index()];
}

OutputTarget target_of(const Plan& plan) {
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) return flush->target;
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return merge->target;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) return move->target;
  return {std::get<LinkPlan>(plan.action).upper.level + 1, std::nullopt};
}

PlanRecord record_of_json(const nlohmann::json& json) {
  PlanRecord record;
  record.sequence = json.at("sequence").get<std::uint64_t>();
  record.plan = json.at("plan").get<std::string>();
  record.reason = json.at("reason").get<std::string>();
  record.flush = json.at("flush").get<std::uint64_t>();
  record.takes_memtable = json.contains("memtable_bytes");
  if (record.takes_memtable) {
    record.memtable_bytes = Bytes(json.at("memtable_bytes").get<std::uint64_t>());
  }
  for (const auto& input : json.at("inputs")) {
    record.inputs.push_back({FileId(input.at("id").get<std::uint64_t>()),
                             input.at("level").get<std::uint32_t>(),
                             Bytes(input.at("bytes").get<std::uint64_t>())});
  }
  record.target_level = json.at("target_level").get<std::uint32_t>();
  for (const auto& output : json.at("outputs")) {
    record.outputs.push_back({FileId(output.at("id").get<std::uint64_t>()),
                              Bytes(output.at("bytes").get<std::uint64_t>())});
  }
  record.entries_in = Entries(json.at("entries_in").get<std::uint64_t>());
  record.entries_out = Entries(json.at("entries_out").get<std::uint64_t>());
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
      record.entries_in += file.entries;
      if (carries_inputs) {
        record.outputs.push_back({id, file.bytes});
        record.entries_out += file.entries;
      }
    }
  }
  record.target_level = target_of(plan).level;
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
  fmt::format_to(out, R"(],"target_level":{},"outputs":[)", record.target_level);
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
  }
}

Result<TreeEdit> edit_of_record(const TreeView& tree, const PlanRecord& record) {
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
