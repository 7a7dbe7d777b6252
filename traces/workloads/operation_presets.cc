// The presets of operation workloads. Sources: load is lsmlab's own; the others follow YCSB's core
// workloads, the LDC paper's Table III, Section 4 of the merge-policies paper, and Section 5 of the
// paper on the compaction design space.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

const CountRange kCountRange{1, std::uint64_t{1} << 40};
const CountRange kCountRangeFromZero{0, std::uint64_t{1} << 40};

struct Share {
  Action action;
  Decimal weight;
};

// The remaining share 1 - a - b. REQUIRES: a + b <= 1.
Decimal rest_of_one(const Decimal& a, const Decimal& b) {
  constexpr std::uint32_t kDenominator = 1'000'000'000;
  const auto nano = [](const Decimal& d) {
    return d.numerator() * (kDenominator / d.denominator());
  };
  return {static_cast<std::uint32_t>(kDenominator - nano(a) - nano(b)), kDenominator};
}

bool is_above_one(const Decimal& a, const Decimal& b) {
  return a.as_double() + b.as_double() > 1 + 1e-10;
}

Result<ActionCounts> divide(std::uint64_t operations, const std::vector<Share>& shares,
                            const std::optional<Decimal>& updates_per_insert = std::nullopt) {
  PerAction<Decimal> weights{{Decimal(0, 1), Decimal(0, 1), Decimal(0, 1), Decimal(0, 1),
                              Decimal(0, 1), Decimal(0, 1), Decimal(0, 1)}};
  for (const Share& share : shares) weights[share.action] = share.weight;
  return divide_actions(operations, weights, updates_per_insert);
}

std::vector<std::pair<std::string, InsertKeyKind>> insert_choices() {
  return {{"uniform", InsertKeyKind::kUniform},
          {"sequential", InsertKeyKind::kSequential},
          {"normal", InsertKeyKind::kNormal},
          {"prefix-zipf", InsertKeyKind::kPrefixZipf},
          {"near-sorted", InsertKeyKind::kNearSorted}};
}

AccessKeys access_keys(AccessKeyKind kind, const Decimal& zipf_exponent) {
  AccessKeys keys;
  keys.kind = kind;
  if (kind == AccessKeyKind::kZipfian || kind == AccessKeyKind::kLatest) {
    keys.zipf_exponent = zipf_exponent;
  }
  return keys;
}

SizeDistribution constant_of(Bytes bytes) { return SizeDistribution::constant(bytes.value()); }

void declare_sizes(OptionTable& table, Bytes& key_bytes, Bytes& value_bytes) {
  table.bytes("key_bytes", key_bytes, kKeyBytesRange, "size of every key");
  table.bytes("value_bytes", value_bytes, kValueBytesRange, "size of every value");
}

// Writes only: the preset load, and the runs of the merge-policies paper.
struct LoadOptions {
  std::uint64_t records = 0;
  std::uint64_t entries = 10'000'000;
  Bytes key_bytes{16};
  Bytes value_bytes{112};
  InsertKeyKind insert_distribution = InsertKeyKind::kUniform;
  Decimal update_fraction{0, 1};
  Decimal delete_fraction{0, 1};
  AccessKeyKind update_distribution = AccessKeyKind::kUniform;
  Decimal zipf_exponent{99, 100};

  void declare(OptionTable& table) {
    table.count("records", records, kCountRangeFromZero, "records",
                "number of records that are inserted first, in a phase of their own");
    table.count("entries", entries, kCountRange, "operations",
                "number of inserts, updates and deletes together, after these records");
    declare_sizes(table, key_bytes, value_bytes);
    table.choice<InsertKeyKind>("insert_distribution", insert_distribution, insert_choices(),
                                "order and density of inserted keys");
    table.decimal("update_fraction", update_fraction, "0", "1",
                  "share of these operations that put an existing key; 1: every write overwrites");
    table.decimal("delete_fraction", delete_fraction, "0", "1",
                  "share of these operations that delete an existing key, drawn uniformly");
    table.choice<AccessKeyKind>("update_distribution", update_distribution,
                                {{"uniform", AccessKeyKind::kUniform},
                                 {"zipfian", AccessKeyKind::kZipfian},
                                 {"latest", AccessKeyKind::kLatest}},
                                "which existing keys are updated");
    table.decimal("zipf_exponent", zipf_exponent, "0.01", "10",
                  "Zipf exponent of zipfian and latest updates");
  }
  [[nodiscard]] Result<OperationWorkload> make() const {
    if (is_above_one(update_fraction, delete_fraction)) {
      return input_error("update_fraction plus delete_fraction is above 1");
    }
    OperationWorkload workload;
    workload.key_bytes = constant_of(key_bytes);
    Phase phase;
    auto actions = BOOST_OUTCOME_TRYX(
        divide(entries, {{Action::kInsert, rest_of_one(update_fraction, delete_fraction)},
                         {Action::kUpdate, update_fraction},
                         {Action::kDelete, delete_fraction}}));
    phase.actions = actions;
    phase.insert_keys.kind = insert_distribution;
    phase.update_keys = access_keys(update_distribution, zipf_exponent);
    phase.value_bytes = constant_of(value_bytes);
    if (records > 0) {
      Phase load;
      load.actions[Action::kInsert] = records;
      load.insert_keys = phase.insert_keys;
      load.value_bytes = phase.value_bytes;
      workload.phases.push_back(load);
    }
    workload.phases.push_back(phase);
    return workload;
  }
};

