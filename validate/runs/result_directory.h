// The directory that keeps the results of an experiment's runs. A result's name follows from all of
// its inputs, so a stopped experiment continues where it was.
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
  /// Opens the directory, which is created if needed. `on_damage` is called with the file and the
  /// fault whenever has() finds a file that differs from what its run wrote. Errors: it cannot be
  /// created; another experiment uses it.
  [[nodiscard]] static Result<ResultDirectory> open(
      const std::string& path, std::function<void(const std::string&)> on_damage = {});

  /// The name of a run's result: 32 hexadecimal digits that follow from the run, the contents of
  /// its input files, its number among equal runs, and the program that executes it (this binary,
  /// or the other store's version).
  [[nodiscard]] std::string name_of(const ResolvedRun& run, std::uint64_t number) const;
  [[nodiscard]] std::string result_path(const std::string& name) const;
  [[nodiscard]] std::string log_path(const std::string& name) const;
  /// Whether the run's result and plan log exist and are intact. Their checksums are checked once.
  /// Damaged files are removed, so that the run is done again. REQUIRES: one thread.
  [[nodiscard]] bool has(const std::string& name) const;

  /// Removes a run's result and plan log.
  void forget(const std::string& name) const;

  /// Executes the run and keeps its result and plan log; they get their names only once they are
  /// complete and durable. The store's directory is in `scratch` meanwhile. Returns false if the
  /// run was stopped; nothing is then kept. Errors: those of the run; a file that cannot be
  /// written.
  [[nodiscard]] Result<bool> execute(const ResolvedRun& run, const std::string& name,
                                     const std::string& scratch, RunControl& control) const;
  /// The kept result. Errors: unreadable, or damaged.
  [[nodiscard]] Result<nlohmann::ordered_json> load(const std::string& name) const;

 private:
  ResultDirectory(std::string path, std::string program,
                  std::unique_ptr<engine::DirectoryLock> lock)
      : path_(std::move(path)), program_(std::move(program)), lock_(std::move(lock)) {}

  std::string path_;
  std::string program_;  // a hash of this program's binary
  std::unique_ptr<engine::DirectoryLock> lock_;
  std::function<void(const std::string&)> on_damage_;
  mutable std::set<std::string> sound_;  // names that has() found intact
};

}  // namespace lsmlab
