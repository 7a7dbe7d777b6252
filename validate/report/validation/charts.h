// The charts of a validation's page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/report/gnuplot.h"

namespace lsmlab {

struct ValidationPoint {
  std::size_t family = 0;  // points of one family share colour and symbol
  double simulated = 0;
  double measured = 0;
};

struct ValidationLine {
  double slope = 1;
  double intercept = 0;
};

/// A figure as measured over the same figure as simulated, with the diagonal and the regression
/// line if there is one. `label`: the figure with its unit, "write (bytes/byte)".
[[nodiscard]] Chart measured_over_simulated(const std::string& label,
                                            const std::vector<ValidationPoint>& points,
                                            const std::vector<std::string>& families,
                                            const std::optional<ValidationLine>& fit);

/// The simulation's relative error in percent over the measured figure.
[[nodiscard]] Chart error_over_measured(const std::string& label,
                                        const std::vector<ValidationPoint>& points,
                                        const std::vector<std::string>& families);

struct ValidationCurve {
  std::vector<double> operations;
  std::vector<double> write;
};
/// Write amplification of one cell over operations, simulated and measured. `cell`: which one.
[[nodiscard]] Chart write_over_operations(const std::string& cell, const ValidationCurve& simulated,
                                          const ValidationCurve& measured);

struct ValidationCell {
  std::string label;
  ValidationCurve curve;
};
/// Write amplification of several cells over operations, both axes logarithmic. `side`: "measured"
/// or "simulated". `write_max`: the largest value of all charts that a reader compares.
[[nodiscard]] Chart curves_of_cells(const std::string& side,
                                    const std::vector<ValidationCell>& cells, double write_max);

/// Durations of merges over the bytes that they wrote: a point for each merge, and the regression
/// line. `cell`: whose merges.
[[nodiscard]] Chart merge_seconds_over_bytes(const std::string& cell,
                                             const std::vector<double>& bytes,
                                             const std::vector<double>& seconds,
                                             const ValidationLine& fit);

}  // namespace lsmlab