// YCSB: inserts `records` keys, then runs a mix. Keys are hashed, so YCSB's scrambled zipfian is
// `zipfian` here. An update writes the whole record, as YCSB's bindings of key-value stores do.
struct YcsbOptions {
  char letter = 'a';
  std::uint64_t records = 1000;
  std::uint64_t operations = 1000;
  Bytes key_bytes{24};  // "user" and up to 20 digits
  Bytes value_bytes{1000};
  Decimal zipf_exponent{99, 100};

  void declare(OptionTable& table) {
    table.count("records", records, kCountRange, "records",
                "number of records that are inserted first");
    table.count("operations", operations, kCountRange, "operations",
                "number of operations after loading; a read-modify-write counts once");
    declare_sizes(table, key_bytes, value_bytes);
    table.decimal("zipf_exponent", zipf_exponent, "0.01", "10",
                  "Zipf exponent of reads and updates");
  }
  [[nodiscard]] std::vector<Share> shares() const {
    const Decimal half(1, 2);
    const Decimal most(19, 20);
    const Decimal few(1, 20);
    switch (letter) {
      case 'a':
        return {{Action::kGetPresent, half}, {Action::kUpdate, half}};
      case 'b':
        return {{Action::kGetPresent, most}, {Action::kUpdate, few}};
      case 'c':
        return {{Action::kGetPresent, Decimal(1, 1)}};
      case 'd':
        return {{Action::kGetPresent, most}, {Action::kInsert, few}};
      case 'e':
        return {{Action::kScan, most}, {Action::kInsert, few}};
      default:
        return {{Action::kGetPresent, half}, {Action::kReadModifyWrite, half}};
    }
  }
  [[nodiscard]] Result<OperationWorkload> make() const {
    OperationWorkload workload;
    workload.key_bytes = constant_of(key_bytes);
    Phase load;
    load.actions[Action::kInsert] = records;
    load.value_bytes = constant_of(value_bytes);
    Phase mix;
    auto actions = BOOST_OUTCOME_TRYX(divide(operations, shares()));
    mix.actions = actions;
    mix.value_bytes = load.value_bytes;
    mix.lookup_keys = access_keys(letter == 'd' ? AccessKeyKind::kLatest : AccessKeyKind::kZipfian,
                                  zipf_exponent);
    mix.update_keys = access_keys(AccessKeyKind::kZipfian, zipf_exponent);
    if (actions[Action::kScan] != 0) mix.scan_entries = SizeDistribution::uniform(1, 100);
    workload.phases = {load, mix};
    return workload;
  }
};

// The LDC paper: inserts of new keys, mixed with lookups or scans.
struct LdcOptions {
  Decimal write_fraction{1, 1};
  bool has_scans = false;
  std::uint64_t records = 0;
  std::uint64_t operations = 10'000'000;
  Bytes key_bytes{16};
  Bytes value_bytes{1024};
  AccessKeyKind lookup_distribution = AccessKeyKind::kUniform;
  Decimal zipf_exponent{1, 1};

