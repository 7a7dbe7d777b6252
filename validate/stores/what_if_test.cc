#include "validate/stores/what_if.h"

#include <fmt/format.h>

#include "engine/foreign/foreign_replay.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/measured_format.h"
#include "validate/stores/usual_changes.h"
#include "validate/stores/what_if_text.h"

namespace lsmlab::what_if_test {
namespace {

// A case that no files are needed for.
StoreCase small_case() {
  StoreCase asked;
  asked.policy.spec = "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=1MiB,size_ratio=4";
  asked.workload.spec = "load:entries=30000";
  return asked;
}

WhatIfAnswer whole_answer(const StoreCase& asked, const WhatIfQuestion& question) {
  const auto runs = runs_of(asked, question);
  INFO((runs ? std::string() : runs.error().message));
  REQUIRE(runs.has_value());
  return simulate_runs(runs.value(), {}).value();
}

std::vector<WhatIfFigures> answer(const StoreCase& asked, const WhatIfQuestion& question) {
  return whole_answer(asked, question).variants;
}

std::string error_of(const std::string& change) {
  WhatIfQuestion question;
  question.changes = {change};
  return runs_of(small_case(), question).error().message;
}

TEST_CASE("today's options come first, then each change, then all together") {
  WhatIfQuestion question;
  question.changes = {"size_ratio=8", "buffer=256KiB"};
  const auto figures = answer(small_case(), question);
  REQUIRE(figures.size() == 4);
  REQUIRE(figures[0].change.empty());
  REQUIRE(figures[1].change == "size_ratio=8");
  REQUIRE(figures[3].change == "all together");
  // A larger memtable is merged fewer times.
  REQUIRE(figures[2].write < figures[0].write);
  REQUIRE(figures[0].peak_file_bytes > 0);
  REQUIRE(figures[0].merge_output_max_bytes > 0);
  double sum = 0;
  for (const double level : figures[0].written_by_level) sum += level;
  REQUIRE(sum == Approx(figures[0].write_flushed));
  REQUIRE(figures[0].written_by_level.front() == Approx(1));
}

TEST_CASE("a list is a change for each value, and another policy may be asked") {
  WhatIfQuestion question;
  question.changes = {"size_ratio=6|8", "policy=tiered:buffer=64KiB"};
  const auto figures = answer(small_case(), question);
  REQUIRE(figures.size() == 4);
  REQUIRE(figures[1].change == "size_ratio=6");
  REQUIRE(figures[2].change == "size_ratio=8");
  REQUIRE(figures[3].change == "policy=tiered:buffer=64KiB");
  REQUIRE(figures[3].write < figures[0].write);
}

TEST_CASE("a workload of db_bench without a log is simulated without one") {
  StoreCase asked = small_case();
  asked.workload.spec = "db_bench:line=\"--benchmarks=fillrandom --num=1000 --disable_wal=1\"";
  WhatIfQuestion question;
  question.changes = {"size_ratio=6", "policy=tiered:buffer=64KiB"};
  const WhatIfRuns runs = runs_of(asked, question).value();
  for (const WhatIfVariant& variant : runs.variants) {
    INFO(variant.change);
    REQUIRE_FALSE(variant.run.setup.policy.store.writes_log);
  }
  asked.workload.spec = "load:entries=1000";
  REQUIRE(runs_of(asked, question).value().variants[0].run.setup.policy.store.writes_log);
}

TEST_CASE("a change that cannot be is refused with its name") {
  REQUIRE(error_of("size_rato=6").find("--set size_rato=6") != std::string::npos);
  REQUIRE(error_of("size_rato=6").find("did you mean 'size_ratio'") != std::string::npos);
  REQUIRE(error_of("size_ratio").find("expected OPTION=VALUE") != std::string::npos);
  REQUIRE(error_of("write_buffer_size=1MiB").find("buffer") != std::string::npos);
  REQUIRE(error_of("policy=levelled").find("unknown policy") != std::string::npos);
}

TEST_CASE("the usual changes of a store can all be simulated, and the largest effect comes first") {
  StoreCase asked = small_case();
  asked.policy.spec += ",l0_trigger=4,dynamic_levels=false";
  WhatIfQuestion question;
  question.changes = usual_changes(asked);
  question.combines = false;
  REQUIRE(question.changes == std::vector<std::string>{
                                  "buffer=256KiB", "buffer=1MiB", "level_base=4MiB", "l0_trigger=8",
                                  "size_ratio=2", "size_ratio=8", "dynamic_levels=true"});
  const std::string text = explanation_text(asked, whole_answer(asked, question), 3);
  REQUIRE(text.find("  buffer=256KiB: write ampl. ") != std::string::npos);
  REQUIRE(text.find("of 7 that were tried") != std::string::npos);
}

TEST_CASE("a level that only the simulation has is among the shares of the written bytes") {
  StoreCase asked = small_case();
  asked.reported.flushes.bytes = asked.reported.merge_written_bytes = 1000;
  asked.reported.levels.resize(2);
  for (stores::LevelFigures& level : asked.reported.levels) level.written_bytes = 1000;
  const std::string text = explanation_text(asked, whole_answer(asked, {}), 3);
  REQUIRE(text.find("  into level 1:  50.0 % reported, ") != std::string::npos);
  REQUIRE(text.find("  into level 2:   0.0 % reported, ") != std::string::npos);
  REQUIRE(text.find(" 0.0 % simulated") == std::string::npos);
}

TEST_CASE("No usual change goes beyond what an option may be") {
  StoreCase asked = small_case();
  const std::string ratio = "size_ratio=4";
  REQUIRE(asked.policy.spec.find(ratio) != std::string::npos);
  asked.policy.spec.replace(asked.policy.spec.find(ratio), ratio.size(), "size_ratio=3");
  REQUIRE(usual_changes(asked) == std::vector<std::string>{"buffer=256KiB", "buffer=1MiB",
                                                           "level_base=4MiB", "l0_trigger=8",
                                                           "size_ratio=6", "dynamic_levels=true"});
}

// A store whose history began with 20,000 records in level 2, and which has 30,000 today.
StoreCase case_with_tree() {
  StoreCase asked = small_case();
  asked.policy.spec += ",levels=3";
  asked.workload.is_whole_history = false;
  asked.workload.writes = 40'000;
  asked.workload.update_fraction = 1;
  asked.workload.spec = "load:records=20000,entries=40000,update_fraction=1";
  asked.workload.measure_from = "40000";
  stores::FlushFigures& flushes = asked.reported.flushes;
  flushes.bytes = 60'000;
  flushes.flushes = 10;
  flushes.entries = 1000;
  flushes.raw_key_bytes = 16'000;
  flushes.raw_value_bytes = 100'000;
  const auto tree_of = [](std::uint64_t records) {
    StartingTree tree;
    tree.records = records;
    tree.runs = {{2, {{0, 0.5, records / 2}, {0.5, 1, records / 2}}}};
    return std::make_shared<const StartingTree>(tree);
  };
  asked.starts = {tree_of(20'000), tree_of(30'000)};
  return asked;
}

TEST_CASE("the test of trust is known before the changes are simulated") {
  WhatIfQuestion question;
  question.changes = {"size_ratio=8"};
  const WhatIfRuns runs = runs_of(small_case(), question).value();
  WhatIfAnswer found = simulate_history(runs, {}).value();
  REQUIRE(found.variants.size() == 1);
  REQUIRE(found.history.write == found.variants.front().write);
  REQUIRE(simulate_variants(runs, {}, found).has_value());
  REQUIRE(found.variants.size() == 2);
  REQUIRE(found.variants.back().change == "size_ratio=8");
  // A history of its own is none of the variants.
  const WhatIfRuns own = runs_of(case_with_tree(), question).value();
  REQUIRE(simulate_history(own, {}).value().variants.empty());
}

TEST_CASE("a change that fills few memtables is marked, and not among the largest effects") {
  WhatIfQuestion question;
  question.changes = {"buffer=16MiB", "buffer=128KiB"};
  question.combines = false;
  const StoreCase asked = small_case();
  const WhatIfAnswer figures = whole_answer(asked, question);
  REQUIRE(figures.variants[1].is_vague());
  REQUIRE_FALSE(figures.variants[0].is_vague());
  REQUIRE(variants_text(asked, figures).find("  (only 1 flush)\n") != std::string::npos);
  const std::string text = explanation_text(asked, figures, 3);
  REQUIRE(text.find("buffer=16MiB") == std::string::npos);
  REQUIRE(text.find("buffer=128KiB") != std::string::npos);
  REQUIRE(text.find("1 of them fills fewer than 10 memtables") != std::string::npos);
}

TEST_CASE("the test of trust begins with the tree of that time, the answers with today's") {
  WhatIfQuestion question;
  question.changes = {"size_ratio=8", "levels=2", "policy=tiered:buffer=64KiB"};
  const StoreCase asked = case_with_tree();
  const WhatIfRuns runs = runs_of(asked, question).value();
  REQUIRE(runs.history);
  REQUIRE(runs.history->run.setup.start == asked.starts.at_history);
  REQUIRE(runs.variants.size() == 5);
  REQUIRE(runs.variants[0].run.setup.start == asked.starts.now);
  REQUIRE(runs.variants[2].run.setup.start == asked.starts.now);
  // They cannot go on from that tree, and are compared with today's options that do not, either.
  REQUIRE(runs.variants[1].change.empty());
  REQUIRE(runs.variants[1].run.setup.start == nullptr);
  REQUIRE(runs.variants[3].run.setup.start == nullptr);
  REQUIRE(runs.variants[3].change == "levels=2");
  REQUIRE(runs.variants[4].run.setup.start == nullptr);
  const WhatIfAnswer answer = simulate_runs(runs, {}).value();
  REQUIRE(answer.complete());
  // Twice the records are written from now on.
  const std::string text = trust_text(asked, answer.history);
  REQUIRE(text.find("load:records=20000,entries=40000,key_bytes=16,value_bytes=100") !=
          std::string::npos);
  REQUIRE(text.find("20,000 entries of 20,000 records, in 2 files and 1 sorted run") !=
          std::string::npos);
  INFO(text);
  REQUIRE(text.find("from now on: load:records=30000,entries=60000,") != std::string::npos);
  REQUIRE(answer.history.written_by_level.at(2) > 0.5);
  const auto json = what_if_json(asked, answer);
  REQUIRE(json["tree_now"]["records"] == 30'000);
  REQUIRE(json["simulated_write_flushed"] == answer.history.write_flushed);
}

TEST_CASE("levels that are far off are told where their sum agrees by chance") {
  StoreCase asked = small_case();
  asked.reported.flushes.bytes = 1000;
  asked.reported.levels.resize(3);
  const auto text_of = [&](std::uint64_t level1, std::uint64_t level2) {
    asked.reported.levels[0].written_bytes = 1000;
    asked.reported.levels[1].written_bytes = level1;
    asked.reported.levels[2].written_bytes = level2;
    WhatIfFigures simulated;
    simulated.write_flushed = 7;
    simulated.written_by_level = {1, 4, 2};
    return trust_text(asked, simulated);
  };
  REQUIRE(text_of(4000, 2000).find("agree better than the levels") == std::string::npos);
  REQUIRE(text_of(2000, 4000).find("add up to 57 % of the bytes") != std::string::npos);
  // Where the sum is far off, too, that is said.
  const std::string far = text_of(12'000, 0);
  REQUIRE(far.find("These do not agree") != std::string::npos);
  REQUIRE(far.find("agree better") == std::string::npos);
}

TEST_CASE("with a clock its run is judged, as the answers have it, too") {
  StoreCase asked = small_case();
  asked.clock.emplace();
  asked.reported.flushes.bytes = 1000;
  asked.reported.levels.resize(3);
  for (stores::LevelFigures& level : asked.reported.levels) level.written_bytes = 3000;
  const auto simulated = [](std::vector<double> levels) {
    WhatIfFigures figures;
    for (const double level : levels) figures.write_flushed += level;
    figures.written_by_level = std::move(levels);
    return figures;
  };
  const WhatIfFigures near = simulated({3, 3, 3.5});
  const WhatIfFigures far = simulated({1, 2.4, 2});
  const WhatIfFigures other_levels = simulated({1, 6.5, 2});
  const auto says = [&](const WhatIfFigures& clocked, const WhatIfFigures& counted,
                        const char* words) {
    return trust_text(asked, clocked, counted).find(words) != std::string::npos;
  };
  REQUIRE(says(far, near, "With the clock these do not agree"));
  REQUIRE(says(far, near, "Counted, they are nearer"));
  REQUIRE(says(far, far, "  These do not agree"));
  REQUIRE_FALSE(says(near, far, "not agree"));
  REQUIRE(says(other_levels, near, "agree better than the levels"));
  REQUIRE_FALSE(says(near, other_levels, "agree better than the levels"));
}

TEST_CASE("without a clock below, the counted run is judged") {
  StoreCase asked = small_case();
  asked.clock.emplace();
  asked.reported.flushes.bytes = 1000;
  asked.reported.levels.resize(1);
  asked.reported.levels[0].written_bytes = 9000;
  const auto text = [&](double clocked, double counted) {
    WhatIfFigures with_clock;
    with_clock.write_flushed = clocked;
    WhatIfFigures without;
    without.write_flushed = counted;
    return trust_text(asked, with_clock, without, JudgedRun::kCounted);
  };
  REQUIRE(text(9, 5).find("Counted, as all figures below are, these do not agree") !=
          std::string::npos);
  REQUIRE(text(5, 5).find("  These do not agree") != std::string::npos);
  REQUIRE(text(5, 9).find("not agree") == std::string::npos);
}

// With the clock of a LOG whose merges take so long for each entry.
StoreCase case_with_clock(std::uint64_t merge_entry_ns) {
  StoreCase asked = small_case();
  asked.reported.flushes.bytes = 1000;
  asked.workload.writes_per_second = 100'000;
  LoggedClock clock;
  clock.flush_entry_ns = 100;
  clock.merge_entry_ns = merge_entry_ns;
  clock.device = fmt::format("instant:cpu_merge_entry_ns={},cpu_merge_kib_ns=0", merge_entry_ns);
  asked.clock = clock;
  return asked;
}

TEST_CASE("with the clock of a LOG slow merges fall behind, and the count stands beside") {
  const auto fast = whole_answer(case_with_clock(10), {});
  const auto slow = whole_answer(case_with_clock(20'000), {});
  REQUIRE(fast.counted_history);
  REQUIRE(slow.counted_history->write_flushed == fast.counted_history->write_flushed);
  REQUIRE(fast.history.write_flushed == Approx(fast.counted_history->write_flushed).epsilon(0.1));
  REQUIRE(slow.history.write_flushed < 0.8 * fast.history.write_flushed);
  REQUIRE(slow.variants.front().stalled_seconds);
  const StoreCase asked = case_with_clock(20'000);
  const std::string text = trust_text(asked, slow.history, slow.counted_history);
  REQUIRE(text.find("with clock") != std::string::npos);
  REQUIRE(text.find("a merge 20.00 us, as the LOG tells") != std::string::npos);
  REQUIRE(what_if_json(asked, slow)["device"] == asked.clock->device);
  WhatIfQuestion counted;
  counted.device = kNoClock;
  const auto answer = whole_answer(asked, counted);
  REQUIRE_FALSE(answer.counted_history);
  REQUIRE(answer.history.write_flushed == slow.counted_history->write_flushed);
}

TEST_CASE("put P99 counts from when a write was due only where writes have a rate") {
  StoreCase asked = case_with_clock(10);
  WhatIfFigures timed;
  timed.stalled_seconds = 1;
  const char* const due = "counts from when a write was due";
  REQUIRE(variants_text(asked, {timed, {}, {timed}}).find(due) != std::string::npos);
  asked.workload.writes_per_second.reset();
  REQUIRE(variants_text(asked, {timed, {}, {timed}}).find(due) == std::string::npos);
  REQUIRE(variants_text(asked, {timed, {}, {timed}}).find("A client writes again") !=
          std::string::npos);
}

TEST_CASE("a history whose merges all ended counts those that end after its last write") {
  StoreCase asked = case_with_clock(40'000);
  const WhatIfAnswer running = whole_answer(asked, {});
  asked.ends_at_rest = true;
  const WhatIfAnswer at_rest = whole_answer(asked, {});
  REQUIRE(at_rest.history.written_by_level.at(1) > running.history.written_by_level.at(1));
  // Changes are compared at the last write in any case.
  REQUIRE(at_rest.variants.front().write == running.variants.front().write);
}

TEST_CASE("LOGs end at rest if all merges ended and no level is due") {
  stores::Store store;
  stores::FamilyFigures figures;
  figures.source = stores::HistorySource::kLog;
  figures.levels.resize(2);
  figures.levels[1].score = 0.9;
  REQUIRE_FALSE(ends_at_rest(store, figures));  // no LOG
  store.logs.emplace_back();
  store.logs[0].log.compactions.resize(2);
  store.logs[0].log.compactions[0].is_finished = true;
  REQUIRE_FALSE(ends_at_rest(store, figures));
  store.logs[0].log.compactions[1].is_finished = true;
  REQUIRE(ends_at_rest(store, figures));
  figures.levels[1].score = 1;
  REQUIRE_FALSE(ends_at_rest(store, figures));
  figures.levels[1].score = 0.9;
  figures.source = stores::HistorySource::kStatistics;
  REQUIRE_FALSE(ends_at_rest(store, figures));
}

TEST_CASE("the clock of a LOG has the speed of one thread, and what further ones gain") {
  stores::FamilyFigures figures;
  figures.flush_speed = {1'000, 1'000};
  const auto clock_with = [&](stores::JobSpeed whole, stores::JobSpeed divided) {
    figures.merge_speed = whole;
    figures.divided_speed = {divided, divided.entries / 100, 4 * divided.entries};
    return logged_clock(stores::Store(), figures);
  };
  const auto ends_with = [](const std::string& device, const std::string& end) {
    INFO(device);
    REQUIRE(device.ends_with(end));
  };
  REQUIRE_FALSE(clock_with({}, {}));
  // 2 us an entry; four threads take 1 us: twice as fast, 4 / (1 + 3 / 3).
  const auto twice = clock_with({2'000, 1'000}, {500, 500});
  REQUIRE(twice->merge_entry_ns == 2'000);
  REQUIRE(twice->divided_merges == 5);
  REQUIRE(twice->divided_gain == 2);
  ends_with(twice->device, ",cpu_file_ns=0,cpu_merge_part_slowdown=0.333");
  // As fast as four cores make them, or faster: no slowdown.
  REQUIRE(clock_with({2'000, 1'000}, {250, 500})->divided_gain == 4);
  ends_with(clock_with({2'000, 1'000}, {100, 500})->device, ",cpu_file_ns=0");
  // Slower than one thread.
  REQUIRE(clock_with({2'000, 1'000}, {2'000, 500})->divided_gain == 0.5);
  // No merge with one thread: the time of each thread counts.
  const auto all = clock_with({}, {500, 500});
  REQUIRE(all->merge_entry_ns == 4'000);
  REQUIRE(all->divided_gain == 4);
  const auto none = clock_with({2'000, 1'000}, {});
  REQUIRE(none->merge_entry_ns == 2'000);
  REQUIRE(none->divided_merges == 0);
  REQUIRE(device_of_spec(parse_spec(twice->device).value()).has_value());
}

TEST_CASE("with the clock of a LOG, more threads for a merge let merges keep up") {
  StoreCase asked = case_with_clock(20'000);
  asked.clock->divided_merges = 1'234;
  asked.clock->divided_gain = 1.5;
  WhatIfQuestion question;
  question.changes = {"max_subcompactions=8,file_size=8KiB,version=9.0", "file_size=8KiB"};
  const auto answer = whole_answer(asked, question);
  const WhatIfFigures& divided = answer.variants.at(1);
  const WhatIfFigures& whole = answer.variants.at(2);
  REQUIRE(divided.change.find("max_subcompactions=8") != std::string::npos);
  // Merges that do not fall behind merge more often.
  REQUIRE(divided.write_flushed > 1.1 * whole.write_flushed);
  REQUIRE(*divided.stalled_seconds < *whole.stalled_seconds);
  const std::string text = trust_text(asked, answer.history, answer.counted_history);
  REQUIRE(
      text.find("  1,234 merges had several threads, which were 1.50 times as fast as one.\n") !=
      std::string::npos);
}

TEST_CASE("the clock of a LOG has the options of its store for stalls, and takes others") {
  StoreCase asked = case_with_clock(10);
  asked.rules.merge_threads = 3;
  asked.rules.stalls = {{"level0_stop_runs", "40"}};
  const auto own = run_of_case(asked, {});
  INFO((own ? std::string() : own.error().message));
  REQUIRE(own.has_value());
  REQUIRE(own.value().options.merge_threads == 3);
  REQUIRE(run_of_case(asked, {}).value().stalls == asked.rules.stalls);
  WhatIfQuestion question;
  question.merge_threads = 2;
  question.stalls = "level0_stop_runs=9,level0_slowdown_runs=5";
  const auto changed = run_of_case(asked, question);
  INFO((changed ? std::string() : changed.error().message));
  REQUIRE(changed.has_value());
  const RunSpec& spec = changed.value();
  REQUIRE(spec.options.merge_threads == 2);
  REQUIRE(spec.stalls == Parameters{{"level0_stop_runs", "9"}, {"level0_slowdown_runs", "5"}});
  // Another system has its own rules.
  question.changes = {"policy=tiered:buffer=64KiB"};
  question.stalls.clear();
  const auto made = runs_of(asked, question);
  INFO((made ? std::string() : made.error().message));
  REQUIRE(made.has_value());
  const WhatIfRuns& runs = made.value();
  REQUIRE(runs.variants[0].run.spec.stalls == asked.rules.stalls);
  REQUIRE(runs.variants[1].run.spec.stalls.empty());
  // Without a clock nobody waits.
  question.device = kNoClock;
  REQUIRE(run_of_case(asked, question).error().message.find("needs --device, other than none") !=
          std::string::npos);
  question.device.clear();
  asked.clock.reset();
  REQUIRE(run_of_case(asked, question).error().message.find("--merge-threads: needs --device") ==
          0);
}

#ifdef LSMLAB_WITH_ROCKSDB
TEST_CASE("a store of RocksDB gets the write amplification that it reports, within 10 %") {
  for (const char* workload : {"load:entries=300k", "load:entries=300k,update_fraction=60%"}) {
    INFO(workload);
    const engine::testing::ScratchDirectory scratch;
    RunSpec spec;
    spec.options.source = RunSource::kRocksdb;
    spec.policy = with_table_format(
        parse_spec("rocksdb-leveled:buffer=256KiB,file_size=256KiB,level_base=1MiB,size_ratio=4")
            .value(),
        RunSource::kRocksdb);
    spec.workload = parse_spec(workload).value();
    const ResolvedRun run = resolve(spec).value();
    RunControl control;
    const auto source = std::get<KeyWorkload>(run.workload).open(1).value();
    const std::string place = scratch.path() + "/db";
    REQUIRE(engine::replay_foreign(run.setup, place, *source, control).has_value());
    const stores::Store store = stores::read_store(place).value();
    const StoreCase asked = store_case(store, "", "").value();
    REQUIRE(asked.workload.is_whole_history);
    // The history begins with an empty store, the answers with today's.
    REQUIRE(asked.starts.at_history == nullptr);
    REQUIRE(asked.starts.now != nullptr);
    const WhatIfAnswer figures = whole_answer(asked, {});
    const double reported = *asked.reported.write_amplification();
    INFO(asked.workload.spec << " reported " << reported << " simulated "
                             << figures.history.write_flushed);
    REQUIRE(figures.history.write_flushed == Approx(reported).epsilon(0.1));
    const std::string text = trust_text(asked, figures.history);
    REQUIRE(text.find("W-Amp") != std::string::npos);
    REQUIRE(text.find("the records stand in today's tree") != std::string::npos);
    REQUIRE(store_case(store, "nobody", "").error().message.find("no column family 'nobody'") !=
            std::string::npos);
  }
}
#endif

}  // namespace
}  // namespace lsmlab::what_if_test
