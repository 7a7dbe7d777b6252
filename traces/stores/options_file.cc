#include "traces/stores/options_file.h"

#include <fmt/format.h>

#include "models/base/shortened.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr int kStructDepthMax = 8;

// Splits "a=1;b={c=2;d=3;};" at the semicolons outside of braces.
void add_struct(OptionValues& values, const std::string& name, std::string_view members, int depth);

void add_value(OptionValues& values, const std::string& name, std::string_view value, int depth) {
  const bool is_struct = value.size() >= 2 && value.front() == '{' && value.back() == '}' &&
                         value.find('=') != std::string_view::npos;
  if (is_struct && depth < kStructDepthMax) {
    add_struct(values, name, value.substr(1, value.size() - 2), depth + 1);
  } else {
    values.insert_or_assign(name, std::string(value));
  }
}

void add_struct(OptionValues& values, const std::string& name, std::string_view members,
                int depth) {
  std::size_t begin = 0;
  int braces = 0;
  for (std::size_t at = 0; at <= members.size(); ++at) {
    const char byte = at < members.size() ? members[at] : ';';
    if (byte == '{') ++braces;
    if (byte == '}') --braces;
    if (byte != ';' || (braces > 0 && at < members.size())) continue;
    const std::string_view member = trimmed(members.substr(begin, at - begin));
    begin = at + 1;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    add_value(values, name + "." + std::string(trimmed(member.substr(0, equals))),
              trimmed(member.substr(equals + 1)), depth);
  }
}

// The name in quotes of a section such as [CFOptions "default"]. RocksDB escapes '#', ':' and
// others with a backslash.
std::string quoted_name(std::string_view section) {
  const std::size_t first = section.find('"');
  const std::size_t last = section.rfind('"');
  if (first == std::string_view::npos || last <= first) return "";
  std::string name;
  for (std::size_t at = first + 1; at < last; ++at) {
    if (section[at] == '\\' && at + 1 < last) ++at;
    name += section[at];
  }
  return name;
}

// RocksDB escapes '#', ':' and '\' in values too.
std::string unescaped(std::string_view value) {
  std::string text;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] == '\\' && at + 1 < value.size()) {
      const char next = value[++at];
      text += next == 'n' ? '\n' : next == 'r' ? '\r' : next;
    } else {
      text += value[at];
    }
  }
  return text;
}

// The part before a comment, which begins with '#' unless a backslash is before it.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '#') {
      return line.substr(0, at);
    }
  }
  return line;
}

enum class Section { kNone, kVersion, kDatabase, kFamily, kPebble, kOther };

// The only one that a store of Pebble has.
constexpr std::string_view kPebbleFamily = "default";

class Reader {
 public:
  void add_line(std::string_view raw, std::size_t number) {
    const std::string_view line = trimmed(without_comment(raw));
    if (line.empty()) return;
    if (line.front() == '[' && line.back() == ']') {
      begin_section(line.substr(1, line.size() - 2));
      return;
    }
    const std::size_t equals = line.find('=');
    if (line.front() == '[' || equals == std::string_view::npos || equals == 0) {
      fail(number, line, "a section or 'name=value'");
    } else if (section_ == Section::kNone) {
      fail(number, line, "a section such as [Version] first");
    } else {
      add(std::string(trimmed(line.substr(0, equals))),
          unescaped(trimmed(line.substr(equals + 1))));
    }
  }

  Salvaged<StoreOptions> finish() {
    if (section_ == Section::kNone && !result_.fault) {
      result_.fault =
          input_error("found no section; expected an OPTIONS file of RocksDB or Pebble");
    }
    return std::move(result_);
  }

 private:
  void begin_section(std::string_view title) {
    const std::string_view kind = trimmed(title.substr(0, title.find('"')));
    section_ = Section::kOther;
    if (kind == "Version") section_ = Section::kVersion;
    if (kind == "DBOptions") section_ = Section::kDatabase;
    if (kind == "CFOptions" || kind.starts_with("TableOptions")) {
      section_ = Section::kFamily;
      family_ = quoted_name(title);
      static_cast<void>(result_.value.add_family(family_));
    }
    if (result_.value.system == StoreSystem::kPebble) begin_pebble_section(title, kind);
  }

  void begin_pebble_section(std::string_view title, std::string_view kind) {
    if (kind != "Options" && kind != "Level" && kind != "Value Separation") return;
    section_ = Section::kPebble;
    prefix_ = kind == "Level"     ? fmt::format("level{}.", quoted_name(title))
              : kind == "Options" ? ""
                                  : "value_separation.";
  }

  void add(const std::string& name, const std::string& value) {
    if (section_ == Section::kVersion && name == "rocksdb_version") result_.value.version = value;
    // The number is always 0.1. It is the version of the file, not that of Pebble.
    if (section_ == Section::kVersion && name == "pebble_version") {
      result_.value.system = StoreSystem::kPebble;
      static_cast<void>(result_.value.add_family(kPebbleFamily));
    }
    if (section_ == Section::kPebble) {
      result_.value.add_family(kPebbleFamily).values.insert_or_assign(prefix_ + name, value);
    }
    if (section_ == Section::kDatabase) add_option(result_.value.database, name, value);
    if (section_ == Section::kFamily) {
      add_option(result_.value.add_family(family_).values, name, value);
    }
  }

  void fail(std::size_t number, std::string_view line, std::string_view expected) {
    if (result_.fault) return;
    result_.fault = input_error(
        fmt::format("line {}: found '{}'; expected {}", number, excerpt(line), expected));
  }

  Salvaged<StoreOptions> result_;
  Section section_ = Section::kNone;
  std::string family_;
  std::string prefix_;  // of the names of a section of Pebble
};

}  // namespace

const FamilyOptions* StoreOptions::family(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &families[found->second];
}

FamilyOptions& StoreOptions::add_family(std::string_view name) {
  const auto [place, is_new] = places_.try_emplace(std::string(name), families.size());
  if (is_new) families.emplace_back(FamilyOptions{std::string(name), {}});
  return families[place->second];
}

bool is_options_file(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return head.find("RocksDB option file") != std::string_view::npos ||
         (head.find("[Version]") != std::string_view::npos &&
          (head.find("rocksdb_version=") != std::string_view::npos ||
           head.find("pebble_version=") != std::string_view::npos));
}

Salvaged<StoreOptions> read_options_file(std::string_view bytes) {
  Reader reader;
  Lines lines(bytes);
  while (const auto line = lines.next()) reader.add_line(*line, lines.number());
  return reader.finish();
}

void add_option(OptionValues& values, const std::string& name, std::string_view value) {
  add_value(values, name, value, 0);
}

}  // namespace lsmlab::stores
