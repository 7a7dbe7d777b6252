#include "traces/stores/options_file.h"

#include "testing/catch.h"
#include "traces/stores/option_table.h"

namespace lsmlab::stores::options_file_test {
namespace {

constexpr const char* kText =
    "# This is a RocksDB option file.\n"
    "[Version]\n"
    "  rocksdb_version=8.4.1\n"
    "  options_file_version=1.1\n"
    "\n"
    "[DBOptions]\n"
    "  max_background_jobs=6\n"
    "[CFOptions \"default\"]\n"
    "  write_buffer_size=67108864\n"
    "  level_compaction_dynamic_level_bytes=false # a comment\n"
    "  compaction_options_universal={incremental=false;size_ratio=7;nested={a=1;b=2;};}\n"
    "[TableOptions/BlockBasedTable \"default\"]\n"
    "  block_size=16384\n"
    "[CFOptions \"an \\\"odd\\\" [name]\"]\n"
    "  compaction_style=kCompactionStyleUniversal\n"
    "  compaction_options_universal={size_ratio=7;}\n";

TEST_CASE("An OPTIONS file gives the options of the database and of each column family") {
  REQUIRE(is_options_file(kText));
  const Salvaged<StoreOptions> read = read_options_file(kText);
  REQUIRE_FALSE(read.fault);
  const StoreOptions& options = read.value;
  REQUIRE(options.version == "8.4.1");
  REQUIRE(options.database.at("max_background_jobs") == "6");
  REQUIRE(options.families.size() == 2);
  const FamilyOptions& family = options.families[0];
  REQUIRE(family.values.at("block_size") == "16384");
  REQUIRE(family.values.at("level_compaction_dynamic_level_bytes") == "false");
  REQUIRE(family.values.at("compaction_options_universal.size_ratio") == "7");
  REQUIRE(family.values.at("compaction_options_universal.nested.b") == "2");
  REQUIRE(options.family("an \"odd\" [name]") != nullptr);
  REQUIRE(options.family("missing") == nullptr);
}

TEST_CASE("Options are compared with the defaults of the store's version") {
  StoreOptions options = read_options_file(kText).value;
  const auto differs = [&](const std::string& family, const std::string& name) {
    for (const ShownOption& option : merge_options(options, *options.family(family))) {
      if (option.name == name) return option.differs;
    }
    return false;
  };
  // True by default since 8.4.
  REQUIRE(differs("default", "level_compaction_dynamic_level_bytes"));
  REQUIRE_FALSE(differs("default", "write_buffer_size"));
  REQUIRE(differs("default", "block_size"));
  REQUIRE(differs("default", "max_background_jobs"));
  // Options of universal compaction have no effect on leveled compaction.
  REQUIRE_FALSE(differs("default", "compaction_options_universal.size_ratio"));
  REQUIRE(differs("an \"odd\" [name]", "compaction_options_universal.size_ratio"));
  options.version = "8.3.0";
  REQUIRE_FALSE(differs("default", "level_compaction_dynamic_level_bytes"));
  REQUIRE(version_number("8.4.1") == 8004);
  REQUIRE(version_number("eight") == 0);
}

TEST_CASE("Faulty lines of an OPTIONS file are named, and the others are read") {
  const auto read =
      read_options_file("[Version]\nrocksdb_version=7.8.3\nnonsense\n[DBOptions]\nx=1\n");
  REQUIRE(read.fault);
  REQUIRE(read.fault->message == "line 3: found 'nonsense'; expected a section or 'name=value'");
  REQUIRE(read.value.database.at("x") == "1");
  REQUIRE(read_options_file("").fault);
  REQUIRE(read_options_file("a=1\n").fault);
}

TEST_CASE("An OPTIONS file that is cut or damaged anywhere is read without a crash") {
  const std::string text = kText;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    static_cast<void>(read_options_file(std::string_view(text).substr(0, size)));
    std::string damaged = text;
    if (size < text.size()) damaged[size] = static_cast<char>(damaged[size] ^ 0x11);
    static_cast<void>(read_options_file(damaged));
  }
  SUCCEED();
}

}  // namespace
}  // namespace lsmlab::stores::options_file_test
