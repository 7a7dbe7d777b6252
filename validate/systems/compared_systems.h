// Every system that lsmlab models, on one workload and with one memtable size: what each writes,
// how many sorted runs it leaves a read to visit, the space that it takes, how soon it forgets a
// delete, and how long it stalls writers.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validate/runs/batch.h"

namespace lsmlab {

/// A system with its defaults, all sizes of data scaled to the memtable of the comparison.
struct ComparedSystem {
  std::string name;  // of the preset or the family
  Spec policy;
  Parameters stalls;  // its limits of pending bytes, scaled
};

struct SystemsQuestion {
  Bytes memtable{std::uint64_t{1} << 20};
  Spec workload;
  Spec device;                     // for the run with a clock; no name: there is none
  std::vector<std::string> names;  // empty: all
};

/// The presets NAME-defaults of the newest version, and the families that follow a system and have
/// no such preset; without compression, so that bytes can be compared. Left out: RocksDB's FIFO,
/// which drops data. Errors: a name that none has.
[[nodiscard]] Result<std::vector<ComparedSystem>> compared_systems(
    Bytes memtable, std::span<const std::string> names);

/// A column of the comparison.
struct SystemFigure {
  const char* name;
  const char* path;  // in a result
  double unit;       // the figure is divided by it
  bool is_timed;     // of the run with a clock
  const char* meaning;
};
inline constexpr std::size_t kSystemFigureCount = 10;
extern const std::array<SystemFigure, kSystemFigureCount> kSystemFigures;

struct SystemFigures {
  ComparedSystem system;
  bool complete = true;
  // As kSystemFigures; nothing: the run has none.
  std::array<std::optional<double>, kSystemFigureCount> values;
};

/// The figures of all, by the first one, rising; systems whose runs were stopped come last. Errors:
/// those of the runs.
[[nodiscard]] Result<std::vector<SystemFigures>> compare_systems(const SystemsQuestion& question,
                                                                 const BatchOptions& options);

[[nodiscard]] std::string systems_text(const SystemsQuestion& question,
                                       std::span<const SystemFigures> figures);
[[nodiscard]] nlohmann::ordered_json systems_json(const SystemsQuestion& question,
                                                  std::span<const SystemFigures> figures);
/// Write against read; the area of a circle is the space. Errors: gnuplot is missing or fails.
[[nodiscard]] Result<std::string> systems_svg(const SystemsQuestion& question,
                                              std::span<const SystemFigures> figures);

}  // namespace lsmlab
