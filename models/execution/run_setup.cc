#include "models/execution/run_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace lsmlab {

const char* run_source_name(RunSource source) {
  switch (source) {
    case RunSource::kSimulator:
      return "simulator";
    case RunSource::kEngine:
      return "engine";
    case RunSource::kRocksdb:
      return "rocksdb";
    case RunSource::kLeveldb:
      break;
  }
  return "leveldb";
}

void WritingOptions::declare(OptionTable& table) {
  std::vector<std::pair<std::string, SyncRule>> rules;
  for (const SyncWords& words : kSyncWords) rules.emplace_back(words.option, words.rule);
  table.choice("sync", sync, std::move(rules), "when a write batch is durable");
  table.flag("sync_files", sync_files, "whether SSTables are durable before their edit is applied");
  table.bytes("wal_buffer", wal_buffer, {},
              "log bytes that are collected before a write to the file");
  table.flag("disable_wal", disable_wal, "whether writes are not logged");
  table.flag("direct_io", direct_io, "whether SSTables bypass the page cache");
  table.bytes("sync_bytes", sync_bytes, {1}, "sync=bytes: log bytes between two syncs");
  table.count("merge_threads", merge_threads, kMergeThreadsRange, "threads",
              "the most merges at a time");
}

void RunOptions::declare(OptionTable& table) {
  std::vector<std::pair<std::string, RunSource>> sources;
  for (const RunSource one : kRunSources) sources.emplace_back(run_source_name(one), one);
  table.choice("source", source, std::move(sources), "who executes the run");
  table.flag("is_stepped", is_stepped, "whether all plans run before the next operation");
  table.count("seed", seed, {}, "", "seed of the random keys and operations");
  table.flag("final_flush", final_flush, "whether the memtable is flushed at the end");
  table.count("range_cells", range_cells, kRangeCellsRange, "cells",
              "resolution range: parts of a file whose entries are counted");
  table.flag("verify", verify, "whether every key is read back at the end");
  WritingOptions::declare(table);
}

namespace {

// The values of all options that `options` declares.
template <class Options>
ResolvedOptions values_of(Options options) {
  OptionTable table;
  options.declare(table);
  return table.values();
}

}  // namespace

ResolvedOptions RunOptions::values() const { return values_of(*this); }

ResolvedOptions RunOptions::of_engine() const {
  WritingOptions in_effect = *this;
  in_effect.wal_buffer = gathered_wal_bytes();
  ResolvedOptions shown;
  for (auto& [name, value] : values_of(in_effect)) {
    if (name == "sync_bytes" && sync != SyncRule::kEveryBytes) continue;
    if (name == "merge_threads" && is_stepped) continue;
    if (name == "disable_wal") continue;
    if (name == "sync") value = std::string(sync_words(sync).result);
    shown.emplace_back(name, std::move(value));
  }
  return shown;
}

ResolvedOptions RunOptions::of_timed_simulation() const {
  ResolvedOptions shown{{"merge_threads", merge_threads},
                        {"sync_writes", sync == SyncRule::kEveryBatch},
                        {"sync_files", sync_files}};
  if (disable_wal) shown.emplace_back("disable_wal", true);
  return shown;
}

RunSetup default_setup(ConfiguredPolicy policy) {
  RunSetup setup{std::move(policy)};
  setup.stalls = stall_rules_of(setup.policy, {}).value();
  return setup;
}

Error store_option_error(const ConfiguredPolicy& policy) {
  return input_error(
      fmt::format("policy '{}': '{}' is for workloads of operations; here flushes have the "
                  "workload's sizes",
                  policy.name, policy.store_options_given.front()));
}

Error file_option_error(const ConfiguredPolicy& policy) {
  return input_error(
      fmt::format("policy '{}': '{}' cuts sorted runs into files, but resolution 'flush' knows "
                  "whole runs only; use resolution 'range' or leave the option out",
                  policy.name, policy.file_options_given.front()));
}

Error needs_keys_error(const ConfiguredPolicy& policy) {
  const std::vector<std::string> options = policy.policy->options_that_need_keys();
  const std::string rule =
      options.empty() ? "key ranges" : fmt::format("single files ({})", fmt::join(options, ", "));
  return input_error(
      fmt::format("policy '{}' decides by {}, but resolution 'flush' has sizes only; use "
                  "resolution 'range', a workload of operations ('lsmlab workloads') or a policy "
                  "that needs sizes only ('lsmlab policies')",
                  policy.name, rule));
}

}  // namespace lsmlab
