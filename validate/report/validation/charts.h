// The charts of a validation's page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/report/gnuplot.h"

namespace lsmlab {

struct ValidationPoint {
  std::size_t family = 0;  // of points with one colour and symbol
  double simulated = 0;
  double measured = 0;
};

struct ValidationLine {
  double slope = 1;
  double intercept = 0;
};

/// Measured over simulated `what` ("write amplification"), with the diagonal and, where there is
/// one, the fit.
[[nodiscard]] Chart measured_over_simulated(const std::string& what,
                                            const std::vector<ValidationPoint>& points,
                                            const std::vector<std::string>& families,
                                            const std::optional<ValidationLine>& fit);

/// How far the simulation is off, in percent, over measured write amplification.
[[nodiscard]] Chart error_over_measured(const std::vector<ValidationPoint>& points,
                                        const std::vector<std::string>& families);

struct ValidationCurve {
  std::vector<double> operations;
  std::vector<double> write;
};
/// Write amplification over operations, simulated and measured.
[[nodiscard]] Chart write_over_operations(const std::string& label,
                                          const ValidationCurve& simulated,
                                          const ValidationCurve& measured);

struct ValidationCell {
  std::string label;
  ValidationCurve curve;
};
/// Write amplification over operations of several cells, both axes logarithmic. `what`: "measured"
/// or "simulated"; `write_max`: the largest of all charts that stand beside each other.
[[nodiscard]] Chart curves_of_cells(const std::string& what,
                                    const std::vector<ValidationCell>& cells, double write_max);

/// Seconds over bytes written, a point a merge, with the fit.
[[nodiscard]] Chart merge_seconds_over_bytes(const std::string& label,
                                             const std::vector<double>& bytes,
                                             const std::vector<double>& seconds,
                                             const ValidationLine& fit);

}  // namespace lsmlab
