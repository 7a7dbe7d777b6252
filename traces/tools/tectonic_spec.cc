#include "traces/tools/tectonic_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "traces/tools/tectonic_group.h"

namespace lsmlab::tools {
namespace {

using DocumentJson = nlohmann::ordered_json;

// Adds up the phases of a spec, group by group.
class SpecMapping {
 public:
  [[nodiscard]] Result<void> add_section(const std::string& place, const DocumentJson& json,
                                         TectonicDefaults defaults);
  [[nodiscard]] Result<TectonicWorkload> finish();

 private:
  // Keys of the section that are alive before and after a group.
  struct Keys {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t earlier = 0;  // live keys of earlier sections
    [[nodiscard]] std::uint64_t most() const { return std::max({begin, end, std::uint64_t{1}}); }
    [[nodiscard]] double mean() const {
      return (static_cast<double>(begin) + static_cast<double>(end)) / 2;
    }
  };

  [[nodiscard]] Result<void> add_group(const TectonicGroup& group);
  [[nodiscard]] Result<void> refuse_impossible(const TectonicGroup& group) const;
  [[nodiscard]] Result<void> check_repeats(const TectonicGroup& group) const;
  [[nodiscard]] Result<void> take_inserts(const TectonicGroup& group, Phase& phase);
  [[nodiscard]] Result<void> take_deletes(const TectonicGroup& group, Phase& phase);
  [[nodiscard]] Result<void> take_reads(const TectonicGroup& group, const Keys& keys, Phase& phase);
  [[nodiscard]] Result<void> take_scan_length(const TectonicOperation& scans, const Keys& keys,
                                              Phase& phase) const;
  void take_values(const TectonicGroup& group, Phase& phase);
  void note_absent_keys(const TectonicOperation& operation);
  // The keys of two operations that lsmlab draws alike.
  [[nodiscard]] Result<AccessKeys> common_keys(const TectonicOperation* first,
                                               const TectonicOperation* second, const Keys& keys);
  [[nodiscard]] Result<AccessKeys> selected_keys(const TectonicOperation& operation,
                                                 const Keys& keys);
  void note(const std::string& place, const std::string& text);

