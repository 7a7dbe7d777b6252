#include "engine/files/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lsmlab::engine {
namespace {

constexpr std::string_view kSstableSuffix = ".sst";
constexpr std::string_view kWalSuffix = ".wal";
constexpr std::string_view kSetAsideSuffix = ".wal.damaged";
constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr std::string_view kTemporaryName = "CURRENT.new";

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, fault] = std::from_chars(digits.data(), end, number);
  if (fault != std::errc{} || at != end || digits.size() < 6) return std::nullopt;
  if (number > kFileNumberMax) return std::nullopt;
  return number;
}

}  // namespace

std::string sstable_name(FileId id) { return fmt::format("{:06}{}", id.value(), kSstableSuffix); }
std::string wal_name(std::uint64_t number) { return fmt::format("{:06}{}", number, kWalSuffix); }
std::string set_aside_name(std::uint64_t number) {
  return fmt::format("{:06}{}", number, kSetAsideSuffix);
}
std::string manifest_name(std::uint64_t number) {
  return fmt::format("{}{:06}", kManifestPrefix, number);
}
std::string temporary_current_name() { return std::string(kTemporaryName); }

std::optional<ParsedName> parse_name(std::string_view name) {
  if (name == kCurrentName) return ParsedName{FileKind::kCurrent};
  if (name == kLockName) return ParsedName{FileKind::kLock};
  if (name == kTemporaryName) return ParsedName{FileKind::kTemporary};
  const auto parsed = [](FileKind kind, std::string_view digits) -> std::optional<ParsedName> {
    const std::optional<std::uint64_t> number = number_of(digits);
    if (!number) return std::nullopt;
    return ParsedName{kind, *number};
  };
  if (name.starts_with(kManifestPrefix)) {
    return parsed(FileKind::kManifest, name.substr(kManifestPrefix.size()));
  }
  if (name.ends_with(kSstableSuffix)) {
    return parsed(FileKind::kSstable, name.substr(0, name.size() - kSstableSuffix.size()));
  }
  if (name.ends_with(kSetAsideSuffix)) {
    return parsed(FileKind::kSetAside, name.substr(0, name.size() - kSetAsideSuffix.size()));
  }
  if (name.ends_with(kWalSuffix)) {
    return parsed(FileKind::kWal, name.substr(0, name.size() - kWalSuffix.size()));
  }
  return std::nullopt;
}

std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& names, FileKind kind) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names) {
    const std::optional<ParsedName> parsed = parse_name(name);
    if (parsed && parsed->kind == kind) numbers.push_back(parsed->number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string join_path(const std::string& directory, std::string_view name) {
  if (directory.empty() || directory.ends_with('/')) return fmt::format("{}{}", directory, name);
  return fmt::format("{}/{}", directory, name);
}

}  // namespace lsmlab::engine
