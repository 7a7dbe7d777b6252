// Trees and plans as one line of text each, for tables of test cases.
//
// A tree: levels separated by ';', each "LEVEL[@CURSOR] FILE...", a file
// "ID:SMALLEST-LARGEST*BYTES[!SEEKS]". In level 0 every file is a run, and a higher id is newer. In
// other levels all files are one run.
//
// A plan: "merge LEVEL:ID ... -> LEVEL, REASON[, cursor LEVEL=KEY]", inputs in the plan's order; a
// link's target is its level with the ids of the lower files, "link 0:4 -> 1:1,2, ...".
#pragma once

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"
#include "testing/catch.h"

namespace lsmlab::testing {

inline File file_of_text(const std::string& text) {
  std::istringstream in(text);
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  char colon = 0;
  char dash = 0;
  char star = 0;
  File file;
  in >> id >> colon >> file.keys.smallest >> dash >> file.keys.largest >> star >> bytes;
  INFO(text);
  REQUIRE(!in.fail());
  REQUIRE((colon == ':' && dash == '-' && star == '*'));
  if (in.peek() == '!') in.ignore() >> file.seeks;
  file.id = FileId(id);
  file.bytes = Bytes(bytes);
  file.flushes = {id, id};
  return file;
}

inline void require_applied(TreeState& tree, const TreeEdit& edit) {
  const auto applied = tree.apply(edit);
  INFO((applied ? "" : applied.error().message));
  REQUIRE(applied.has_value());
}

inline TreeState tree_of_text(const std::string& text) {
  TreeState tree;
  std::istringstream levels(text);
  for (std::string part; std::getline(levels, part, ';');) {
    std::istringstream words(part);
    std::uint32_t level = 0;
    if (!(words >> level)) continue;
    TreeEdit edit;
    if (words.peek() == '@') {
      std::uint64_t key = 0;
      words.ignore() >> key;
      edit.cursors.push_back({level, key});
    }
    std::vector<File> files;
    for (std::string word; words >> word;) files.push_back(file_of_text(word));
    if (level > 0) {
      if (!files.empty()) edit.added.push_back({{level, std::nullopt}, files});
    } else {
      for (const File& file : files) edit.added.push_back({{0, std::nullopt}, {file}});
    }
    require_applied(tree, edit);
  }
  return tree;
}

inline std::string plan_text(const TreeView& tree, const std::optional<Plan>& plan) {
  if (!plan) return "nothing";
  std::string text;
  const auto add_inputs = [&](const std::vector<PlanInput>& inputs) {
    for (const PlanInput& input : inputs) {
      for (const FileId id : input.files) {
        const auto at = tree.find_file(id);
        REQUIRE(at);
        REQUIRE(at->level == input.level);
        REQUIRE(tree.levels()[at->level].runs[at->run].id == input.run);
        text += fmt::format(" {}:{}", input.level, id.value());
      }
    }
  };
  if (const auto* flush = std::get_if<FlushPlan>(&plan->action)) {
    text = fmt::format("flush -> {}", flush->target.level);
  } else if (const auto* merge = std::get_if<MergePlan>(&plan->action)) {
    text = "merge";
    add_inputs(merge->inputs);
    text += fmt::format(" -> {}", merge->target.level);
  } else if (const auto* move = std::get_if<MovePlan>(&plan->action)) {
    text = "move";
    add_inputs(move->inputs);
    text += fmt::format(" -> {}", move->target.level);
  } else if (const auto* drop = std::get_if<DropPlan>(&plan->action)) {
    text = "drop";
    add_inputs(drop->inputs);
  } else if (const auto* refer = std::get_if<ReferPlan>(&plan->action)) {
    text = "refer";
    add_inputs(refer->inputs);
    text += fmt::format(" -> {}", refer->target.level);
    for (const std::uint64_t begin : refer->file_begins) text += fmt::format(" |{}", begin);
  } else if (const auto* trim = std::get_if<TrimPlan>(&plan->action)) {
    text = "trim";
    for (const FileId id : trim->copies) text += fmt::format(" {}", id.value());
  } else {
    const auto& link = std::get<LinkPlan>(plan->action);
    text = "link";
    add_inputs({link.upper});
    std::vector<std::uint64_t> ids;
    for (const FileId id : link.lower_files) ids.push_back(id.value());
    text += fmt::format(" -> {}:{}", link.upper.level + 1, fmt::join(ids, ","));
  }
  text += fmt::format(", {}", reason_name(plan->reason));
  for (const CursorUpdate& cursor : plan->cursors) {
    text += fmt::format(", cursor {}={}", cursor.level, cursor.key);
  }
  return text;
}

struct PickCase {
  std::string why;
  std::string tree;
  std::string plan;
};

}  // namespace lsmlab::testing