  OperationWorkload workload_;
  std::vector<std::string> notes_;
  std::set<std::string> noted_;
  std::vector<std::pair<TextExpression, std::uint64_t>> keys_inserted_;
  std::string key_text_;  // the expression of the first inserts' keys
  std::string first_constant_;
  bool has_sorted_keys_ = false;
  std::uint64_t earlier_ = 0;
  std::uint64_t live_ = 0;
};

Error refused_part(const std::string& place, const std::string& reason) {
  return input_error(fmt::format("{}: {}", place, reason));
}

// A scan of lsmlab returns at least the key that it begins at.
SizeDistribution at_least_one(SizeDistribution sizes) {
  for (std::optional<std::uint64_t>* one : {&sizes.size, &sizes.min, &sizes.max}) {
    if (*one) *one = std::max<std::uint64_t>(1, **one);
  }
  for (WeightedSize& each : sizes.sizes) each.size = std::max<std::uint64_t>(1, each.size);
  return sizes;
}

void SpecMapping::note(const std::string& place, const std::string& text) {
  if (noted_.insert(text).second) notes_.push_back(fmt::format("{}: {}", place, text));
}

Result<void> SpecMapping::add_section(const std::string& place, const DocumentJson& json,
                                      TectonicDefaults defaults) {
  BOOST_OUTCOME_TRYV(check_spec_members(
      place, json,
      {"groups", "character_set", "defaults", "default_distributions", "skip_key_contains_check",
       "name", "description", "enable_granular_stats", "save_stats", "flush_stats"}));
  BOOST_OUTCOME_TRYV(take_tectonic_defaults(place, json, defaults));
  const DocumentJson* groups = spec_member(json, "groups");
  if (groups == nullptr || !groups->is_array()) {
    return refused_part(place + ".groups", "expected a list of groups");
  }
  earlier_ += live_;
  live_ = 0;
  for (std::size_t g = 0; g < groups->size(); ++g) {
    const TectonicGroup group = BOOST_OUTCOME_TRYX(
        read_tectonic_group(fmt::format("{}.groups[{}]", place, g), (*groups)[g], defaults));
    BOOST_OUTCOME_TRYV(add_group(group));
  }
  return success();
}

Result<void> SpecMapping::refuse_impossible(const TectonicGroup& group) const {
  constexpr std::pair<const char*, const char*> kReasons[] = {
      {"empty_point_deletes", "lsmlab deletes only keys that exist"},
      {"blind_point_deletes", "lsmlab deletes only keys that exist"},
      {"blind_range_queries", "lsmlab's scans begin at keys that exist"}};
  for (const auto& [name, reason] : kReasons) {
    if (group.find(name) != nullptr) return refused_part(group.find(name)->place, reason);
  }
  const std::uint64_t inserts = group.count("inserts") + group.count("unique_inserts");
  const bool has_operations =
      std::any_of(group.operations.begin(), group.operations.end(),
                  [](const auto& operation) { return operation.second.count > 0; });
  if (has_operations && live_ + inserts == 0) {
    return refused_part(group.place,
                        "has operations, but its section has no keys; insert some first");
  }
  if (group.sorted && inserts == 0)
    return refused_part(group.place + ".sorted", "there are no inserts");
  if (inserts > 0 && has_sorted_keys_) {
    return refused_part(group.place,
                        "has inserts after sorted ones; lsmlab would put their keys behind those");
  }
  if (group.sorted && live_ + earlier_ > 0) {
    return refused_part(
        group.place + ".sorted",
        "there are inserts before; lsmlab would put their keys behind the sorted ones");
  }
  return success();
}

// lsmlab inserts only new keys.
Result<void> SpecMapping::check_repeats(const TectonicGroup& group) const {
  constexpr double kRepeatsMax = 0.01;
  if (const TectonicOperation* inserts = group.find("inserts")) {
    const double others = static_cast<double>(live_) + static_cast<double>(inserts->count) / 2;
    const double repeats = std::min(1.0, others * inserts->key->repeat_chance);
    if (repeats > kRepeatsMax && inserts->count > 1) {
      return refused_part(
          inserts->place + ".key",
          fmt::format("about {:.0f} % of the inserts repeat a key; lsmlab's inserts have "
                      "new keys, so write fewer inserts and updates for the others",
                      repeats * 100));
    }
  }
  if (const TectonicOperation* inserts = group.find("unique_inserts")) {
    const double all = static_cast<double>(live_ + inserts->count);
    if (all * inserts->key->repeat_chance > 1 && inserts->count > 1) {
      return refused_part(inserts->place + ".key",
                          "draws fewer different texts than there are inserts");
    }
  }
  return success();
}

Result<void> SpecMapping::take_inserts(const TectonicGroup& group, Phase& phase) {
  BOOST_OUTCOME_TRYV(check_repeats(group));
  for (const char* name : {"inserts", "unique_inserts"}) {
    const TectonicOperation* inserts = group.find(name);
    if (inserts == nullptr) continue;
    if (key_text_.empty()) {
      key_text_ = inserts->key_text;
      first_constant_ = inserts->key->first_constant;
    }
    if (inserts->key->first_constant != first_constant_) {
      return refused_part(
          inserts->place + ".key",
          "begins with another text than the keys before; lsmlab inserts all keys into "
          "one range");
    }
    if (inserts->key_text != key_text_) {
      note(inserts->place + ".key", "these keys lie among the others, in the same range");
    }
    keys_inserted_.emplace_back(*inserts->key, inserts->count);
    phase.actions[Action::kInsert] += inserts->count;
  }
  if (!group.sorted) return success();
  has_sorted_keys_ = true;
  const auto inserts = static_cast<double>(phase.actions[Action::kInsert]);
  phase.insert_keys.kind = InsertKeyKind::kSequential;
  if (group.sorted->displaced < 2 || group.sorted->distance < 1) return success();
  phase.insert_keys.kind = InsertKeyKind::kNearSorted;
  const auto share = [&](double number) {
    return Decimal::parse(fmt::format("{:.9f}", std::min(1.0, number / inserts)));
  };
  phase.insert_keys.displaced = share(group.sorted->displaced);
  phase.insert_keys.displacement_max = share(group.sorted->distance);
  return success();
}

Result<AccessKeys> SpecMapping::selected_keys(const TectonicOperation& operation,
                                              const Keys& keys) {
  AccessKeys selected;
  const Draw& selection = operation.selection;
  const std::string place = operation.place + ".selection";
  if (operation.is_uniform() && keys.earlier == 0) return selected;
  const double older_half = share_of_first_keys(selection, 0.5);
  bool prefers_new = older_half < 0.5 - 1e-9;
  if (prefers_new && keys.earlier > 0) {
    if (keys.begin != keys.end) {
      return refused_part(
          place,
          "prefers the newest keys of a section that is not the first, while it grows "
          "or shrinks; lsmlab cannot do that");
    }
    prefers_new = false;  // the keys do not change, so their order may begin at either end
  }
  if (!operation.is_uniform() && has_sorted_keys_) {
    note(place, "popular keys of sorted inserts lie side by side; Tectonic scatters them");
  }
  selected.kind = AccessKeyKind::kClasses;
  if (keys.earlier > 0) selected.classes.push_back({keys.earlier, 0});
  if (operation.is_uniform()) {
    selected.classes.push_back({keys.most(), kClassWeightSum});
    return selected;
  }
  for (const KeyClass& each : classes_of_selection(selection, keys.most(), prefers_new)) {
    selected.classes.push_back(each);
  }
  if (prefers_new) selected.newest_first = true;
  return selected;
}

Result<AccessKeys> SpecMapping::common_keys(const TectonicOperation* first,
                                            const TectonicOperation* second, const Keys& keys) {
  const bool are_uniform =
      first != nullptr && second != nullptr && first->is_uniform() && second->is_uniform();
  if (first != nullptr && second != nullptr && !are_uniform &&
      !(first->selection == second->selection)) {
    return refused_part(
        second->place + ".selection",
        fmt::format("differs from {}.selection; lsmlab draws the keys of both alike, so "
                    "put them into groups of their own",
                    first->place));
  }
  const TectonicOperation* const one = first != nullptr ? first : second;
  if (one == nullptr) return AccessKeys();
  return selected_keys(*one, keys);
}

Result<void> SpecMapping::take_deletes(const TectonicGroup& group, Phase& phase) {
  phase.actions[Action::kDelete] = group.count("point_deletes");
  const TectonicOperation* ranges = group.find("range_deletes");
  if (ranges == nullptr) return success();
  const double inserts = static_cast<double>(phase.actions[Action::kInsert]);
  const auto before = static_cast<double>(live_);
  // A product such as 0.000001 * 1,000,000 may be a little below a whole number.
  const auto width = [&](double keys) {
    return std::floor(ranges->selectivity.constant * keys + 1e-6);
  };
  const auto& length = ranges->scan_length;
  const bool has_one_key =
      length ? !length->draw && std::floor(length->constant) == 1
             : !ranges->selectivity.draw && width(before) <= 1 && width(before + inserts) == 1;
  if (!has_one_key) {
    return refused_part(
        ranges->place,
        "lsmlab has no range tombstones; it can follow ranges of one key, which are "
        "deletes (scan_length 1, or selectivity times keys from 1 to below 2)");
  }
  note(ranges->place,
       "each range of one key is a delete of a live key, not a range tombstone; Tectonic may also "
       "delete a key twice, and updates may bring it back");
  phase.actions[Action::kDelete] += ranges->count;
  return success();
}

Result<void> SpecMapping::take_scan_length(const TectonicOperation& scans, const Keys& keys,
                                           Phase& phase) const {
  if (scans.is_start_end && !scans.is_uniform() && !has_sorted_keys_) {
    return refused_part(
        scans.place + ".selection",
        "with StartEnd it chooses places in key order; lsmlab can follow a uniform one "
        "only, or StartCount");
  }
  if (scans.scan_length) {
    const SizeDistribution lengths =
        BOOST_OUTCOME_TRYX(sizes_of_number(scans.place + ".scan_length", *scans.scan_length));
    phase.scan_entries = at_least_one(lengths);
    return success();
  }
  const auto entries = [&](double share) {
    const double count = std::floor(std::clamp(share, 0.0, 1.0) * keys.mean() + 1e-6);
    return static_cast<std::uint64_t>(std::clamp(count, 1.0, double{kScanEntriesRange.max}));
  };
  const NumberExpression& share = scans.selectivity;
  if (!share.draw) {
    if (!(share.constant >= 0 && share.constant <= 1)) {
      return refused_part(scans.place + ".selectivity", "expected a share from 0 to 1");
    }
    phase.scan_entries = SizeDistribution::constant(entries(share.constant));
    return success();
  }
  if (share.draw->kind == DrawKind::kUniform) {
    const std::uint64_t first = entries(share.draw->a);
    const std::uint64_t end = entries(share.draw->b);
    phase.scan_entries = SizeDistribution::uniform(first, std::max(first, end - 1));
    return success();
  }
  SizeDistribution lengths;
  lengths.kind = SizeKind::kDiscrete;
  constexpr int kQuantiles = 64;
  for (int q = 0; q < kQuantiles; ++q) {
    lengths.sizes.push_back({entries(share.draw->quantile((q + 0.5) / kQuantiles, 1)), 1});
  }
  phase.scan_entries = lengths;
  return success();
}

void SpecMapping::note_absent_keys(const TectonicOperation& operation) {
  if (operation.key_text == key_text_) return;
  note(operation.place + ".key", "absent keys lie anywhere in the range of the inserted ones");
}

Result<void> SpecMapping::take_reads(const TectonicGroup& group, const Keys& keys, Phase& phase) {
  phase.actions[Action::kGetPresent] = group.count("point_queries");
  phase.actions[Action::kScan] = group.count("range_queries");
  phase.lookup_keys = BOOST_OUTCOME_TRYX(
      common_keys(group.find("point_queries"), group.find("range_queries"), keys));
  if (const TectonicOperation* scans = group.find("range_queries")) {
    BOOST_OUTCOME_TRYV(take_scan_length(*scans, keys, phase));
  }
  if (const TectonicOperation* absent = group.find("empty_point_queries")) {
    phase.actions[Action::kGetAbsent] += absent->count;
    note_absent_keys(*absent);
  }
  const TectonicOperation* blind = group.find("blind_point_queries");
  if (blind == nullptr) return success();
  if (blind->key->repeat_chance * static_cast<double>(keys.most()) > 0.001) {
    return refused_part(blind->place,
                        "some of its keys exist and some do not; lsmlab needs to know how "
                        "many: write point_queries and empty_point_queries");
  }
  note(blind->place, "practically no key of these exists, so all count as absent");
  phase.actions[Action::kGetAbsent] += blind->count;
  note_absent_keys(*blind);
  return success();
}

void SpecMapping::take_values(const TectonicGroup& group, Phase& phase) {
  std::vector<std::pair<const TextExpression*, std::uint64_t>> values;
  std::set<std::string> sizes;
  for (const char* name : {"inserts", "unique_inserts", "updates", "merges"}) {
    const TectonicOperation* operation = group.find(name);
    if (operation == nullptr) continue;
    values.emplace_back(&*operation->value, operation->count);
    sizes.insert(sizes_of_texts({values.back()}).text());
  }
  if (values.empty()) {
    // Nothing draws from it, but resolution `range` wants phases with the same sizes.
    if (!workload_.phases.empty()) phase.value_bytes = workload_.phases.back().value_bytes;
    return;
  }
  phase.value_bytes = sizes_of_texts(values);
  if (sizes.size() > 1) {
    note(group.place, "inserts, updates and merges take their values from one mixture of sizes");
  }
}

Result<void> SpecMapping::add_group(const TectonicGroup& group) {
  BOOST_OUTCOME_TRYV(refuse_impossible(group));
  for (const auto& [name, operation] : group.operations) {
    if (operation.has_drawn_count) {
      note(operation.place + ".op_count",
           fmt::format("{} operations, the mean of the distribution", operation.count));
    }
  }
  Phase phase;
  BOOST_OUTCOME_TRYV(take_inserts(group, phase));
  BOOST_OUTCOME_TRYV(take_deletes(group, phase));
  const std::uint64_t inserts = phase.actions[Action::kInsert];
  const std::uint64_t deletes = phase.actions[Action::kDelete];
  if (deletes > live_ + inserts) {
    return refused_part(group.place, fmt::format("{} deletes, but the section has {} keys", deletes,
                                                 live_ + inserts));
  }
  const Keys keys{live_, live_ + inserts - deletes, earlier_};
  phase.actions[Action::kUpdate] = group.count("updates");
  phase.actions[Action::kReadModifyWrite] = group.count("merges");
  phase.update_keys =
      BOOST_OUTCOME_TRYX(common_keys(group.find("updates"), group.find("merges"), keys));
  phase.delete_keys = BOOST_OUTCOME_TRYX(
      common_keys(group.find("point_deletes"), group.find("range_deletes"), keys));
  BOOST_OUTCOME_TRYV(take_reads(group, keys, phase));
  take_values(group, phase);
  if (const TectonicOperation* merges = group.find("merges")) {
    note(merges->place,
         "a merge reads a key and then writes val; with RocksDB Tectonic lets a merge operator "
         "append val, so that values grow");
  }
  live_ = keys.end;
  const bool is_empty = std::all_of(phase.actions.values.begin(), phase.actions.values.end(),
                                    [](std::uint64_t count) { return count == 0; });
  if (!is_empty) workload_.phases.push_back(std::move(phase));
  return success();
}

Result<TectonicWorkload> SpecMapping::finish() {
  if (workload_.phases.empty()) return input_error("sections: no group has operations");
  std::vector<std::pair<const TextExpression*, std::uint64_t>> keys;
  std::set<std::string> sizes;
  for (const auto& [key, count] : keys_inserted_) {
    keys.emplace_back(&key, count);
    sizes.insert(sizes_of_texts({keys.back()}).text());
  }
  workload_.key_bytes = sizes_of_texts(keys);
  if (sizes.size() > 1) note("sections", "keys of all inserts have one mixture of sizes");
  const std::vector<std::string> faults = workload_.validate();
  if (!faults.empty()) return input_error(faults.front());
  return TectonicWorkload{std::move(workload_), std::move(notes_)};
}

}  // namespace

bool is_tectonic_spec(const DocumentJson& json) {
  return json.is_object() && json.contains("sections") && !json.contains("phases");
}

Result<TectonicWorkload> read_tectonic_spec(const DocumentJson& json) {
  if (!json.is_object()) return input_error("expected a JSON object");
  for (const auto& [member, value] : json.items()) {
    if (member == "$schema" || member == "name" || member == "description") continue;
    BOOST_OUTCOME_TRYV(
        check_spec_members("the spec", DocumentJson{{member, value}},
                           {"sections", "character_set", "defaults", "default_distributions"}));
  }
  TectonicDefaults defaults;
  BOOST_OUTCOME_TRYV(take_tectonic_defaults("", json, defaults));
  const DocumentJson* sections = spec_member(json, "sections");
  if (sections == nullptr || !sections->is_array()) {
    return input_error("sections: expected a list of sections");
  }
  SpecMapping mapping;
  for (std::size_t s = 0; s < sections->size(); ++s) {
    BOOST_OUTCOME_TRYV(
        mapping.add_section(fmt::format("sections[{}]", s), (*sections)[s], defaults));
  }
  return mapping.finish();
}

}  // namespace lsmlab::tools