  void declare(OptionTable& table) {
    table.count("records", records, kCountRangeFromZero, "records",
                "number of records that are inserted first");
    table.count("operations", operations, kCountRange, "operations",
                "number of operations after loading");
    declare_sizes(table, key_bytes, value_bytes);
    table.choice<AccessKeyKind>(
        "lookup_distribution", lookup_distribution,
        {{"uniform", AccessKeyKind::kUniform}, {"zipfian", AccessKeyKind::kZipfian}},
        "which existing keys are read");
    table.decimal("zipf_exponent", zipf_exponent, "0.01", "10", "Zipf exponent of zipfian lookups");
  }
  [[nodiscard]] Result<OperationWorkload> make() const {
    OperationWorkload workload;
    workload.key_bytes = constant_of(key_bytes);
    if (records != 0) {
      Phase load;
      load.actions[Action::kInsert] = records;
      load.value_bytes = constant_of(value_bytes);
      workload.phases.push_back(load);
    }
    Phase mix;
    auto actions =
        BOOST_OUTCOME_TRYX(divide(operations, {{Action::kInsert, write_fraction},
                                               {has_scans ? Action::kScan : Action::kGetPresent,
                                                rest_of_one(write_fraction, Decimal(0, 1))}}));
    mix.actions = actions;
    mix.value_bytes = constant_of(value_bytes);
    mix.lookup_keys = access_keys(lookup_distribution, zipf_exponent);
    // Source: "each of which covers 100 key-value pairs on average".
    if (actions[Action::kScan] != 0) mix.scan_entries = SizeDistribution::uniform(1, 199);
    workload.phases.push_back(mix);
    return workload;
  }
};

// The design-space paper: ingestion, with lookups during or after it, then scans.
struct DesignSpaceOptions {
  bool is_serial = true;  // lookups run after the ingestion, not interleaved
  std::uint64_t entries = 10'000'000;
  Bytes key_bytes{4};
  Bytes value_bytes{124};
  InsertKeyKind insert_distribution = InsertKeyKind::kUniform;
  Decimal updates_per_insert{0, 1};
  Decimal delete_fraction{0, 1};
  std::uint64_t lookups = 0;
  Decimal empty_fraction{0, 1};
  AccessKeyKind lookup_distribution = AccessKeyKind::kUniform;
  std::uint64_t scans = 0;
  Decimal scan_selectivity{1, 1000};

  void declare(OptionTable& table) {
    table.count("entries", entries, kCountRange, "operations",
                "number of inserts, updates and deletes together");
    declare_sizes(table, key_bytes, value_bytes);
    table.choice<InsertKeyKind>("insert_distribution", insert_distribution, insert_choices(),
                                "order and density of inserted keys");
    table.decimal("updates_per_insert", updates_per_insert, "0", "1000",
                  "updates per insert; their keys are drawn uniformly");
    table.decimal("delete_fraction", delete_fraction, "0", "0.5",
                  "share of the entries that delete an existing key");
    table.count("lookups", lookups, kCountRangeFromZero, "operations", "number of point lookups");
    table.decimal("empty_fraction", empty_fraction, "0", "1",
                  "share of the lookups that ask for absent keys (the paper's alpha)");
    table.choice<AccessKeyKind>("lookup_distribution", lookup_distribution,
                                {{"uniform", AccessKeyKind::kUniform},
                                 {"normal", AccessKeyKind::kNormal},
                                 {"zipfian", AccessKeyKind::kZipfian}},
                                "which existing keys are read");
    table.count("scans", scans, kCountRangeFromZero, "operations",
                "number of range lookups, which come last");
    table.decimal("scan_selectivity", scan_selectivity, "0", "1",
                  "share of the key domain that a scan covers");
  }
  [[nodiscard]] Result<OperationWorkload> make() const {
    OperationWorkload workload;
    workload.key_bytes = constant_of(key_bytes);
    Phase phase;
    phase.insert_keys.kind = insert_distribution;
    phase.value_bytes = constant_of(value_bytes);
    // The paper's Zipfian has an exponent of 1. Its normal distribution has a deviation of 34 %,
    // which is the default here.
    phase.lookup_keys = access_keys(lookup_distribution, Decimal(1, 1));
    auto split = BOOST_OUTCOME_TRYX(
        divide(entries, {{Action::kDelete, delete_fraction},
                         {Action::kInsert, rest_of_one(delete_fraction, Decimal(0, 1))}}));
    auto writes = BOOST_OUTCOME_TRYX(
        divide(split[Action::kInsert], {{Action::kInsert, Decimal(1, 1)}}, updates_per_insert));
    auto reads = BOOST_OUTCOME_TRYX(
        divide(lookups, {{Action::kGetAbsent, empty_fraction},
                         {Action::kGetPresent, rest_of_one(empty_fraction, Decimal(0, 1))}}));
    phase.actions[Action::kInsert] = writes[Action::kInsert];
    phase.actions[Action::kUpdate] = writes[Action::kUpdate];
    phase.actions[Action::kDelete] = split[Action::kDelete];
    Phase lookup_phase = phase;
    Phase& read_phase = is_serial ? lookup_phase : phase;
    if (is_serial) lookup_phase.actions = {};
    read_phase.actions[Action::kGetAbsent] = reads[Action::kGetAbsent];
    read_phase.actions[Action::kGetPresent] = reads[Action::kGetPresent];
    workload.phases.push_back(phase);
    if (is_serial && lookups != 0) workload.phases.push_back(lookup_phase);
    if (scans != 0) {
      phase.actions = {};
      phase.actions[Action::kScan] = scans;
      phase.scan_selectivity = scan_selectivity;
      workload.phases.push_back(phase);
    }
    return workload;
  }
};

