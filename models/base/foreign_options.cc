#include "models/base/foreign_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/portable_math.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"

namespace lsmlab {
namespace {

std::optional<std::string> whole_number_text(const std::string& text) {
  const std::optional<Decimal> number = Decimal::parse(text);
  if (!number || number->numerator() % number->denominator() != 0) return std::nullopt;
  return std::to_string(number->numerator() / number->denominator());
}

std::optional<std::string> priority_text(std::string_view text) {
  // RocksDB's names and numbers, and ours.
  constexpr std::array<std::string_view, 3> kPriorities[] = {
      {"kByCompensatedSize", "0", "by-compensated-size"},
      {"kOldestLargestSeqFirst", "1", "oldest-largest-seq-first"},
      {"kOldestSmallestSeqFirst", "2", "oldest-smallest-seq-first"},
      {"kMinOverlappingRatio", "3", "min-overlapping-ratio"},
      {"kRoundRobin", "4", "round-robin"}};
  for (const auto& [name, number, ours] : kPriorities) {
    if (text == name || text == number) return std::string(ours);
  }
  return std::nullopt;
}

// A Bloom filter with the best number of hash functions: -ln(p) / ln(2)^2 bits, to one decimal.
std::optional<std::string> filter_bits_text(const std::string& text) {
  const std::optional<Decimal> chance = Decimal::parse(text);
  if (!chance || chance->as_double() <= 0 || chance->as_double() > 1) return std::nullopt;
  const double ln2 = portable_log(2);
  return fmt::format("{:.1f}", -portable_log(chance->as_double()) / (ln2 * ln2));
}

// Nothing if the text is no value of the other system.
std::optional<std::string> our_value(ForeignValue value, const std::string& text) {
  switch (value) {
    case ForeignValue::kSame:
      return text;
    case ForeignValue::kBytes: {
      const auto bytes = parse_bytes(text);
      return bytes ? std::optional(typed_bytes_text(bytes.value())) : std::nullopt;
    }
    case ForeignValue::kMebibytes: {
      const std::optional<std::string> whole = whole_number_text(text);
      return whole ? std::optional(*whole + "MiB") : std::nullopt;
    }
    case ForeignValue::kWhole:
      return whole_number_text(text);
    case ForeignValue::kFlag:
      if (text == "1" || text == "true") return "true";
      if (text == "0" || text == "false") return "false";
      return std::nullopt;
    case ForeignValue::kCompactionPri:
      return priority_text(text);
    case ForeignValue::kOneLess: {
      const auto count = parse_count(text);
      if (!count || count.value() < 2) return std::nullopt;
      return std::to_string(count.value() - 1);
    }
    case ForeignValue::kFilterChance:
      return filter_bits_text(text);
    case ForeignValue::kNameOnly:
      return std::nullopt;
  }
  return std::nullopt;
}

// "MemTableSize" and "mem_table_size" are spellings of one name.
std::string without_spelling(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

// The option with this name, else one of which the name is another spelling. A spelling of one of
// our own names is a mistake, not another system's option.
const ForeignOption* option_named(std::string_view name, std::span<const std::string> ours) {
  const auto options = foreign_options();
  for (const ForeignOption& option : options) {
    if (option.name == name) return &option;
  }
  const std::string plain = without_spelling(name);
  const bool is_ours = std::any_of(ours.begin(), ours.end(), [&](const std::string& own) {
    return without_spelling(own) == plain;
  });
  if (is_ours) return nullptr;
  for (const ForeignOption& option : options) {
    if (without_spelling(option.name) == plain) return &option;
  }
  return nullptr;
}

bool is_one_of(std::string_view name, std::span<const std::string> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The place that is one of the valid parameters, if there is one. Without an owner the names alone
// decide.
const ForeignPlace* valid_place(const ForeignOption& option, std::span<const std::string> names,
                                std::string_view owner) {
  for (std::size_t i = 0; i < option.place_count(); ++i) {
    const ForeignPlace& place = option.places[i];
    const bool fits = owner.empty() || place.is_of_family(owner) || place.owner == kEveryPolicy;
    if (fits && is_one_of(place.option, names)) return &option.places[i];
  }
  return nullptr;
}

// "RocksDB's and LevelDB's" for "RocksDB, LevelDB".
std::string possessive(std::string_view systems) {
  std::vector<std::string> names;
  while (!systems.empty()) {
    const std::size_t end = std::min(systems.find(", "), systems.size());
    names.push_back(std::string(systems.substr(0, end)) + "'s");
    systems.remove_prefix(std::min(end + 2, systems.size()));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// The owners of a place: families by name if they are known.
std::vector<std::string_view> owners_of(const ForeignPlace& place,
                                        std::span<const OptionOwner> families) {
  if (place.owner != kAnyFamily || families.empty()) return {place.owner};
  std::vector<std::string_view> owners;
  for (const OptionOwner& family : families) {
    if (place.is_of_family(family.name) && is_one_of(place.option, family.options)) {
      owners.push_back(family.name);
    }
  }
  return owners;
}

// "size_ratio=10 of tiered; tier_runs=10 of primitives": options of the same name share a list.
std::string all_places(const ForeignOption& option, const std::string& value,
                       std::span<const OptionOwner> families) {
  using Names = std::vector<std::string_view>;
  std::vector<std::pair<std::string_view, Names>> owners;
  for (std::size_t i = 0; i < option.place_count(); ++i) {
    const ForeignPlace& place = option.places[i];
    const auto known = std::find_if(owners.begin(), owners.end(),
                                    [&](const auto& entry) { return entry.first == place.option; });
    auto& of =
        known == owners.end() ? owners.emplace_back(place.option, Names()).second : known->second;
    const Names more = owners_of(place, families);
    of.insert(of.end(), more.begin(), more.end());
  }
  std::vector<std::string> texts;
  for (const auto& [name, of] : owners) {
    texts.push_back(fmt::format("{}{} of {}", name, value, fmt::join(of, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

bool ForeignPlace::is_of_family(std::string_view family) const {
  return owner == kAnyFamily ? family != except : family == owner;
}

std::string foreign_option_help(std::string_view name, const std::string& text,
                                std::span<const std::string> names, std::string_view owner,
                                std::span<const OptionOwner> families) {
  const ForeignOption* const found = option_named(name, names);
  if (found == nullptr) return "";
  const ForeignOption& option = *found;
  const ForeignPlace* const place = valid_place(option, names, owner);
  if (place == nullptr && option.is_ambiguous) return "";
  const std::string theirs = fmt::format("{} {}", possessive(option.systems), name);
  if (!option.elsewhere.empty()) return fmt::format("{} is {}", theirs, option.elsewhere);
  if (!option.note.empty())
    return fmt::format("{} has no counterpart here: {}", theirs, option.note);
  const std::optional<std::string> ours = our_value(option.value, text);
  const std::string value = ours ? "=" + excerpt(*ours) : "";
  const std::string given = ours ? "=" + excerpt(text) : "";
  if (place != nullptr)
    return fmt::format("{}{} is {}{} here", theirs, given, place->option, value);
  const bool is_of_policies =
      option.places[0].owner != kStalls && option.places[0].owner != kWorkload;
  return fmt::format(
      "{}{} is {}{}", theirs, given, all_places(option, value, families),
      is_of_policies && !owner.empty() ? fmt::format("; {} has no such option", owner) : "");
}

}  // namespace lsmlab
