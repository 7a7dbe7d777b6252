// Compares lsmlab's engine with RocksDB and LevelDB in one run: the same workload, sizes and
// filters, no compression, a log without syncs, one client thread.
//   engine_benchmark --dir /ssd/tmp
// Each run begins with an empty directory. Rounds alternate the order of contenders, and the table
// shows medians. lsmlab's engine merges by each opponent's rules (the policies rocksdb-leveled and
// leveldb). Rates use wall-clock time. CPU time covers all threads and depends less on the
// machine's other load.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/benchmark/contender.h"
#include "engine/benchmark/contender_workload.h"
#include "models/base/quantity_text.h"

namespace lsmlab::engine {
namespace {

constexpr const char* kNotes =
    "The Debian packages of RocksDB 7.8.3 and LevelDB 1.23 are built with assertions: both import\n"
    "__assert_fail, and name conditions of their memtables. That raises the ratios. lsmlab's\n"
    "engine is built with assertions too. RocksDB and lsmlab's engine verify the checksum of "
    "every\n"
    "block that they read; LevelDB verifies none by default. \"settled\" includes the flushes and\n"
    "merges that were left after the phase.";

struct Kind {
  const char* name;
  const char* opponent;  // for lsmlab's engine: the other side of the ratio
  MadeContender (*make)(const ContenderSetup&);
  unsigned merge_threads_max;
};

constexpr Kind kKinds[] = {
    {"engine-rocksdb", "rocksdb", make_engine_as_rocksdb, 64},
#ifdef LSMLAB_WITH_ROCKSDB
    {"rocksdb", nullptr, make_rocksdb, 64},
#else
    {"rocksdb", nullptr, nullptr, 64},
#endif
    {"engine-leveldb", "leveldb", make_engine_as_leveldb, 1},
#ifdef LSMLAB_WITH_LEVELDB
    {"leveldb", nullptr, make_leveldb, 1},
#else
    {"leveldb", nullptr, nullptr, 1},
#endif
};

struct Arguments {
  std::string entries = "2M";
  std::string operations = "1M";
  std::string block_cache = "64MiB";
  std::vector<std::uint32_t> value_bytes{112, 1008};
  std::vector<unsigned> merge_threads{1, 2};
  std::vector<std::string> contenders;  // empty: all that the build has
  unsigned rounds = 1;
  std::string directory = "/tmp";
  std::string json;
};

// One contender with one number of threads.
struct Entrant {
  const Kind* kind;
  unsigned merge_threads;
  // By phase, in order; each round's figures.
  std::vector<std::string> phases = {};
  std::map<std::string, std::vector<PhaseFigures>> rounds = {};

