#include "testing/engine/threaded_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "engine/files/file_names.h"
#include "engine/store/store_impl.h"
#include "models/policies/stack_policy.h"

namespace lsmlab::engine::testing {

// One client. A fault ends it.
class Client {
 public:
  Client(Clients& clients, Store& store, unsigned number, std::uint64_t seed)
      : clients_(clients),
        options_(clients.options_),
        model_(clients.models_[number]),
        store_(store),
        number_(number),
        random_(seed) {}

  void run() {
    for (std::uint64_t i = 0; i < options_.operations && fault_.empty(); ++i) {
      step();
      if (kept_ && i % 16 == 15) check_kept();
    }
    if (kept_) check_kept();
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  // A snapshot with the model of that moment.
  struct Kept {
    std::shared_ptr<const Snapshot> snapshot;
    std::unique_ptr<Cursor> cursor;
    Clients::Model model;
  };

  void step() {
    const std::uint64_t what = draw(100);
    const std::uint64_t index = draw(options_.keys);
    if (what < 50) return put(index);
    if (what < 62) return remove(index);
    if (what < 70) return write_batch();
    if (options_.writes_only) return;
    if (what < 90) return get(index);
    if (what < 96) {
      const std::uint64_t last = std::min(options_.keys - 1, index + draw(40));
      return scan(index, last, model_, nullptr);
    }
    if (!kept_) keep();
  }

  void put(std::uint64_t index) {
    std::string value = new_value();
    note("put", store_.put(key(index), value));
    model_[index] = std::move(value);
  }

  void remove(std::uint64_t index) {
    note("remove", store_.remove(key(index)));
    model_[index].reset();
  }

  void write_batch() {
    WriteBatch batch;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::uint64_t index = draw(options_.keys);
      model_[index].reset();
      if (draw(5) == 0) {
        batch.remove(key(index));
        continue;
      }
      model_[index] = new_value();
      batch.put(key(index), *model_[index]);
    }
    note("write", store_.write(batch));
  }

  void get(std::uint64_t index) {
    compare(index, model_[index], store_.get(key(index)), "get");
    // Another client's key may have any value; the read only must not fail.
    const unsigned other = static_cast<unsigned>(draw(options_.threads));
    const auto found = store_.get(clients_.key_of(other, index));
    if (!found) fail("get: " + found.error().message);
  }

  void keep() {
    kept_.emplace();
    kept_->snapshot = store_.snapshot().value();
    kept_->model = model_;
    kept_->cursor = store_.scan({"", std::nullopt});
  }

  // Sometimes checks a part of the snapshot; finally releases it.
  void check_kept() {
    const std::uint64_t index = draw(options_.keys);
    ReadOptions options;
    options.snapshot = kept_->snapshot.get();
    compare(index, kept_->model[index], store_.get(key(index), options), "get of a snapshot");
    scan(index / 2, index, kept_->model, kept_->snapshot.get());
    if (draw(4) != 0) return;
    walk(*kept_->cursor, 0, options_.keys - 1, kept_->model, "cursor");
    kept_.reset();
  }

  void scan(std::uint64_t first, std::uint64_t last, const Clients::Model& model,
            const Snapshot* snapshot) {
    ReadOptions options;
    options.snapshot = snapshot;
    const auto cursor = store_.scan({key(first), key(last)}, options);
    walk(*cursor, first, last, model, snapshot != nullptr ? "scan of a snapshot" : "scan");
  }

  // Checks that keys rise, and that the client's own keys from `first` to `last` match the model.
  void walk(Cursor& cursor, std::uint64_t first, std::uint64_t last, const Clients::Model& model,
            const char* what) {
    std::map<std::string, std::string, std::less<>> expected;
    std::set<std::string> own;
    for (std::uint64_t index = first; index <= last; ++index) {
      own.insert(key(index));
      if (model[index]) expected[key(index)] = *model[index];
    }
    std::uint64_t shown = 0;
    std::string before;
    for (;;) {
      const Result<bool> next = cursor.next();
      if (!next) return fail(fmt::format("{}: {}", what, next.error().message));
      if (!next.value()) break;
      const std::string at(cursor.key());
      if (!before.empty() && at <= before) {
        return fail(fmt::format("{}: {} after {}", what, at, before));
      }
      before = at;
      if (!own.contains(at)) continue;
      const auto known = expected.find(at);
      if (known == expected.end()) return fail(fmt::format("{}: {} was removed", what, at));
      if (known->second != cursor.value()) {
        return fail(fmt::format("{}: {} is {}, not {}", what, at, cursor.value(), known->second));
      }
      ++shown;
    }
    if (shown == expected.size()) return;
    fail(fmt::format("{}: {} of {} keys", what, shown, expected.size()));
  }

  void compare(std::uint64_t index, const std::optional<std::string>& expected,
               const Result<std::optional<std::string>>& found, const char* what) {
    if (!found) return fail(fmt::format("{}: {}", what, found.error().message));
    if (found.value() == expected) return;
    fail(fmt::format("{}: {} is {}, not {}", what, key(index), found.value().value_or("absent"),
                     expected.value_or("absent")));
  }

