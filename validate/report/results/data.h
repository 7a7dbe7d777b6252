// What a report shows of each result, read from its JSON and checked once, so that charts and
// tables need not doubt it: numbers are finite and not negative, columns of a series have equal
// lengths, text is valid UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

/// A parameter in force; those that are null in the result are left out.
struct ReportParameter {
  std::string name;
  std::string text;
  std::optional<double> number;  // where the value is one
};

struct ReportSeries {
  std::vector<double> flushes;
  std::vector<double> bytes_flushed;
  std::vector<double> write_flushed;
  std::vector<double> read_mean;
  std::vector<double> space_transient;
};

struct ReportAmplification {
  double write = 0;
  double write_flushed = 0;
  double write_total = 0;
  double read_mean = 0;
  std::uint64_t read_max = 0;
  double space = 0;
  double space_transient = 0;
};

struct ReportFloor {
  std::uint64_t k = 0;
  bool is_policy_bound = false;
  std::string method;
  std::optional<double> write_flushed;
  std::optional<double> ratio;
  std::optional<double> worst_case_bound;
};

/// SSTables after one flush, oldest first.
struct ReportStack {
  std::vector<double> bytes;
  std::vector<std::uint64_t> levels;
};

struct ReportResult {
  std::size_t number = 0;        // place among all results, from 1
  std::string label;             // of no other result of its workload
  std::string family;            // results of one family share colour and symbol
  bool is_preset = false;        // the family is a preset's name
  std::size_t family_index = 0;  // in order of first appearance on the page
  std::size_t variant =
      0;  // rank within the family and workload; results of one rank share a dash pattern
  std::string variant_text;  // "k=6": the parameter that tells the family's members apart
  std::vector<ReportParameter> parameters;
  std::string source;
  std::string mode;
  std::string resolution;
  bool complete = true;
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  double bytes_flushed = 0;
  ReportAmplification amplification;
  std::optional<ReportFloor> floor;
  ReportSeries series;
  std::vector<ReportStack> stacks;
  std::optional<double> flushes_per_second;
  std::string version;
};

/// The results of one policy over one workload, in the order of the parameter that tells them
/// apart.
struct ReportFamily {
  std::string name;
  std::vector<std::size_t> members;  // indices of ReportWorkload::results
};

/// Results that may be compared: same workload, parameters and seed.
struct ReportWorkload {
  std::string name;
  std::vector<ReportParameter> parameters;
  std::uint64_t seed = 0;
  std::vector<ReportResult> results;  // in the order given
  std::vector<ReportFamily> families;
};

/// Errors: input, with the result's number and the member.
[[nodiscard]] Result<std::vector<ReportWorkload>> read_report_data(
    std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
