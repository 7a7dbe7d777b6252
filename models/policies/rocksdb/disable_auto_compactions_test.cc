// RocksDB's disable_auto_compactions.
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::disable_auto_compactions_test {
namespace {

// Far beyond every trigger: 40 files of level 0, and a level 1 of 100 times its size.
std::vector<DrawnFile> overfull() {
  std::vector<DrawnFile> files;
  for (std::uint64_t id = 1; id <= 40; ++id) files.push_back({0, id, 10, 90, 1000});
  files.push_back({1, 41, 10, 90, 100'000});
  return files;
}

std::shared_ptr<const Policy> policy_of(const std::string& spec) {
  return make_policy(parse_spec(spec).value()).value().policy;
}

TEST_CASE("without automatic compactions RocksDB flushes, and merges only by command") {
  for (const std::string family : {"rocksdb-leveled", "rocksdb-universal"}) {
    INFO(family);
    const std::string sizes = family == "rocksdb-leveled" ? "level_base=1000," : "";
    const std::string off = sizes + "disable_auto_compactions=true";
    DrawnTree tree(overfull());
    REQUIRE(plan_text(pick_of(family, sizes + "l0_trigger=4", tree.view())) != "nothing");
    REQUIRE(plan_text(pick_of(family, off, tree.view())) == "nothing");
    const auto policy = policy_of(family + ":" + off);
    REQUIRE(policy->compacts(ManualScope::kWhole));
    REQUIRE(plan_text(policy->pick_manual(tree.view(), {ManualScope::kWhole, FileId(1000)}))
                .starts_with("merge"));
    REQUIRE(plan_text(policy->pick_level0(tree.view())) == "nothing");
  }
}

TEST_CASE("without automatic compactions FIFO keeps all files, unless a command asks for them") {
  DrawnTree tree(overfull());
  const std::string sizes = "max_table_files_size=1000";
  const std::string off = sizes + ",disable_auto_compactions=true";
  REQUIRE(plan_text(pick_of("rocksdb-fifo", sizes, tree.view())).starts_with("drop"));
  REQUIRE(plan_text(pick_of("rocksdb-fifo", off, tree.view())) == "nothing");
  const auto policy = policy_of("rocksdb-fifo:" + off);
  REQUIRE(policy->compacts(ManualScope::kWhole));
  REQUIRE(plan_text(policy->pick_manual(tree.view(), {ManualScope::kWhole, FileId(1000)}))
              .starts_with("drop"));
  REQUIRE(policy->stalling_runs(tree.view()) == 0);
  REQUIRE(policy_of("rocksdb-fifo:" + sizes)->stalling_runs(tree.view()) == 40);
}

TEST_CASE("without automatic compactions neither files nor pending bytes stall writers") {
  // RecalculateWriteStallConditions asks for disable_auto_compactions before each of these limits.
  DrawnTree tree(overfull());
  for (const std::string family : {"rocksdb-leveled", "rocksdb-universal"}) {
    INFO(family);
    const std::string sizes = family == "rocksdb-leveled" ? ":level_base=1000," : ":";
    const auto on = policy_of(family + sizes + "l0_trigger=4");
    const auto off = policy_of(family + sizes + "disable_auto_compactions=true");
    REQUIRE(on->stalling_runs(tree.view()) == (family == "rocksdb-leveled" ? 40 : 41));
    REQUIRE(off->stalling_runs(tree.view()) == 0);
    REQUIRE(off->pending_bytes(tree.view()) == 0);
  }
  REQUIRE(policy_of("rocksdb-leveled:level_base=1000")->pending_bytes(tree.view()) > 100'000);
}

TEST_CASE("systems on top of RocksDB need their merges") {
  for (const std::string family : {"silk", "delete-aware"}) {
    const auto made = make_policy({family, {{"disable_auto_compactions", "true"}}});
    REQUIRE(made.error().message.find("unknown parameter 'disable_auto_compactions'") !=
            std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::disable_auto_compactions_test