  [[nodiscard]] std::string key(std::uint64_t index) const {
    return clients_.key_of(number_, index);
  }
  [[nodiscard]] std::string new_value() {
    std::string value = fmt::format("{}.{}.", number_, ++writes_);
    value.append(draw(options_.value_bytes_max + 1), 'v');
    return value;
  }
  [[nodiscard]] std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void note(const char* what, const Result<void>& outcome) {
    if (!outcome) fail(fmt::format("{}: {}", what, outcome.error().message));
  }
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = fmt::format("client {}: {}", number_, fault);
  }

  Clients& clients_;
  const ClientOptions& options_;
  Clients::Model& model_;
  Store& store_;
  unsigned number_;
  std::mt19937_64 random_;
  std::uint64_t writes_ = 0;
  std::optional<Kept> kept_;
  std::string fault_;
};

Clients::Clients(const ClientOptions& options)
    : options_(options), models_(options.threads, Model(options.keys)) {}

std::string Clients::key_of(unsigned client, std::uint64_t index) const {
  const std::uint64_t number = index * options_.threads + client;
  return fmt::format("{:08}{}", number / 2, number % 2 == 0 ? "a" : "bb");
}

std::string Clients::run(Store& store) {
  std::vector<std::unique_ptr<Client>> clients;
  for (unsigned i = 0; i < options_.threads; ++i) {
    clients.push_back(std::make_unique<Client>(*this, store, i, options_.seed * 1000 + i));
  }
  std::vector<std::thread> threads;
  for (const auto& client : clients) threads.emplace_back([&client] { client->run(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& client : clients) {
    if (!client->fault().empty()) return client->fault();
  }
  return "";
}

std::string Clients::check(Store& store) const {
  std::map<std::string, std::string> expected;
  for (unsigned client = 0; client < options_.threads; ++client) {
    for (std::uint64_t index = 0; index < options_.keys; ++index) {
      const std::optional<std::string>& value = models_[client][index];
      if (value) expected[key_of(client, index)] = *value;
      const auto found = store.get(key_of(client, index));
      if (!found) return "get at rest: " + found.error().message;
      if (found.value() == value) continue;
      return fmt::format("get at rest: {} is {}, not {}", key_of(client, index),
                         found.value().value_or("absent"), value.value_or("absent"));
    }
  }
  std::map<std::string, std::string> shown;
  const auto cursor = store.scan({"", std::nullopt});
  for (;;) {
    const Result<bool> next = cursor->next();
    if (!next) return "scan at rest: " + next.error().message;
    if (!next.value()) break;
    shown.emplace(cursor->key(), cursor->value());
  }
  return shown == expected ? "" : "scan at rest: not what was written";
}

namespace {

std::string stack_fault(const TreeView& tree, const Policy& policy) {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      if (policy.as_stack_policy() != nullptr && run.flushes.last >= oldest) {
        return fmt::format("run {} is not in order of age", run.id.value());
      }
      oldest = run.flushes.first;
    }
  }
  const std::optional<std::uint64_t> depth_max = policy.depth_max();
  if (!depth_max || tree.run_count() <= *depth_max) return "";
  return fmt::format("{} runs; expected at most {}", tree.run_count(), *depth_max);
}

bool is_leveled(const ConfiguredPolicy& policy) {
  const std::set<std::string> families{"leveldb", "ldc", "leveled", "rocksdb-leveled",
                                       "rocksdb-universal"};
  if (families.contains(policy.family)) return true;
  if (policy.family != "primitives") return false;
  return std::any_of(policy.options.begin(), policy.options.end(), [](const auto& option) {
    const auto* text = std::get_if<std::string>(&option.second);
    return option.first == "layout" && text != nullptr &&
           (*text == "leveling" || *text == "1-leveling");
  });
}

std::set<std::uint64_t> files_of(const TreeView& tree) {
  std::set<std::uint64_t> ids;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        if (!file.is_virtual) ids.insert(file.id.value());
      }
    }
  }
  for (const FrozenFile& frozen : tree.frozen_files()) ids.insert(frozen.file.id.value());
  return ids;
}

}  // namespace

std::string tree_fault(Store& store, const std::string& directory) {
  const Result<void> settled = store.settle();  // lookups may have started merges
  if (!settled) return settled.error().message;
  const auto tree = TreeState::restore(store.tree_image());
  if (!tree) return tree.error().message;
  const StoreSetup& setup = store.impl().setup();
  std::string fault = stack_fault(tree.value(), *setup.policy.policy);
  if (!fault.empty()) return fault;
  if (is_leveled(setup.policy)) {
    const auto levels = tree.value().levels();
    for (std::size_t level = 1; level < levels.size(); ++level) {
      if (levels[level].runs.size() > 1) return fmt::format("level {} has several runs", level);
    }
  }
  const auto names = setup.files->list(directory);
  if (!names) return names.error().message;
  std::set<std::uint64_t> on_disk;
  for (const std::string& name : names.value()) {
    const auto parsed = parse_name(name);
    if (parsed && parsed->kind == FileKind::kSstable) on_disk.insert(parsed->number);
  }
  return on_disk == files_of(tree.value()) ? "" : "files on disk are not those of the tree";
}

}  // namespace lsmlab::engine::testing