  [[nodiscard]] bool has_run() const { return !phases.empty(); }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Medians {
  double mops = 0;
  double cpu_ns = 0;  // per operation
};

Medians medians_of(const Entrant& entrant, const std::string& phase) {
  std::vector<double> mops;
  std::vector<double> cpu_ns;
  for (const PhaseFigures& figures : entrant.rounds.at(phase)) {
    const auto operations = static_cast<double>(figures.operations);
    mops.push_back(operations / figures.seconds / 1e6);
    cpu_ns.push_back(figures.cpu_seconds * 1e9 / operations);
  }
  return {median(mops), median(cpu_ns)};
}

std::vector<Entrant> entrants_of(const Arguments& arguments) {
  std::vector<Entrant> entrants;
  for (const unsigned threads : arguments.merge_threads) {
    for (const Kind& kind : kKinds) {
      const bool is_wanted = arguments.contenders.empty() ||
                             std::find(arguments.contenders.begin(), arguments.contenders.end(),
                                       kind.name) != arguments.contenders.end();
      if (!is_wanted || kind.make == nullptr || threads > kind.merge_threads_max) continue;
      entrants.push_back({&kind, threads});
    }
  }
  return entrants;
}

// A new directory for one run. The destructor removes it.
class RunDirectory {
 public:
  explicit RunDirectory(const std::string& parent) {
    std::string name = parent + "/engine_benchmark.XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~RunDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }  // empty: it was not created

 private:
  std::string path_;
};

Result<void> run_entrant(const Arguments& arguments, const WorkloadSize& size, Entrant& entrant) {
  const RunDirectory directory(arguments.directory);
  if (directory.path().empty()) {
    return machine_error(fmt::format("{}: cannot create a directory in it", arguments.directory));
  }
  ContenderSetup setup;
  setup.directory = directory.path() + "/db";
  setup.merge_threads = entrant.merge_threads;
  setup.entry_bytes = kWorkloadKeyBytes + size.value_bytes;
  setup.block_cache_bytes = BOOST_OUTCOME_TRYX(parse_bytes(arguments.block_cache));
  const auto contender = BOOST_OUTCOME_TRYX(entrant.kind->make(setup));
  const auto figures = BOOST_OUTCOME_TRYX(run_workload(*contender, size));
  const bool is_first = !entrant.has_run();
  for (const PhaseFigures& phase : figures) {
    if (is_first) entrant.phases.push_back(phase.name);
    entrant.rounds[phase.name].push_back(phase);
  }
  return success();
}

const Entrant* opponent_of(const std::vector<Entrant>& entrants, const Entrant& ours) {
  for (const Entrant& entrant : entrants) {
    if (entrant.kind->name == std::string_view(ours.kind->opponent) &&
        entrant.merge_threads == ours.merge_threads) {
      return &entrant;
    }
  }
  return nullptr;
}

void print_pair(const Entrant& ours, const Entrant* opponent) {
  const char* const name = ours.kind->opponent;
  fmt::print("\n{} by {}'s rules, merge threads: {}\n", "ours", name, ours.merge_threads);
  if (opponent == nullptr) {
    fmt::print("({} is not in this build, or --contenders omits it)\n", name);
  }
  fmt::print("{:<28}{:>10}{:>10}{:>8}{:>14}{:>12}{:>8}\n", "", "ours", name, "ratio", "ours CPU",
             name, "ratio");
  fmt::print("{:<28}{:>10}{:>10}{:>8}{:>14}{:>12}{:>8}\n", "", "Mops/s", "Mops/s", "", "ns/op",
             "ns/op", "");
  for (const std::string& phase : ours.phases) {
    const Medians mine = medians_of(ours, phase);
    if (opponent == nullptr) {
      fmt::print("{:<28}{:>10.4f}{:>10}{:>8}{:>14.0f}\n", phase, mine.mops, "-", "-", mine.cpu_ns);
      continue;
    }
    const Medians theirs = medians_of(*opponent, phase);
    fmt::print("{:<28}{:>10.4f}{:>10.4f}{:>8.2f}{:>14.0f}{:>12.0f}{:>8.2f}\n", phase, mine.mops,
               theirs.mops, mine.mops / theirs.mops, mine.cpu_ns, theirs.cpu_ns,
               theirs.cpu_ns / mine.cpu_ns);
  }
}

void print_table(const std::vector<Entrant>& entrants, const WorkloadSize& size) {
  fmt::print("\n{} entries of {} + {} bytes\n", grouped_text(size.entries), kWorkloadKeyBytes,
             size.value_bytes);
  for (const Entrant& entrant : entrants) {
    if (entrant.kind->opponent != nullptr) print_pair(entrant, opponent_of(entrants, entrant));
  }
  std::fflush(stdout);
}

void append_json(const std::vector<Entrant>& entrants, const WorkloadSize& size,
                 nlohmann::ordered_json& runs) {
  for (const Entrant& entrant : entrants) {
    for (const std::string& phase : entrant.phases) {
      const Medians medians = medians_of(entrant, phase);
      runs.push_back({{"contender", entrant.kind->name},
                      {"merge_threads", entrant.merge_threads},
                      {"entries", size.entries},
                      {"value_bytes", size.value_bytes},
                      {"phase", phase},
                      {"operations", entrant.rounds.at(phase).front().operations},
                      {"mops_per_second", medians.mops},
                      {"cpu_ns_per_operation", medians.cpu_ns}});
    }
  }
}

Result<void> run(const Arguments& arguments) {
  const std::uint64_t entries = BOOST_OUTCOME_TRYX(parse_count(arguments.entries));
  const std::uint64_t operations = BOOST_OUTCOME_TRYX(parse_count(arguments.operations));
  fmt::print("{}\n", kNotes);
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const std::uint32_t value_bytes : arguments.value_bytes) {
    // With large values fewer entries, for about as many bytes.
    const std::uint64_t share = value_bytes >= 512 ? 8 : 1;
    const WorkloadSize size{std::max<std::uint64_t>(entries / share, 1),
                            std::max<std::uint64_t>(operations / share, 1), value_bytes};
    std::vector<Entrant> entrants = entrants_of(arguments);
    for (unsigned round = 0; round < arguments.rounds; ++round) {
      for (std::size_t i = 0; i < entrants.size(); ++i) {
        Entrant& entrant = entrants[round % 2 == 0 ? i : entrants.size() - 1 - i];
        fmt::print(stderr, "round {}: {}, {} merge threads, values of {} bytes\n", round + 1,
                   entrant.kind->name, entrant.merge_threads, value_bytes);
        BOOST_OUTCOME_TRYV(run_entrant(arguments, size, entrant));
      }
    }
    print_table(entrants, size);
    append_json(entrants, size, runs);
  }
  if (arguments.json.empty()) return success();
  std::ofstream file(arguments.json);
  file << nlohmann::ordered_json{{"rounds", arguments.rounds}, {"runs", runs}}.dump(2) << '\n';
  if (!file.flush()) return machine_error(arguments.json + ": cannot write the file");
  return success();
}

int main_of(int count, char** words) {
  CLI::App app(
      "Compares lsmlab's engine with RocksDB and LevelDB on the same workload in one run.");
  app.footer(kNotes);
  Arguments arguments;
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (kind.make != nullptr) names.emplace_back(kind.name);
  }
  app.add_option("--entries", arguments.entries,
                 "entries to load; an eighth of that with values of 512 bytes or more")
      ->capture_default_str();
  app.add_option("--operations", arguments.operations,
                 "operations per later phase; an eighth with values of 512 bytes or more; one scan "
                 "for each 50")
      ->capture_default_str();
  app.add_option("--value-bytes", arguments.value_bytes,
                 "sizes of values, a list; keys have 16 bytes")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--merge-threads", arguments.merge_threads,
                 "numbers of merge threads, a list; LevelDB always has one, for flushes too")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--block-cache", arguments.block_cache, "size of the block cache of each store")
      ->capture_default_str();
  app.add_option("--contenders", arguments.contenders, "stores to measure, a list; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--rounds", arguments.rounds, "number of rounds; figures are their medians")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  app.add_option("--dir", arguments.directory,
                 "directory for the stores, which are removed afterwards")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the figures as JSON to this file")
      ->type_name("FILE");
  CLI11_PARSE(app, count, words);
  const Result<void> outcome = run(arguments);
  if (outcome) return 0;
  fmt::print(stderr, "engine_benchmark: {}\n", outcome.error().message);
  return outcome.error().kind == ErrorKind::kInput ? 2 : 3;
}

}  // namespace
}  // namespace lsmlab::engine

int main(int argc, char** argv) { return lsmlab::engine::main_of(argc, argv); }
