// Reads the metadata of live files as programs print them: "{'name': '/000012.sst', 'level': 6,
// 'size': 1024, ...}" of Python, the same as JSON, "LiveFile { name: "/000012.sst", ... }" of Rust,
// "{Name:/000012.sst Level:6 ...}" of Go.
#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "traces/stores/listed_tree.h"
#include "traces/stores/text_scanning.h"
#include "traces/stores/tree_listing.h"

namespace lsmlab::stores {
namespace {

constexpr int kRecordDepthMax = 32;

// What a record says of a file, and of the level and column family around it.
struct FileRecord {
  std::string family = "default";
  std::optional<std::uint64_t> level;
  std::optional<std::uint64_t> number;
  std::optional<std::uint64_t> bytes;
  StoreFile file;
};

// "000012" of "/data/db/000012.sst".
std::optional<std::uint64_t> number_of_table(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const std::size_t end = std::min(name.find_first_not_of("0123456789"), name.size());
  const bool is_table = end == name.size() || name.substr(end) == ".sst" ||
                        name.substr(end) == ".ldb" || name.substr(end) == ".SST";
  return is_table ? leading_number(name) : std::nullopt;
}

// "columnfamilyname" of "column_family_name" and "ColumnFamilyName".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (letter != '_' && letter != '-') plain += letter;
  }
  return boost::algorithm::to_lower_copy(plain);
}

class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}

  ListedTree& read() {
    while ((at_ = text_.find('{', at_)) != std::string_view::npos) {
      ++at_;
      read_record(FileRecord(), 0);
    }
    return tree_;
  }
  [[nodiscard]] std::size_t files() const { return files_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  [[nodiscard]] bool is_over() const { return at_ >= text_.size(); }
  [[nodiscard]] char here() const { return text_[at_]; }
  void skip(std::string_view letters) {
    at_ = std::min(text_.find_first_not_of(letters, at_), text_.size());
  }

  // Between braces. What is around a record holds for it too: {"level": 0, "files": [{...}]}.
  void read_record(FileRecord record, int depth) {
    record.number.reset();
    record.bytes.reset();
    record.file = StoreFile();
    for (;;) {
      skip(" \t\r\n,");
      if (is_over()) {
        is_cut_ = is_cut_ || record.number || record.bytes;
        return;
      }
      if (here() == '}') {
        ++at_;
        return take(record);
      }
      const std::string name = plain_name(read_text());
      skip(" \t\r\n");
      if (name.empty() || is_over() || (here() != ':' && here() != '=')) {
        if (name.empty() && !is_over()) ++at_;
        continue;
      }
      ++at_;
      read_value(record, name, depth);
    }
  }

  void read_value(FileRecord& record, const std::string& name, int depth) {
    skip(" \t\r\n");
    if (is_over()) return;
    if (here() == '{') {
      ++at_;
      if (depth < kRecordDepthMax) read_record(record, depth + 1);
    } else if (here() == '[') {
      set(record, name, read_list(record, depth));
    } else {
      std::string value = read_text();
      if (!is_over() && (here() == '(' || value == "Some")) {
        // "Some([107, 101])", "Some("key")"
        skip(" (\r\n\t");
        if (!is_over()) value = here() == '[' ? read_list(record, depth) : read_text();
        skip(" ,\r\n\t");
        if (!is_over() && here() == ')') ++at_;
      }
      set(record, name, value);
    }
  }

  // "[107, 101]": the bytes of a key, or a list of records.
  std::string read_list(const FileRecord& record, int depth) {
    std::string bytes;
    ++at_;
    while (!is_over() && here() != ']') {
      if (here() == '{') {
        ++at_;
        if (depth < kRecordDepthMax) read_record(record, depth + 1);
        continue;
      }
      const auto byte = leading_number(text_.substr(at_, 20));
      if (byte && *byte < 256) bytes += static_cast<char>(static_cast<unsigned char>(*byte));
      const std::size_t before = at_;
      if (here() == '"' || here() == '\'' || byte) static_cast<void>(read_text());
      if (at_ == before) ++at_;
    }
    if (!is_over()) ++at_;
    return bytes;
  }

  // A string, or a word up to a separator. "LiveFile" before a brace is a word without a value.
  std::string read_text() {
    if (text_.substr(at_).starts_with("b'") || text_.substr(at_).starts_with("b\"")) ++at_;
    if (here() == '\'' || here() == '"') return read_string();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:={}[]()", at_), text_.size());
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  std::string read_string() {
    const char quote = here();
    std::string value;
    for (++at_; !is_over() && here() != quote; ++at_) {
      if (here() == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        if (here() == 'x' && take_hex(value)) continue;
      }
      value += here();
    }
    if (!is_over()) ++at_;
    return value;
  }
  // "\x6b"
  bool take_hex(std::string& value) {
    unsigned byte = 0;
    const char* const first = text_.data() + at_ + 1;
    if (at_ + 2 >= text_.size()) return false;
    const auto [end, fault] = std::from_chars(first, first + 2, byte, 16);
    if (fault != std::errc() || end != first + 2) return false;
    value += static_cast<char>(static_cast<unsigned char>(byte));
    at_ += 2;
    return true;
  }

  static bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  static void set(FileRecord& record, const std::string& name, const std::string& value) {
    if (value == "None" || value == "null" || value == "nil") return;
    const auto number = leading_number(value);
    if (is_one_of(name, {"level", "filelevel"})) record.level = number;
    if (is_one_of(name, {"size", "filesize", "sizebytes"})) record.bytes = number;
    if (is_one_of(name, {"name", "filename", "relativefilename", "filenumber"})) {
      const auto table = number_of_table(value);
      if (table) record.number = table;
    }
    if (is_one_of(name, {"columnfamilyname", "columnfamily", "cfname", "cf"}) && !value.empty()) {
      record.family = value;
    }
    if (is_one_of(name, {"startkey", "smallestkey", "smallestkeyinfile"})) {
      record.file.smallest_key = value;
    }
    if (is_one_of(name, {"endkey", "largestkey", "largestkeyinfile"})) {
      record.file.largest_key = value;
    }
    if (name == "smallestseqno") record.file.smallest_sequence = number;
    if (name == "largestseqno") record.file.largest_sequence = number;
    if (is_one_of(name, {"numentries", "numentriesinfile"})) record.file.entries = number;
  }

  void take(FileRecord& record) {
    if (!record.number || !record.bytes || !record.level || *record.level >= kStoreLevelsMax) {
      return;
    }
    record.file.number = *record.number;
    record.file.bytes = *record.bytes;
    ++files_;
    tree_.add(record.family, static_cast<std::uint32_t>(*record.level), std::move(record.file));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  ListedTree tree_;
  std::size_t files_ = 0;
  bool is_cut_ = false;
};

}  // namespace

bool is_file_records(std::string_view text) {
  // Most texts of another kind lack one of these.
  const std::string lower = boost::algorithm::to_lower_copy(std::string(text.substr(0, 1U << 20)));
  for (const char* const word : {"{", "level", "size", "name"}) {
    if (lower.find(word) == std::string::npos) return false;
  }
  RecordReader reader(text);
  reader.read();
  return reader.files() > 0;
}

Salvaged<Manifest> read_file_records(std::string_view text) {
  RecordReader reader(text);
  Salvaged<Manifest> result;
  result.value = reader.read().finish(StoreSystem::kRocksdb);
  if (reader.is_cut()) result.fault = input_error("the text ends within the record of a file");
  return result;
}

}  // namespace lsmlab::stores
