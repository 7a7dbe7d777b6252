#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/base/quantity_text.h"
#include "models/base/spec.h"
#include "models/base/suggest.h"
#include "models/policies/registry.h"
#include "testing/catch.h"

namespace lsmlab::parsing_test {
namespace {

std::string fault_of(const std::string& policy) {
  const auto spec = parse_spec(policy);
  if (!spec) return spec.error().message;
  const auto made = make_policy(spec.value());
  return made ? "" : made.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("counts take decimal suffixes and nothing else") {
  REQUIRE(parse_count("10M").value() == 10'000'000);
  REQUIRE(parse_count("1.5k").value() == 1500);
  REQUIRE(parse_count("0").value() == 0);
  REQUIRE(parse_count("18446744073709551615").value() == ~std::uint64_t{0});
  for (const char* bad :
       {"", "-1", "abc", "1.", ".5", "1..2", "1e6", "10MiB", "1.5", "18446744073709551616",
        "99999999999999999999999999999999999999999999", "20000000000G", " 1", "1.01"}) {
    INFO(bad);
    REQUIRE(!parse_count(bad).has_value());
  }
}

TEST_CASE("bytes take decimal and binary suffixes") {
  REQUIRE(parse_bytes("8MiB").value() == 8u << 20);
  REQUIRE(parse_bytes("1.25KiB").value() == 1280);
  REQUIRE(parse_bytes("2MB").value() == 2'000'000);
  REQUIRE(parse_bytes("17B").value() == 17);
  for (const char* text : {"0", "17", "1KiB", "1023KiB", "8MiB", "3GiB", "1000"}) {
    REQUIRE(typed_bytes_text(parse_bytes(text).value()) == text);
  }
  REQUIRE(parse_bytes("3.2MiB").value() == 3'355'443);  // rounded to whole bytes
  REQUIRE(parse_bytes("0.0005KiB").value() == 1);
  REQUIRE(!parse_bytes("1.5").has_value());
  REQUIRE(!parse_bytes("1.5B").has_value());
  REQUIRE(parse_bytes("17179869183.9999999999GiB").has_value() == false);
  REQUIRE(contains(parse_bytes("8mb").error().message, "MiB"));
  REQUIRE(contains(parse_bytes("-8").error().message, "negative"));
}

TEST_CASE("sizes read well") {
  REQUIRE(bytes_text(0) == "0 B");
  REQUIRE(bytes_text(8u << 20) == "8 MiB");
  REQUIRE(bytes_text(1536) == "1.50 KiB");
  REQUIRE(grouped_text(1234567) == "1,234,567");
  REQUIRE(counted_text(1, "file") == "1 file");
  REQUIRE(counted_text(1000, "file") == "1,000 files");
  REQUIRE(counted_text(0, "flush", "flushes") == "0 flushes");
  REQUIRE(counted_text(1, "flush", "flushes") == "1 flush");
  REQUIRE(uint128_text(Uint128{1} << 100) == "1267650600228229401496703205376");
}

TEST_CASE("decimals are exact") {
  const Decimal lambda = *Decimal::parse("1.2");
  REQUIRE(lambda.numerator() == 6);
  REQUIRE(lambda.denominator() == 5);
  REQUIRE(lambda.text() == "1.2");
  REQUIRE(Decimal::parse("70%")->text() == "0.7");
  REQUIRE(Decimal::parse("0.000000001")->denominator() == 1'000'000'000);
  REQUIRE(lambda.times_is_at_least(5, 6));
  REQUIRE(!lambda.times_is_at_least(5, 7));
  for (const char* bad :
       {"", "-1", "1.2.3", "1,2", "nan", "inf", "1e3", "0.0000000001", "5000000000"}) {
    INFO(bad);
    REQUIRE(!Decimal::parse(bad).has_value());
  }
}

TEST_CASE("specs split into name and parameters") {
  const Spec spec = parse_spec("exploring:k=6,lambda=1.2").value();
  REQUIRE(spec.name == "exploring");
  REQUIRE(spec.parameters == Parameters{{"k", "6"}, {"lambda", "1.2"}});
  for (const char* bad : {"", ":k=1", "a:", "a:k", "a:=1", "a:k=", "a:k=1,", "a:k=1,k=2"}) {
    INFO(bad);
    REQUIRE(!parse_spec(bad).has_value());
  }
}

TEST_CASE("a quoted text in a SPEC may have commas and bars, and needs no name") {
  const Spec spec = parse_spec(R"(b:"--a=x,y | z --b="q"",n=1|2,c="3,4")").value();
  REQUIRE(spec.parameters ==
          Parameters{{"line", R"(--a=x,y | z --b="q")"}, {"n", "1|2"}, {"c", "3,4"}});
  REQUIRE(spec_text(spec) == R"(b:line="--a=x,y | z --b=\"q\"",n=1|2,c="3,4")");
  REQUIRE(parse_spec(spec_text(spec)).value().parameters == spec.parameters);
  const auto specs = expand_lists(spec).value();
  REQUIRE(specs.size() == 2);
  REQUIRE(specs[1].parameters[0] == spec.parameters[0]);
  REQUIRE(specs[1].parameters[1].second == "2");
  REQUIRE(spec_text(specs[1]) == R"(b:line="--a=x,y | z --b=\"q\"",n=2,c="3,4")");
  const Spec bare = parse_spec("b:--a=x,y --c=1,").value();
  REQUIRE(bare.parameters == Parameters{{"line", "--a=x,y --c=1,"}});
  const Spec program = parse_spec("b:./tool --a=x,y --c=1,").value();
  REQUIRE(program.parameters == Parameters{{"line", "./tool --a=x,y --c=1,"}});
  for (const char* bad :
       {"b:\"", "b:\"\"", "b:\"x", "b:k=\"x", "b:k=\"\"", "b:\"x\",", "b:\"x\",line=2"}) {
    INFO(bad);
    REQUIRE(!parse_spec(bad).has_value());
  }
}

TEST_CASE("a pasted command line may begin with variables, and one of db_bench needs no name") {
  const std::string line = "LD_LIBRARY_PATH=/x:/y FOO=1 ./db_bench --benchmarks=fillseq,stats";
  for (const std::string& text : {line, "db_bench:" + line, "db_bench:\"" + line + '"'}) {
    INFO(text);
    const Spec spec = parse_spec(text).value();
    REQUIRE(spec.name == "db_bench");
    REQUIRE(spec.parameters == Parameters{{"line", line}});
    REQUIRE(parse_spec(spec_text(spec)).value().parameters == spec.parameters);
  }
  REQUIRE(parse_spec("time /opt/db_bench_8 --num=9").value().name == "db_bench");
  REQUIRE(parse_spec("a:k=db_bench -x").value().name == "a");
  REQUIRE(parse_spec("a:K=1").value().parameters == Parameters{{"K", "1"}});
}

TEST_CASE("a path may have colons, before parameters too") {
  REQUIRE(parse_spec("/x/a:b.trace").value().name == "/x/a:b.trace");
  const Spec spec = parse_spec("/x/a:b.trace:rate=20,path=/c:d").value();
  REQUIRE(spec.name == "/x/a:b.trace");
  REQUIRE(spec.parameters == Parameters{{"rate", "20"}, {"path", "/c:d"}});
  REQUIRE(parse_spec("/x/a.json:\"k=1\"").value().name == "/x/a.json");
  REQUIRE(contains(parse_spec("trace:/x/a:b.trace").error().message,
                   "expected key=value, or a path alone: '/x/a:b.trace'"));
  REQUIRE(!parse_spec("/x/a.json:").has_value());
}

TEST_CASE("lists of values become every combination, the last varying fastest") {
  const auto specs = expand_lists(parse_spec("p:a=1|2,b=x|y").value()).value();
  REQUIRE(specs.size() == 4);
  REQUIRE(specs[1].parameters == Parameters{{"a", "1"}, {"b", "y"}});
  REQUIRE(specs[2].parameters == Parameters{{"a", "2"}, {"b", "x"}});
  REQUIRE(specs[2].varied == std::vector<std::string>{"a", "b"});
  REQUIRE(expand_lists(parse_spec("p:a=1,b=x|y").value()).value()[0].varied ==
          std::vector<std::string>{"b"});
}

TEST_CASE("lists of values that stand for too many SPECs are refused") {
  std::string text = "p:";
  for (char key = 'a'; key <= 'j'; ++key)
    text += std::string(key == 'a' ? "" : ",") + key + "=1|2|3|4";
  const auto specs = expand_lists(parse_spec(text).value());
  REQUIRE(!specs.has_value());
  REQUIRE(contains(specs.error().message, "more than 100000"));
}

TEST_CASE("a name of a megabyte is refused by its beginning, at once") {
  const std::string name(1 << 20, 'b');
  const std::string fault = fault_of(name);
  REQUIRE(contains(fault, "unknown policy 'bbb"));
  REQUIRE(contains(fault, "(1048576 bytes)"));
  REQUIRE(fault.size() < 2000);
  REQUIRE(fault_of("binomial:" + name + "=3").size() < 2000);
  REQUIRE(fault_of("binomial:k=" + name).size() < 2000);
  REQUIRE(fault_of("constant:flush=" + name).size() < 2000);
}

TEST_CASE("unknown names get the nearest valid one") {
  REQUIRE(contains(fault_of("binomail:k=3"), "did you mean 'binomial'"));
  REQUIRE(contains(fault_of("zzz"), "expected one of"));
  REQUIRE(contains(fault_of("binomial:kk=3"), "did you mean 'k'"));
  REQUIRE(contains(fault_of("tiered:size_ration=3"), "did you mean 'size_ratio'"));
  REQUIRE(contains(fault_of("constant:flush=eagre"), "did you mean 'eager'"));
}

TEST_CASE("a part of a name gets the names that contain it") {
  REQUIRE(contains(fault_of("rocksdb"),
                   "one of 'rocksdb-fifo', 'rocksdb-leveled', "
                   "'rocksdb-universal'?"));
  REQUIRE(contains(fault_of("Universal"), "did you mean 'rocksdb-universal'?"));
  REQUIRE(contains(fault_of("zz"), "expected one of"));
  const std::vector<std::string> many{"a-lcs", "b-lcs", "c-lcs", "d-lcs",
                                      "e-lcs", "f-lcs", "g-lcs"};
  REQUIRE(contains(suggestion("lcs", many), "'f-lcs' and 1 more?"));
}

TEST_CASE("a value in another system's form gets the form that works") {
  const auto bytes = [](const char* text) { return parse_bytes(text).error().message; };
  const auto count = [](const char* text) { return parse_count(text).error().message; };
  REQUIRE(contains(count("1e6"), "; write 1M;"));
  REQUIRE(contains(count("2.5e3"), "; write 2.5k;"));
  REQUIRE(contains(count("5m"), "; write 5M;"));
  REQUIRE(contains(bytes("64mb"), "; write 64MB or 64MiB;"));
  REQUIRE(contains(bytes("64kb"), "; write 64KB or 64KiB;"));
  REQUIRE(contains(bytes("8mib"), "; write 8MiB;"));
  REQUIRE(!contains(bytes("8x"), "write"));
  REQUIRE(contains(fault_of("tiered:size_ratio=6.5"), "; write 6 or 7"));
  REQUIRE(!contains(fault_of("tiered:size_ratio=x"), "; write"));
  REQUIRE(contains(fault_of("rocksdb-leveled:dynamic_levels=1"), "did you mean 'true'?"));
  REQUIRE(contains(fault_of("rocksdb-leveled:dynamic_levels=off"), "did you mean 'false'?"));
  REQUIRE(contains(fault_of("rocksdb-leveled:dynamic_levels=7"), "expected true or false"));
  const auto listed = parse_spec("tiered:size_ratio=4,6,8");
  REQUIRE(contains(listed.error().message, "write 'size_ratio=4|6', in quotes"));
}

TEST_CASE("values out of range are refused with the range") {
  REQUIRE(contains(fault_of("binomial:k=0"), "expected 1..1024"));
  REQUIRE(contains(fault_of("binomial:k=-3"), "negative"));
  REQUIRE(contains(fault_of("binomial:k=99999999999999999999"), "larger than 2^64"));
  REQUIRE(contains(fault_of("exploring:lambda=-0.5"), "negative"));
  REQUIRE(contains(fault_of("tiered:size_ratio=1"), "expected 2..1024"));
  REQUIRE(contains(fault_of("exploring:lambda=x"), "not a decimal"));
}

TEST_CASE("every fault is named at once") {
  const std::string fault = fault_of("exploring:k=0,lambda=-1,what=3");
  REQUIRE(contains(fault, "k:"));
  REQUIRE(contains(fault, "lambda:"));
  REQUIRE(contains(fault, "'what'"));
}

TEST_CASE("values that do not go together are refused") {
  REQUIRE(contains(fault_of("exploring:min_files=5,max_files=4"), "above max_files"));
  REQUIRE(contains(fault_of("exploring:k=1"), "too few to merge"));
  REQUIRE(contains(fault_of("ratio-based:file_max=3"), "preset=accumulo only"));
  REQUIRE(contains(fault_of("ratio-based:preset=accumulo,min_files=4"), "preset=hbase only"));
  REQUIRE(contains(fault_of("ratio-based:preset=accumulo,ratio=0.5"), "below 1"));
}

TEST_CASE("every family can be made with its defaults, and lists what it takes") {
  for (const PolicyFamily& family : make_policy_families()) {
    INFO(family.name);
    REQUIRE(fault_of(family.name).empty());
    REQUIRE(!family.summary.empty());
    REQUIRE(!family.source.empty());
    for (const OptionInfo& option : family.options) REQUIRE(!option.meaning.empty());
  }
}

TEST_CASE("a label shows the options of the store that a list of values varies, and no others") {
  const auto labels = [](const std::string& text) {
    std::vector<std::string> all;
    const std::vector<Spec> specs = expand_lists(parse_spec(text).value()).value();
    for (const Spec& spec : specs) {
      all.push_back(make_policy(spec).value().label);
    }
    return all;
  };
  using Labels = std::vector<std::string>;
  REQUIRE(labels("binomial:k=4,buffer=8MiB") == Labels{"binomial k=4"});
  REQUIRE(labels("binomial:buffer=8MiB|32MiB,k=4,bits_per_key=10") ==
          Labels{"binomial k=4 buffer=8MiB", "binomial k=4 buffer=32MiB"});
  REQUIRE(labels("binomial:k=4|5,block_size=4KiB|8KiB")[2] == "binomial k=5 block_size=4KiB");
}

TEST_CASE("resolved options hold the defaults of the preset chosen") {
  const auto policy = make_policy(parse_spec("ratio-based:preset=accumulo").value());
  REQUIRE(policy.value().label == "ratio-based preset=accumulo");
  const ResolvedOptions& options = policy.value().options;
  const auto ratio = std::find_if(options.begin(), options.end(),
                                  [](const auto& o) { return o.first == "ratio"; });
  REQUIRE(option_value_text(ratio->second) == "3");
}

}  // namespace
}  // namespace lsmlab::parsing_test
