// What is searched of a policy: values, points and their neighbours.
#include "validate/advise/policy_space.h"

#include "models/base/quantity_text.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "validate/advise/parameter_table.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::policy_space_test {
namespace {

PolicySpace space(const std::string& policy, const SpaceRequest& request = {}) {
  const auto made = space_of(parse_spec(policy).value(), request);
  REQUIRE(made);
  return made.value();
}

const Dimension* dimension(const PolicySpace& space, const std::string& name) {
  for (const Dimension& one : space.dimensions) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<std::string> texts(const PolicySpace& space) {
  std::vector<std::string> all;
  for (const Point& point : coarse_points(space)) all.push_back(spec_text(spec_at(space, point)));
  return all;
}

TEST_CASE("every row of the table is a parameter of its family, and every value is taken") {
  for (const SearchedParameter& row : searched_parameters()) {
    if (row.family == kEveryFamily) continue;
    INFO(row.family << " " << row.name);
    const auto family = policy_family(row.family);
    REQUIRE(family);
    REQUIRE(std::any_of(family->options.begin(), family->options.end(),
                        [&](const OptionInfo& one) { return one.name == row.name; }));
    if (row.kind == LadderKind::kBuffers) continue;
    for (const std::string& value : row.ladder) {
      INFO(value);
      const Spec spec{std::string(row.family), {{std::string(row.name), value}}};
      REQUIRE(policy_of_spec(spec));
    }
  }
}

TEST_CASE("every policy that is searched by default exists, and has something to vary") {
  for (const std::string_view name : usual_policies()) {
    INFO(name);
    REQUIRE_FALSE(space(std::string(name)).dimensions.empty());
  }
}

TEST_CASE("a space has the policy as it is first, then what differs least") {
  const PolicySpace tiered = space("tiered");
  REQUIRE(texts(tiered) == std::vector<std::string>{"tiered", "tiered:size_ratio=2",
                                                    "tiered:size_ratio=4", "tiered:size_ratio=8"});
  REQUIRE(coarse_count(tiered) == 4);
  // The default, 10, has its place among the others.
  const Dimension& ratio = *dimension(tiered, "size_ratio");
  REQUIRE(ratio.values[ratio.base - 1].text == "8");
  REQUIRE(ratio.values[ratio.base + 1].text == "12");
  REQUIRE(value_text(ratio.values[ratio.base]) == "10 as it is");
}

TEST_CASE("neighbours are one place away, and all others where values have no order") {
  const PolicySpace tiered = space("tiered");
  const Dimension& ratio = *dimension(tiered, "size_ratio");
  REQUIRE(neighbours(tiered, base_point(tiered)) ==
          std::vector<Point>{{ratio.base - 1}, {ratio.base + 1}});
  REQUIRE(neighbours(tiered, {0}) == std::vector<Point>{{1}});
  SpaceRequest request;
  request.varied = {
      parse_varied("priority=by-compensated-size,round-robin,min-overlapping-ratio").value()};
  request.fixed = {"size_ratio", "l0_trigger", "level_base", "file_size", "dynamic_levels"};
  const PolicySpace named = space("rocksdb-leveled", request);
  REQUIRE(named.dimensions.size() == 1);
  REQUIRE(neighbours(named, {0}) == std::vector<Point>{{1}, {2}});
}

TEST_CASE("what the user states is not varied, and the values of --vary are the only ones") {
  SpaceRequest request;
  request.fixed = {"size_ratio"};
  const PolicySpace fixed = space("rocksdb-leveled:size_ratio=4", request);
  REQUIRE(dimension(fixed, "size_ratio") == nullptr);
  REQUIRE(dimension(fixed, "l0_trigger") != nullptr);
  request = {};
  request.varied = {parse_varied("size_ratio=3,7").value()};
  const PolicySpace varied = space("tiered", request);
  REQUIRE(texts(varied) == std::vector<std::string>{"tiered:size_ratio=3", "tiered:size_ratio=7"});
  request.varied = {parse_varied("size_ratio=3,1").value()};
  const auto refused = space_of(parse_spec("tiered").value(), request);
  REQUIRE_FALSE(refused);
  REQUIRE(refused.error().message.starts_with("--vary size_ratio: "));
}

TEST_CASE("times are ordered by their length, and not among counts") {
  SpaceRequest request;
  request.workload.name = "load";
  request.workload.rate = OperationRate(100);
  request.fixed = {"size_ratio", "l0_trigger",     "level_base",
                   "file_size",  "dynamic_levels", "priority"};
  request.varied = {parse_varied("ttl=2h,5min,1d").value()};
  const PolicySpace times = space("rocksdb-leveled:ttl=120min", request);
  REQUIRE(texts(times) == std::vector<std::string>{"rocksdb-leveled:ttl=2h",
                                                   "rocksdb-leveled:ttl=5min",
                                                   "rocksdb-leveled:ttl=1d"});
  REQUIRE(neighbours(times, base_point(times)).size() == 2);
  request.varied = {parse_varied("ttl=2h,400000").value()};
  REQUIRE_FALSE(dimension(space("rocksdb-leveled", request), "ttl")->is_ordered);
  request.workload.rate.reset();
  const auto refused = space_of(parse_spec("rocksdb-leveled").value(), request);
  REQUIRE(refused.error().message.find("--vary ttl: policy 'rocksdb-leveled': ttl=2h: is a time") ==
          0);
}

TEST_CASE("sizes of levels follow the memtable that a candidate has") {
  SpaceRequest request;
  request.varied = {parse_varied("buffer=1MiB,16MiB").value()};
  request.fixed = {"size_ratio", "l0_trigger", "file_size", "dynamic_levels", "priority"};
  const std::vector<std::string> all = texts(space("rocksdb-leveled", request));
  const auto has = [&](const char* text) { return std::count(all.begin(), all.end(), text) == 1; };
  REQUIRE(has("rocksdb-leveled:buffer=1MiB,level_base=4MiB"));
  REQUIRE(has("rocksdb-leveled:buffer=16MiB,level_base=64MiB"));
}

TEST_CASE("a limit on memory makes values for the memtable, and filters count") {
  SpaceRequest request;
  request.memory = Bytes(64 << 20);
  request.is_filter_searched = true;
  const PolicySpace limited = space("tiered", request);
  const Dimension* buffer = dimension(limited, "buffer");
  REQUIRE(buffer != nullptr);
  for (const SearchedValue& value : buffer->values) {
    if (value.text.empty()) continue;
    REQUIRE(parse_bytes(value.text).value() <= request.memory->value());
  }
  REQUIRE(dimension(limited, "bits_per_key") != nullptr);
  REQUIRE(dimension(space("tiered"), "bits_per_key") == nullptr);
  StoreOptions store;
  store.buffer = Bytes(1000);
  store.bits_per_key = *Decimal::parse("10");
  REQUIRE(memory_of(store, 101).value() == 1000 + 127);
}

TEST_CASE("a parameter of --vary has a name and distinct values") {
  REQUIRE(parse_varied("a=1|2").value().values == std::vector<std::string>{"1", "2"});
  REQUIRE(parse_varied("compression=a,b|c").value().values == std::vector<std::string>{"a,b", "c"});
  for (const char* text : {"", "size_ratio", "=2,4", "size_ratio=", "size_ratio=2,,4", "k=2,2"}) {
    INFO(text);
    REQUIRE_FALSE(parse_varied(text));
  }
}

}  // namespace
}  // namespace lsmlab::policy_space_test