// The delete-aware thesis, Section 4.1: lookups, overwrites and deletes of uniform keys, after
// loading. The thesis does not say how many operations there are, nor how many of them read.
struct DeleteAwareOptions {
  std::uint64_t records = 500'000'000;
  std::uint64_t operations = 100'000'000;
  Decimal read_fraction{1, 2};
  Decimal delete_fraction{1, 20};
  Bytes key_bytes{128};
  Bytes value_bytes{896};

  void declare(OptionTable& table) {
    table.count("records", records, kCountRange, "records",
                "number of records that are inserted first");
    table.count("operations", operations, kCountRange, "operations",
                "number of operations after loading");
    table.decimal("read_fraction", read_fraction, "0", "1",
                  "share of these operations that look an existing key up");
    table.decimal("delete_fraction", delete_fraction, "0", "1",
                  "share of these operations that delete an existing key; the rest are updates");
    declare_sizes(table, key_bytes, value_bytes);
  }
  [[nodiscard]] Result<OperationWorkload> make() const {
    if (is_above_one(read_fraction, delete_fraction)) {
      return input_error("read_fraction plus delete_fraction is above 1");
    }
    OperationWorkload workload;
    workload.key_bytes = constant_of(key_bytes);
    Phase load;
    load.actions[Action::kInsert] = records;
    load.value_bytes = constant_of(value_bytes);
    Phase mix;
    auto actions = BOOST_OUTCOME_TRYX(
        divide(operations, {{Action::kGetPresent, read_fraction},
                            {Action::kDelete, delete_fraction},
                            {Action::kUpdate, rest_of_one(read_fraction, delete_fraction)}}));
    mix.actions = actions;
    mix.value_bytes = load.value_bytes;
    workload.phases = {load, mix};
    return workload;
  }
};

struct Preset {
  OperationPreset listing;
  std::function<Result<OperationWorkload>(const Parameters&)> make;
};

template <class Options>
Preset preset_of(std::string name, std::string summary, const Options& defaults) {
  Options listed = defaults;
  OptionTable listing;
  listed.declare(listing);
  auto make = [defaults](const Parameters& parameters) -> Result<OperationWorkload> {
    Options options = defaults;
    OptionTable table;
    options.declare(table);
    BOOST_OUTCOME_TRYV(table.assign(parameters));
    auto workload = BOOST_OUTCOME_TRYX(options.make());
    workload.options = table.values();
    return workload;
  };
  return {{std::move(name), std::move(summary), listing.describe()}, std::move(make)};
}

void add_ldc(std::vector<Preset>& presets) {
  struct Mix {
    const char* name;
    const char* what;
    Decimal writes;
  };
  const std::vector<Mix> mixes{{"wh", "write-heavy, 70% inserts", Decimal(7, 10)},
                               {"rwb", "read/write balanced, 50% inserts", Decimal(1, 2)},
                               {"rh", "read-heavy, 30% inserts", Decimal(3, 10)}};
  LdcOptions options;
  presets.push_back(preset_of("ldc-wo", "LDC paper, Table III: write-only", options));
  for (const Mix& mix : mixes) {
    options.write_fraction = mix.writes;
    options.has_scans = false;
    presets.push_back(preset_of(fmt::format("ldc-{}", mix.name),
                                fmt::format("LDC paper, Table III: {}, lookups", mix.what),
                                options));
    options.has_scans = true;
    presets.push_back(preset_of(fmt::format("ldc-scn-{}", mix.name),
                                fmt::format("LDC paper, Table III: {}, scans", mix.what), options));
  }
  options.write_fraction = Decimal(0, 1);
  options.has_scans = false;
  options.records = options.operations;
  presets.push_back(preset_of("ldc-ro", "LDC paper, Table III: read-only", options));
}

