#include "traces/stores/cassandra_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/shortened.h"

namespace lsmlab::stores {
namespace {

enum class TokenKind { kEnd, kWord, kString, kSign, kCut };

// A word is a name or a number, with the dot between keyspace and table.
struct CqlToken {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // without quotes
  std::size_t line = 1;
};

// Unquoted words have the case of the text; is_word() ignores it.
class CqlTokens {
 public:
  explicit CqlTokens(std::string_view text) : text_(text) {}

  CqlToken next() {
    skip_space();
    CqlToken token;
    token.line = line_;
    if (at_ == text_.size()) return token;
    const char first = text_[at_];
    if (first == '\'' || first == '"') {
      const bool is_closed = take_quoted(first, token.text);
      token.kind = !is_closed     ? TokenKind::kCut
                   : first == '"' ? TokenKind::kWord
                                  : TokenKind::kString;
    } else if (is_name_byte(first)) {
      token.kind = TokenKind::kWord;
      while (at_ < text_.size() && is_name_byte(text_[at_])) token.text += text_[at_++];
    } else {
      token.kind = TokenKind::kSign;
      token.text = first;
      ++at_;
    }
    return token;
  }

 private:
  static bool is_name_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '+';
  }
  void advance() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }
  bool begins(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

  void skip_to(std::string_view mark) {
    while (at_ < text_.size() && !begins(mark)) advance();
    for (std::size_t i = 0; i < mark.size() && at_ < text_.size(); ++i) advance();
  }
  void skip_space() {
    while (at_ < text_.size()) {
      const char byte = text_[at_];
      if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') {
        advance();
      } else if (begins("/*")) {
        skip_to("*/");
      } else if (begins("--") || begins("//")) {
        skip_to("\n");
      } else {
        return;
      }
    }
  }

  // A doubled quote stands for one.
  bool take_quoted(char quote, std::string& value) {
    for (advance(); at_ < text_.size(); advance()) {
      if (text_[at_] == quote) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != quote) {
          ++at_;
          return true;
        }
        ++at_;
      }
      value += text_[at_];
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

bool is_word(const CqlToken& token, std::string_view lower) {
  if (token.kind != TokenKind::kWord) return false;
  return std::equal(token.text.begin(), token.text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}
bool is_sign(const CqlToken& token, char sign) {
  return token.kind == TokenKind::kSign && token.text.front() == sign;
}

// "org.apache.cassandra.db.compaction.LeveledCompactionStrategy" without its package.
std::string without_package(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view text) : tokens_(text) { take(); }

  Salvaged<StoreOptions> read() {
    result_.value.system = StoreSystem::kCassandra;
    while (token_.kind != TokenKind::kEnd && token_.kind != TokenKind::kCut) {
      const bool is_change = is_word(token_, "alter") || is_word(token_, "update");
      if (is_word(token_, "create") || is_change) {
        is_alter_ = is_change;
        take();
        read_statement();
      } else if (is_word(token_, "use")) {
        take();
        read_use();
      } else {
        take();
      }
    }
    if (token_.kind == TokenKind::kCut) fail_cut();
    if (result_.value.families.empty() && !result_.fault) {
      result_.fault =
          input_error("found no CREATE TABLE with its name, and no ALTER TABLE WITH options");
    }
    return std::move(result_);
  }

 private:
  void take() { token_ = tokens_.next(); }
  [[nodiscard]] bool is_over() const {
    return token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kCut || is_sign(token_, ';');
  }
  void fail_cut() {
    if (result_.fault) return;
    result_.fault = input_error(
        fmt::format("line {}: the text ends within a statement: it was cut", token_.line));
  }

  // "use shop;": the keyspace of tables that name none. In prose, "use" goes on.
  void read_use() {
    if (token_.kind != TokenKind::kWord) return;
    const std::string name = token_.text;
    take();
    if (is_sign(token_, ';')) keyspace_ = name;
  }

  // TABLE, VIEW, and "column family" of cassandra-cli.
  bool take_kind() {
    if (is_word(token_, "materialized")) take();
    const bool is_cli = is_word(token_, "column");
    if (is_cli) take();
    const bool is_kind = is_cli ? is_word(token_, "family")
                                : is_word(token_, "table") || is_word(token_, "view") ||
                                      is_word(token_, "columnfamily");
    if (is_kind) take();
    return is_kind;
  }

  void read_statement() {
    if (!take_kind()) return;
    if (is_word(token_, "if")) {
      take();
      if (is_word(token_, "not")) take();
      if (is_word(token_, "exists")) take();
    }
    std::string name;
    // cassandra-cli quotes names as strings.
    while (token_.kind == TokenKind::kWord || token_.kind == TokenKind::kString) {
      name += token_.text;
      take();
      if (!is_sign(token_, '.')) break;
      name += '.';
      take();
    }
    if (name.empty()) return fail_cut();
    if (!keyspace_.empty() && name.find('.') == std::string::npos) name = keyspace_ + "." + name;
    if (is_alter_) {
      skip_definition();
      if (is_word(token_, "with")) read_change(name);
      return;
    }
    values_ = &result_.value.add_family(name).values;
    skip_definition();
    if (is_word(token_, "with")) read_options();
    if (!is_sign(token_, ';')) fail_cut();
  }

  // People copy a single ALTER without its ';'. Prose, and the SQL of other databases, set nothing.
  void read_change(const std::string& name) {
    const FamilyOptions* const old = result_.value.family(name);
    const bool is_new = old == nullptr;
    OptionValues changed = is_new ? OptionValues() : old->values;
    values_ = &changed;
    has_set_ = false;
    read_options();
    if (!has_set_) return;
    FamilyOptions& family = result_.value.add_family(name);
    if (is_new) family.is_partial = true;
    family.values = std::move(changed);
  }

  // Columns, or the SELECT of a view.
  void skip_definition() {
    int depth = 0;
    while (!is_over() && (depth > 0 || !is_word(token_, "with"))) {
      if (is_sign(token_, '(')) ++depth;
      if (is_sign(token_, ')')) --depth;
      take();
    }
  }

  // WITH name = value AND ...
  void read_options() {
    while (!is_over()) {
      take();  // WITH, AND
      if (token_.kind != TokenKind::kWord) continue;
      std::string name = token_.text;
      take();
      // "compaction_strategy_options:sstable_size_in_mb=10" of CQL 2.
      if (is_sign(token_, ':')) {
        take();
        name += "." + token_.text;
        take();
      }
      if (!is_sign(token_, '=')) {
        skip_option();  // CLUSTERING ORDER BY (...), COMPACT STORAGE
        continue;
      }
      take();
      if (is_sign(token_, '{')) {
        read_map(name);
      } else if (token_.kind == TokenKind::kWord || token_.kind == TokenKind::kString) {
        read_scalar(name);
      }
      skip_option();
    }
  }
  void skip_option() {
    int depth = 0;
    while (!is_over() && (depth > 0 || !is_word(token_, "and"))) {
      if (is_sign(token_, '(') || is_sign(token_, '{')) ++depth;
      if (is_sign(token_, ')') || is_sign(token_, '}')) --depth;
      take();
    }
  }

  void read_scalar(const std::string& name) {
    std::string value = token_.text;
    take();
    // A fraction: the dot is a sign.
    while (is_sign(token_, '.')) {
      take();
      value += "." + (token_.kind == TokenKind::kWord ? token_.text : "");
      if (token_.kind == TokenKind::kWord) take();
    }
    set(name, value);
  }

  void read_map(const std::string& name) {
    take();
    std::erase_if(*values_, [&](const auto& one) { return one.first.starts_with(name + "."); });
    while (!is_over() && !is_sign(token_, '}')) {
      const std::string key = token_.text;
      take();
      if (!is_sign(token_, ':')) continue;
      take();
      if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kString) continue;
      read_scalar(name + "." + key);
      if (is_sign(token_, ',')) take();
    }
    if (is_sign(token_, '}')) {
      take();
    } else {
      fail_cut();
    }
  }

