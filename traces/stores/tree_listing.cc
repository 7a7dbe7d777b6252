#include "traces/stores/tree_listing.h"

#include <fmt/format.h>

#include "models/base/shortened.h"
#include "traces/stores/listed_tree.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kLevelMark = "--- level ";
constexpr std::string_view kFamilyHeading = " Column family \"";

// "> ", "| " and spaces that others put before a line.
std::string_view unquoted_listing(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("> |\t");
  return begin == std::string_view::npos ? std::string_view() : trimmed(line.substr(begin));
}

struct LevelHeading {
  std::uint32_t level = 0;
  bool is_of_names = false;  // of a list of names without sizes
};

// "--- level 3 --- version# 2 ---", "---------- level 3 ----------" of a list of names.
std::optional<LevelHeading> heading_of(std::string_view line) {
  const std::size_t at = line.find(kLevelMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + kLevelMark.size());
  const auto level = leading_number(rest);
  const std::size_t dashes = rest.find(" ---");
  constexpr std::size_t kDigitsMax = 3;
  if (!level || *level >= kStoreLevelsMax || dashes > kDigitsMax) return std::nullopt;
  return LevelHeading{static_cast<std::uint32_t>(*level), rest.substr(dashes).starts_with(" ----")};
}

std::optional<std::uint32_t> level_of_heading(std::string_view line) {
  const auto heading = heading_of(line);
  return heading && !heading->is_of_names ? std::optional(heading->level) : std::nullopt;
}

// "'key' seq:5, type:1" of RocksDB, "'key' @ 5 : 1" of LevelDB, "'key'" of old versions.
std::string key_of_listing(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('\'')) return "";
  for (const std::string_view mark : {"' seq:", "' @ "}) {
    const std::size_t end = text.find(mark);
    if (end != std::string_view::npos) return std::string(text.substr(1, end - 1));
  }
  const std::size_t end = text.rfind('\'');
  return end == 0 ? "" : std::string(text.substr(1, end - 1));
}

// "[378210 .. 392037]"
void take_sequences(std::string_view& text, StoreFile& file) {
  if (!text.starts_with('[') || text.starts_with("['")) return;
  const std::size_t close = text.find(']');
  const auto last = after(text.substr(0, close), " .. ");
  if (close == std::string_view::npos || !last) return;
  file.smallest_sequence = leading_number(text.substr(1));
  file.largest_sequence = leading_number(*last);
  text = trimmed(text.substr(close + 1));
}

// "162:463075[378210 .. 392037]['a' seq:389954, type:1 .. 'z' seq:383381, type:1](0)". A key may
// have a line end in it: the rest of the line is then missing.
std::optional<StoreFile> file_of_line(std::string_view line) {
  StoreFile file;
  const std::size_t colon = line.find(':');
  const auto number = leading_number(line);
  if (!number || colon == std::string_view::npos ||
      trimmed(line.substr(0, colon)).find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view rest = trimmed(line.substr(colon + 1));
  const auto bytes = leading_number(rest);
  const std::size_t bracket = rest.find('[');
  if (!bytes || bracket == std::string_view::npos ||
      trimmed(rest.substr(0, bracket)).find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  file.number = *number;
  file.bytes = *bytes;
  rest.remove_prefix(bracket);
  take_sequences(rest, file);
  const std::size_t to = rest.find(" .. '");
  if (rest.starts_with("['") && to != std::string_view::npos) {
    file.smallest_key = key_of_listing(rest.substr(1, to - 1));
    file.largest_key = key_of_listing(rest.substr(to + 4));
  }
  return file;
}

// A line of which the size is missing.
bool is_cut_file(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && (digits == line.size() || line[digits] == ':') &&
         line.find('[') == std::string_view::npos &&
         line.find_first_not_of("0123456789:") == std::string_view::npos;
}

// "db/000162.sst" behind a path, or "000162.ldb"
bool names_table(std::string_view path) { return path.ends_with(".sst") || path.ends_with(".ldb"); }

}  // namespace

bool is_level_listing(std::string_view text) {
  bool has_heading = false;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const bool is_heading = level_of_heading(*line).has_value();
    if (has_heading && (is_heading || file_of_line(unquoted_listing(*line)))) return true;
    has_heading = has_heading || is_heading;
  }
  return false;
}

Salvaged<Manifest> read_level_listing(std::string_view text) {
  ListedTree tree;
  std::optional<std::uint32_t> level;
  std::string family = "default";
  std::optional<Error> cut;
  bool is_leveldb = true;
  Lines lines(text);
  while (const auto raw = lines.next()) {
    const std::string_view line = unquoted_listing(*raw);
    if (const auto name = after(line, kFamilyHeading)) {
      family = std::string(name->substr(0, name->rfind('"')));
      level.reset();
      continue;
    }
    if (line.starts_with("comparator: ")) tree.set_comparator(family, line.substr(12));
    if (const auto next = level_of_heading(line)) {
      // A text may hold the lists of several times.
      if (*next == 0) tree.begin(family);
      level = next;
      if (line.find("version#") != std::string_view::npos) is_leveldb = false;
      continue;
    }
    if (!level) continue;
    if (auto file = file_of_line(line)) {
      tree.add(family, *level, std::move(*file));
    } else if (!lines.is_whole() && is_cut_file(line)) {
      cut =
          input_error(fmt::format("line {}: the list of files ends within a line", lines.number()));
    }
  }
  Salvaged<Manifest> result;
  result.value = tree.finish(is_leveldb ? StoreSystem::kLeveldb : StoreSystem::kRocksdb);
  result.fault = std::move(cut);
  return result;
}

std::map<std::string, std::vector<std::uint64_t>> files_of_name_list(std::string_view text) {
  constexpr std::string_view kFamilyMark = "===== Column Family: ";
  constexpr std::string_view kSortedMark = ".sst : level ";
  std::map<std::string, std::vector<std::uint64_t>> files;
  std::string family = "default";
  std::optional<std::uint32_t> level;
  const auto count = [&files](const std::string& name, std::uint64_t depth) {
    std::vector<std::uint64_t>& levels = files[name];
    if (depth >= levels.size()) levels.resize(depth + 1);
    ++levels[depth];
  };
  Lines lines(text);
  while (const auto raw = lines.next()) {
    const std::string_view line = unquoted_listing(*raw);
    if (const auto name = after(line, kFamilyMark)) {
      family = std::string(name->substr(0, name->rfind(" =====")));
      level.reset();
    } else if (const auto heading = heading_of(line)) {
      level = heading->level;
    } else if (const auto sorted = after(line, kSortedMark)) {
      const auto depth = leading_number(*sorted);
      const auto quoted = after(*sorted, "column family '");
      if (!depth || *depth >= kStoreLevelsMax || !quoted) continue;
      count(std::string(quoted->substr(0, quoted->rfind('\''))), *depth);
    } else if (level && names_table(line)) {
      count(family, *level);
    }
  }
  return files;
}

}  // namespace lsmlab::stores