void add_merge_policies(std::vector<Preset>& presets) {
  LoadOptions options;
  options.entries = 80'000'000;
  options.key_bytes = Bytes(23);
  options.value_bytes = Bytes(1000);
  presets.push_back(preset_of("merge-policies-load",
                              "merge-policies paper, Section 4: 80 million inserts", options));
  options.entries = 120'000'000;
  options.update_fraction = Decimal(7, 10);
  options.update_distribution = AccessKeyKind::kLatest;
  presets.push_back(preset_of("merge-policies-updates",
                              "merge-policies paper, Section 4: 70% updates of latest keys",
                              options));
}

void add_design_space(std::vector<Preset>& presets) {
  const auto add = [&presets](const char* name, const char* what, DesignSpaceOptions options) {
    presets.push_back(preset_of(fmt::format("design-space-{}", name),
                                fmt::format("design-space paper, Section 5{}", what), options));
  };
  DesignSpaceOptions options;
  add("base", ".1.1: inserts", options);
  add("ingestion-count", ".2.5: vary entries", options);
  add("entry-size", ".2.6: vary value_bytes from 4 to 1020", options);
  options.delete_fraction = Decimal(1, 20);
  add("deletes", ".2.4: vary delete_fraction from 2% to 10%", options);
  options.delete_fraction = Decimal(0, 1);
  options.lookups = 1'000'000;
  options.scans = 1000;
  add("queries", ".1.2: vary empty_fraction and scan_selectivity after loading", options);
  options.scans = 0;
  options.is_serial = false;
  add("interleaved", ".1.3: vary empty_fraction, lookups between inserts", options);
  options.insert_distribution = InsertKeyKind::kPrefixZipf;
  add("insert-distribution", ".2.1: vary insert_distribution", options);
  options.insert_distribution = InsertKeyKind::kUniform;
  options.lookup_distribution = AccessKeyKind::kZipfian;
  add("lookup-distribution", ".2.2: vary lookup_distribution", options);
  options.lookup_distribution = AccessKeyKind::kUniform;
  options.updates_per_insert = Decimal(1, 1);
  add("updates", ".2.3: vary updates_per_insert from 0 to 8", options);
}

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  presets.push_back(
      preset_of("load", "inserts, optionally mixed with updates and deletes", LoadOptions()));
  const std::vector<std::string> mixes{
      "50% reads, 50% updates",       "95% reads, 5% updates",       "reads",
      "95% reads of latest, inserts", "95% short scans, 5% inserts", "50% read-modify-writes"};
  for (std::size_t m = 0; m < mixes.size(); ++m) {
    YcsbOptions options;
    options.letter = static_cast<char>('a' + m);
    presets.push_back(preset_of(fmt::format("ycsb-{}", options.letter),
                                fmt::format("YCSB: {}, after loading", mixes[m]), options));
  }
  presets.push_back(preset_of("delete-aware",
                              "delete-aware thesis, Section 4.1: vary delete_fraction from 0 to "
                              "10%, after loading 500 GB",
                              DeleteAwareOptions()));
  add_ldc(presets);
  add_merge_policies(presets);
  add_design_space(presets);
  return presets;
}

}  // namespace

std::vector<OperationPreset> operation_presets() {
  std::vector<OperationPreset> listings;
  for (const Preset& preset : make_presets()) listings.push_back(preset.listing);
  return listings;
}

Result<OperationWorkload> make_operation_workload(const Spec& spec) {
  const std::vector<Preset> presets = make_presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const Preset& p) { return p.listing.name == spec.name; });
  if (found == presets.end()) {
    std::vector<std::string> names;
    for (const Preset& preset : presets) names.push_back(preset.listing.name);
    return input_error(
        fmt::format("unknown workload '{}'{}", excerpt(spec.name), suggestion(spec.name, names)));
  }
  const std::string subject = fmt::format("workload '{}'", spec.name);
  Result<OperationWorkload> made = found->make(spec.parameters);
  if (!made) return in_context(subject, made.error());
  made.value().name = spec.name;
  if (const auto faults = made.value().validate(); !faults.empty()) {
    return in_context(subject, input_error(fmt::format("{}", fmt::join(faults, "; "))));
  }
  return made;
}

}  // namespace lsmlab