  // Only ScyllaDB has these.
  void note_system(const std::string& name, const std::string& value) {
    if (value == "IncrementalCompactionStrategy" || name == "paxos_grace_seconds" ||
        name.starts_with("tombstone_gc") || name == "cdc.preimage") {
      result_.value.system = StoreSystem::kScylladb;
    }
  }

  // Names of older versions, of CQL 2 and of cassandra-cli.
  static std::string current_name(std::string name) {
    constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
        {"compaction_strategy", "compaction.class"},
        {"compaction_strategy_class", "compaction.class"},
        {"min_compaction_threshold", "compaction.min_threshold"},
        {"max_compaction_threshold", "compaction.max_threshold"},
        {"gc_grace", "gc_grace_seconds"}};
    constexpr std::pair<std::string_view, std::string_view> kRenamedMaps[] = {
        {"compaction_strategy_options.", "compaction."},
        {"compression_options.", "compression."},
        {"compression_parameters.", "compression."}};
    for (const auto& [old, now] : kRenamed) {
      if (name == old) return std::string(now);
    }
    for (const auto& [old, now] : kRenamedMaps) {
      if (name.starts_with(old)) name = std::string(now) + name.substr(old.size());
    }
    if (name == "compression.sstable_compression") name = "compression.class";
    if (name == "compression.chunk_length_kb") name = "compression.chunk_length_in_kb";
    return name;
  }

  void set(std::string name, std::string value) {
    name = current_name(std::move(name));
    if (name.ends_with(".class")) value = without_package(value);
    note_system(name, value);
    has_set_ = true;
    values_->insert_or_assign(std::move(name), std::move(value));
  }

  CqlTokens tokens_;
  CqlToken token_;
  Salvaged<StoreOptions> result_;
  OptionValues* values_ = nullptr;
  std::string keyspace_;  // of "use"
  bool is_alter_ = false;
  bool has_set_ = false;  // an option of the statement
};

}  // namespace

bool is_table_schema(std::string_view bytes) {
  CqlTokens tokens(bytes.substr(0, std::size_t{1} << 20));
  constexpr std::size_t kTokensMax = 5000;
  bool is_in_alter = false;
  int option_words = 0;  // of "WITH name =" in an ALTER TABLE
  CqlToken token = tokens.next();
  for (std::size_t i = 0; i < kTokensMax && token.kind != TokenKind::kEnd; ++i) {
    const bool is_create = is_word(token, "create");
    const bool is_alter = is_word(token, "alter") || is_word(token, "update");
    if (is_sign(token, ';')) is_in_alter = false;
    if (option_words == 2 && is_sign(token, '=')) return true;
    option_words = is_in_alter && is_word(token, "with")                 ? 1
                   : option_words == 1 && token.kind == TokenKind::kWord ? 2
                                                                         : 0;
    token = tokens.next();
    const bool is_cli = (is_create || is_alter) && is_word(token, "column");
    if (is_cli) token = tokens.next();
    const bool is_table = is_cli ? is_word(token, "family")
                                 : is_word(token, "table") || is_word(token, "materialized") ||
                                       is_word(token, "columnfamily");
    if (is_create && is_table) return true;
    if (is_alter && is_table) is_in_alter = true;
  }
  return false;
}

Salvaged<StoreOptions> read_table_schema(std::string_view bytes) {
  return SchemaReader(bytes).read();
}

}  // namespace lsmlab::stores
