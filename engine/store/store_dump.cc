#include "engine/store/store_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/files/file_names.h"
#include "engine/logs/manifest.h"
#include "engine/logs/wal.h"
#include "engine/sstable/sstable.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kReadableBytesMax = 64;

std::string entry_text(const EntryView& entry) {
  if (entry.is_tombstone()) {
    return fmt::format("{} delete {}", entry.sequence(), readable(entry.key));
  }
  return fmt::format("{} put {} = {} ({} bytes)", entry.sequence(), readable(entry.key),
                     readable(entry.value), entry.value.size());
}

Result<void> dump_manifest(FileSystem& files, const std::string& path, const DumpLine& line) {
  return visit_manifest(files, path, [&](std::uint64_t offset, const nlohmann::json& record) {
    // The key prefix may hold any bytes.
    line(fmt::format("@{} {}", offset,
                     record.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)));
  });
}

std::string mark_text(const LogMark& mark) {
  switch (mark.kind) {
    case LogMark::Kind::kBegin:
      return fmt::format("begin: earlier logs and SSTables hold every write before write {}",
                         mark.number);
    case LogMark::Kind::kSynced:
      return fmt::format("synced up to byte {}", mark.number);
    case LogMark::Kind::kSuccessor:
      break;
  }
  return fmt::format("end: continued in {}", wal_name(mark.number));
}

Result<void> dump_wal(FileSystem& files, const std::string& path, const DumpLine& line) {
  WalVisitor visitor;
  visitor.batch = [&](std::uint64_t offset, const LoggedBatch& batch) -> Result<void> {
    line(fmt::format("@{} batch of {} at operation {}", offset, batch.entries, batch.now.value()));
    return visit_entries(batch, [&](const EntryView& entry) { line("  " + entry_text(entry)); });
  };
  visitor.mark = [&](std::uint64_t offset, const LogMark& mark) {
    line(fmt::format("@{} {}", offset, mark_text(mark)));
  };
  const WalContents contents = BOOST_OUTCOME_TRYX(read_wal(files, path, visitor));
  if (contents.damage) {
    line(fmt::format("@{} {}; {} bytes from here to the end, with {} whole batches",
                     contents.damage->offset, contents.damage->reason, contents.dropped_bytes(),
                     contents.damage->batches_behind));
  }
  return success();
}

void dump_properties(const SstableReader& table, const DumpLine& line) {
  const SstableProperties& found = table.properties();
  line(
      fmt::format("{} entries, {} tombstones, {} bytes of keys and values, {} data blocks, {} "
                  "bytes in all",
                  found.entries, found.tombstones, found.key_and_value_bytes, table.block_count(),
                  table.file().size()));
  line(fmt::format("keys {} to {}", readable(found.smallest_key), readable(found.largest_key)));
  const std::string oldest = found.oldest_tombstone
                                 ? fmt::format("{}", found.oldest_tombstone->value())
                                 : std::string("none");
  line(fmt::format("sequence numbers {} to {}, oldest tombstone {}, {}", found.sequences.first,
                   found.sequences.last, oldest, table.has_filter() ? "a filter" : "no filter"));
}

Result<void> dump_sstable(FileSystem& files, const std::string& path, const DumpOptions& options,
                          std::uint64_t number, const DumpLine& line) {
  const KeyWindow window;  // any window will do: the output does not depend on it
  auto file = BOOST_OUTCOME_TRYX(files.open(path));
  const auto table =
      BOOST_OUTCOME_TRYX(SstableReader::open(std::move(file), FileId(number), window));
  dump_properties(*table, line);
  for (std::size_t i = 0; i < table->block_count(); ++i) {
    line(fmt::format("@{} block {}: {} bytes, up to key {}", table->block_position(i), i,
                     table->stored_bytes_of(i), readable(table->last_key_of(i))));
    if (!options.shows_entries) continue;
    const BlockHandle block = BOOST_OUTCOME_TRYX(table->read(i));
    for (std::size_t j = 0; j < block->count(); ++j) line("  " + entry_text(block->entry(j)));
  }
  return success();
}

}  // namespace

std::string readable(std::string_view bytes) {
  const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };
  if (!bytes.empty() && std::all_of(bytes.begin(), bytes.end(), is_plain)) {
    if (bytes.size() <= kReadableBytesMax) return std::string(bytes);
    return fmt::format("{}...", bytes.substr(0, kReadableBytesMax));
  }
  std::size_t zeros = 0;
  while (zeros < bytes.size() && bytes[bytes.size() - 1 - zeros] == '\0') ++zeros;
  if (zeros < 8) zeros = 0;
  const std::string_view shown = bytes.substr(0, bytes.size() - zeros);
  std::string text = "0x";
  for (const char c : shown.substr(0, kReadableBytesMax / 2)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  if (shown.size() > kReadableBytesMax / 2) text += "...";
  if (zeros > 0) text += fmt::format("+{} zeros", zeros);
  return text;
}

Result<void> dump_file(FileSystem& files, const std::string& path, const DumpOptions& options,
                       const DumpLine& line) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::optional<ParsedName> parsed = parse_name(name);
  const FileKind kind = parsed ? parsed->kind : FileKind::kTemporary;
  if (kind == FileKind::kManifest) return dump_manifest(files, path, line);
  if (kind == FileKind::kWal || kind == FileKind::kSetAside) return dump_wal(files, path, line);
  if (kind == FileKind::kSstable) return dump_sstable(files, path, options, parsed->number, line);
  if (kind == FileKind::kCurrent) {
    const std::string text = BOOST_OUTCOME_TRYX(files.read_file(path));
    line(readable(text.substr(0, text.find('\n'))));
    return success();
  }
  const bool exists = BOOST_OUTCOME_TRYX(files.exists(path));
  if (!exists) return input_error(fmt::format("{}: No such file or directory", path));
  return input_error(
      fmt::format("{}: not a store's file by its name; expected e.g. 000001.sst, 000001.wal, "
                  "MANIFEST-000001 or CURRENT",
                  path));
}

Result<void> dump_directory(FileSystem& files, const std::string& directory,
                            const DumpOptions& options, const DumpLine& line) {
  const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files.list(directory));
  Result<void> first_fault = success();
  std::size_t shown = 0;
  for (const std::string& name : names) {
    const std::optional<ParsedName> parsed = parse_name(name);
    if (!parsed || parsed->kind == FileKind::kLock || parsed->kind == FileKind::kTemporary)
      continue;
    ++shown;
    line(name + ":");
    const Result<void> outcome =
        dump_file(files, join_path(directory, name), options,
                  [&](std::string_view text) { line(fmt::format("  {}", text)); });
    if (outcome) continue;
    line("  damaged: " + outcome.error().message);
    if (first_fault) first_fault = outcome.error();
  }
  if (shown == 0) {
    return input_error(fmt::format("{}: this directory has no store's files", directory));
  }
  return first_fault;
}

}  // namespace lsmlab::engine
