// A log of many databases, such as the tablets of YugabyteDB: each has a reader of its own, because
// their jobs and files have the same numbers.
#include "traces/stores/sourced_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace lsmlab::stores {
namespace {

// "5d3f [R]" of the default family, "5d3f [R] meta" of another.
void name_by_source(std::string& family, const std::string& source) {
  family = family == "default" ? source : source + " " + family;
}

template <class T>
void take_events(std::vector<T>& all, std::vector<T>& own, const std::string& source) {
  for (T& event : own) {
    name_by_source(event.family, source);
    all.push_back(std::move(event));
  }
}

template <class T>
void take_tables(std::map<std::string, T>& all, std::map<std::string, T>& own,
                 const std::string& source) {
  for (auto& [name, table] : own) {
    std::string family = name;
    name_by_source(family, source);
    all.insert_or_assign(std::move(family), std::move(table));
  }
}

// Files of several databases have the same numbers.
void forget_numbers(InfoLog& log) {
  for (LoggedFlush& flush : log.flushes) {
    for (LoggedTable& table : flush.outputs) table.number = 0;
  }
  for (LoggedCompaction& merge : log.compactions) {
    for (LoggedTable& table : merge.outputs) table.number = 0;
    for (CompactionInput& input : merge.inputs) input.numbers.clear();
  }
  for (LoggedMove& move : log.moves) move.numbers.clear();
}

void take_log(InfoLog& all, InfoLog own, const std::string& source) {
  forget_numbers(own);
  take_events(all.flushes, own.flushes, source);
  take_events(all.compactions, own.compactions, source);
  take_events(all.moves, own.moves, source);
  take_events(all.stalls, own.stalls, source);
  take_tables(all.level_files, own.level_files, source);
  take_tables(all.statistics, own.statistics, source);
  for (FamilyOptions& family : own.options.families) {
    name_by_source(family.name, source);
    all.options.add_family(family.name).values = std::move(family.values);
  }
  if (!own.options.version.empty()) all.options.version = own.options.version;
  for (auto& [name, value] : own.options.database)
    all.options.database.insert_or_assign(name, value);
  if (own.last_micros > 0) {
    all.first_micros =
        all.first_micros == 0 ? own.first_micros : std::min(all.first_micros, own.first_micros);
    all.last_micros = std::max(all.last_micros, own.last_micros);
  }
  all.lines += own.lines;
  all.events += own.events;
  all.option_changes += own.option_changes;
}

class SourcedLogReader final : public InfoLogReader {
 public:
  explicit SourcedLogReader(std::unique_ptr<InfoLogReader> (*make)()) : make_(make) {
    current_ = &reader_of("");
  }

  void set_source(const std::string& source) override {
    if (source == source_) return;
    source_ = source;
    current_ = &reader_of(source);
  }
  void add_line(std::string_view line, bool is_whole, std::size_t number) override {
    current_->add_line(line, is_whole, number);
  }

  Salvaged<InfoLog> finish() override {
    Salvaged<InfoLog> result = readers_.begin()->second->finish();
    if (readers_.size() == 1) return result;
    // Lines between those of the databases are other programs', or rows of tables.
    if (result.value.events == 0) result.fault.reset();
    for (auto reader = std::next(readers_.begin()); reader != readers_.end(); ++reader) {
      Salvaged<InfoLog> own = reader->second->finish();
      if (!result.fault) result.fault = std::move(own.fault);
      take_log(result.value, std::move(own.value), reader->first);
    }
    return result;
  }

 private:
  InfoLogReader& reader_of(const std::string& source) {
    std::unique_ptr<InfoLogReader>& reader = readers_[source];
    if (!reader) reader = make_();
    return *reader;
  }

  std::unique_ptr<InfoLogReader> (*make_)();
  std::map<std::string, std::unique_ptr<InfoLogReader>> readers_;  // by source; "" is the first
  std::string source_;
  InfoLogReader* current_ = nullptr;  // of source_
};

}  // namespace

std::unique_ptr<InfoLogReader> sourced_log_reader(std::unique_ptr<InfoLogReader> (*make)()) {
  return std::make_unique<SourcedLogReader>(make);
}

}  // namespace lsmlab::stores
