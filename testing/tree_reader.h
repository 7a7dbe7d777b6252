// Trees and plans as text, so that test cases of policies are data.
//
// A tree: one line per level, "LEVEL[@CURSOR]: RUN / RUN ...", runs newest first. A run lists its
// files by key, "SMALLEST-LARGEST:BYTES[,FIELD=VALUE...]"; ids count up from 1 in the order of the
// text. Fields: n entries, t tombstones, o instant of the oldest tombstone, s instant when the file
// came to its level, c instant when the file was written, w instant of its oldest ancestor, a
// last access, q first and l last sequence number; d=7x2+9x1 two tombstones of write 7 and one of
// write 9 (File::deletion_times); and "busy".
//
// A plan: "REASON merge|move L1:3,4 L2:7 -> L2 run|new [cursor L1=19]".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>
#include <vector>

#include "models/policies/registry.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"
#include "testing/catch.h"

namespace lsmlab::testing {

class TreeReader {
 public:
  explicit TreeReader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(' ') != std::string::npos) read_level(line);
    }
    for (TreeEdit& edit : edits_) require(tree_.apply(edit));
    if (busy_.empty()) return;
    MovePlan holder;
    for (const FileId id : busy_) {
      const FileLocation at = *tree_.find_file(id);
      const SortedRun& run = tree_.levels()[at.level].runs[at.run];
      holder.inputs.push_back({static_cast<std::uint32_t>(at.level), run.id, {id}});
    }
    require(tree_.reserve({PlanReason::kStaticSchedule, holder, {}}));
  }
  [[nodiscard]] TreeState& tree() { return tree_; }

 private:
  static void require(const Result<void>& result) {
    INFO((result ? "" : result.error().message));
    REQUIRE(result.has_value());
  }

  void read_level(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto level = static_cast<std::uint32_t>(std::stoul(word));
    edits_.emplace_back();
    TreeEdit& edit = edits_.back();
    if (const auto at = word.find('@'); at != std::string::npos) {
      edit.cursors.push_back({level, std::stoull(word.substr(at + 1))});
    }
    edit.added.push_back({{level, std::nullopt}, {}});
    while (words >> word) {
      if (word == "/") {
        edit.added.push_back({{level, std::nullopt}, {}});
        --flush_;
      } else {
        edit.added.back().files.push_back(read_file(word));
      }
    }
    --flush_;
    if (edit.added.back().files.empty()) edit.added.pop_back();
  }

  File read_file(const std::string& word) {
    File file;
    file.id = tree_.allocate_file_id();
    file.flushes = {flush_, flush_};
    std::istringstream fields(word);
    std::string field;
    std::getline(fields, field, ',');
    const auto dash = field.find('-');
    file.keys = {std::stoull(field), std::stoull(field.substr(dash + 1))};
    file.bytes = Bytes(std::stoull(field.substr(field.find(':') + 1)));
    file.entries = Entries(file.bytes.value());
    while (std::getline(fields, field, ',')) read_field(field, file);
    return file;
  }

  void read_field(const std::string& field, File& file) {
    if (field == "busy") {
      busy_.push_back(file.id);
      return;
    }
    if (field[0] == 'd') {
      DeletionTimes times;
      std::istringstream writes(field.substr(2));
      for (std::string write; std::getline(writes, write, '+');) {
        times.add(std::stoull(write), std::stoull(write.substr(write.find('x') + 1)));
      }
      file.tombstones = Entries(times.tombstones());
      file.deletion_times = std::make_shared<const DeletionTimes>(times);
      return;
    }
    const std::uint64_t value = std::stoull(field.substr(2));
    switch (field[0]) {
      case 'n':
        file.entries = Entries(value);
        break;
      case 't':
        file.tombstones = Entries(value);
        if (!file.oldest_tombstone) file.oldest_tombstone = Instant(0);
        break;
      case 'o':
        file.oldest_tombstone = Instant(value);
        break;
      case 's':
        file.level_since = Instant(value);
        break;
      case 'c':
        file.created = Instant(value);
        break;
      case 'w':
        file.oldest_ancestor = Instant(value);
        break;
      case 'l':
        file.sequences.last = value;
        break;
      case 'a':
        file.last_access = Instant(value);
        break;
      case 'q':
        file.sequences.first = value;
        break;
      default:
        FAIL("unknown field " << field);
    }
  }

  TreeState tree_;
  std::vector<TreeEdit> edits_;
  std::vector<FileId> busy_;
  std::uint64_t flush_ = 1000;  // flush of the run being read; falls, because newer runs come first
};

inline std::string plan_text(const std::optional<Plan>& plan) {
  if (!plan) return "nothing";
  std::string text{reason_name(plan->reason)};
  OutputTarget target;
  if (const auto* flush = std::get_if<FlushPlan>(&plan->action)) {
    text += " flush";
    target = flush->target;
  } else if (const auto* merge = std::get_if<MergePlan>(&plan->action)) {
    text += " merge";
    target = merge->target;
  } else if (const auto* move = std::get_if<MovePlan>(&plan->action)) {
    text += " move";
    target = move->target;
  }
  for (const PlanInput& input : plan_inputs(*plan)) {
    std::vector<std::uint64_t> ids;
    for (const FileId id : input.files) ids.push_back(id.value());
    text += fmt::format(" L{}:{}", input.level, fmt::join(ids, ","));
  }
  text += fmt::format(" -> L{} {}", target.level, target.run ? "run" : "new");
  for (const CursorUpdate& cursor : plan->cursors) {
    text += fmt::format(" cursor L{}={}", cursor.level, cursor.key);
  }
  return text;
}

inline std::shared_ptr<const Policy> policy_of_text(const std::string& text) {
  const auto spec = parse_spec(text);
  REQUIRE(spec.has_value());
  const auto made = make_policy(spec.value());
  INFO(text << ": " << (made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return made.value().policy;
}

}  // namespace lsmlab::testing
