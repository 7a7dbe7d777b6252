// Where the results of an experiment's runs are kept. A result is named by everything that it
// follows from, so that an experiment that was stopped goes on where it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/files/file_system.h"
#include "models/base/run_control.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab {

class ResultDirectory {
 public:
  /// Makes it where it is not. `on_damage` hears of each file of has() that is not as its run wrote
  /// it, with the file and what is wrong. Errors: it cannot be made; another experiment writes to
  /// it.
  [[nodiscard]] static Result<ResultDirectory> open(
      const std::string& path, std::function<void(const std::string&)> on_damage = {});

  /// 32 hexadecimal digits that follow from the run, the contents of the files that it names, its
  /// number among equal runs, and the program that does it: this one, or the other store's version.
  [[nodiscard]] std::string name_of(const ResolvedRun& run, std::uint64_t number) const;
  [[nodiscard]] std::string result_path(const std::string& name) const;
  [[nodiscard]] std::string log_path(const std::string& name) const;
  /// Whether the run's result and plan log are there, as the run wrote them: checked once, by their
  /// checksums. Those that are damaged are removed, so that the run is done anew. One thread.
  [[nodiscard]] bool has(const std::string& name) const;

  /// Removes both.
  void forget(const std::string& name) const;

  /// Does the run and keeps what comes of it, under its name only once it is whole and durable. The
  /// store stands in `scratch` meanwhile. Returns false where the run was stopped; nothing is kept
  /// then. Errors: the run's; a file that cannot be written.
  [[nodiscard]] Result<bool> execute(const ResolvedRun& run, const std::string& name,
                                     const std::string& scratch, RunControl& control) const;
  /// Errors: unreadable, or damaged.
  [[nodiscard]] Result<nlohmann::ordered_json> load(const std::string& name) const;

 private:
  ResultDirectory(std::string path, std::string program,
                  std::unique_ptr<engine::DirectoryLock> lock)
      : path_(std::move(path)), program_(std::move(program)), lock_(std::move(lock)) {}

  std::string path_;
  std::string program_;  // a hash of this one's binary
  std::unique_ptr<engine::DirectoryLock> lock_;
  std::function<void(const std::string&)> on_damage_;
  mutable std::set<std::string> sound_;  // that has() has checked
};

}  // namespace lsmlab
