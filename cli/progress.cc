#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "models/quantity_text.h"

namespace lsmlab {
namespace {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

}  // namespace

ProgressLine::ProgressLine()
    : begin_(std::chrono::steady_clock::now()), is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const BatchProgress& progress) {
  if (!is_terminal_) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  constexpr double kQuietSeconds = 0.5;  // short runs need no line
  if (seconds < kQuietSeconds || progress.flushes_done == 0) return;
  const auto done = static_cast<double>(progress.flushes_done);
  const auto total = static_cast<double>(progress.flushes_total);
  const double rate = done / seconds;
  const std::string line = fmt::format(
      "\r\033[K{} of {} flushes ({:.0f}%), {:.1f} M/s, run {} of {}, {} left",
      grouped_text(progress.flushes_done), grouped_text(progress.flushes_total), 100 * done / total,
      rate / 1e6, progress.jobs_done + (progress.jobs_done < progress.jobs_total ? 1 : 0),
      progress.jobs_total, duration_text((total - done) / rate));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  is_shown_ = true;
}

}  // namespace lsmlab
