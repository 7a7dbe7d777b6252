#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "interrupt.h"
#include "models/base/printable.h"
#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

constexpr double kQuietSeconds = 0.5;  // shorter runs show no line

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

// Operations are done in millions per second, flushes with their merges in hundreds.
std::string rate_text(double rate) {
  if (rate >= 1e6) return fmt::format("{:.1f} M/s", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.1f} k/s", rate / 1e3);
  return fmt::format("{:.0f}/s", rate);
}

}  // namespace

ProgressLine::ProgressLine()
    : begin_(std::chrono::steady_clock::now()), is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
  begin_ = std::chrono::steady_clock::now();
}

void ProgressLine::show(const BatchProgress& progress) {
  if (!is_terminal_) return;
  const double taken = seconds();
  if (taken < kQuietSeconds || progress.units_done == 0) return;
  const auto done = static_cast<double>(progress.units_done);
  const auto total = static_cast<double>(progress.units_total);
  const double rate = done / taken;
  // A trace file does not contain its length, so the total may be unknown.
  const std::string amount =
      progress.units_total == 0
          ? fmt::format("{} {}", grouped_text(progress.units_done), progress.unit)
          : fmt::format("{} of {} {} ({:.0f}%)", grouped_text(progress.units_done),
                        grouped_text(progress.units_total), progress.unit, 100 * done / total);
  const std::string left = progress.units_total == 0
                               ? std::string()
                               : fmt::format(", {} left", duration_text((total - done) / rate));
  const std::string present =
      progress.present.empty() ? "" : " (" + printable(progress.present) + ")";
  print(fmt::format("{}, {}, run {} of {}{}{}", amount, rate_text(rate),
                    progress.jobs_done + (progress.jobs_done < progress.jobs_total ? 1 : 0),
                    progress.jobs_total, present, left));
}

void ProgressLine::show_time(double whole_seconds, std::string_view present) {
  if (!is_terminal_) return;
  const double taken = seconds();
  constexpr double kIntervalSeconds = 0.1;  // the caller asks more often than a terminal needs
  if (taken < kQuietSeconds || taken < shown_seconds_ + kIntervalSeconds) return;
  shown_seconds_ = taken;
  const double left = std::max(0.0, whole_seconds - taken);
  print(fmt::format("{} of {} ({}), {} left", duration_text(taken), duration_text(whole_seconds),
                    present, duration_text(left)));
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::print(const std::string& line) {
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  is_shown_ = true;
}

BatchOptions watched_batch(unsigned threads, bool quiet, ProgressLine& progress) {
  BatchOptions options;
  options.threads = threads;
  options.stop = &interrupt_flag();
  if (!quiet) options.on_progress = [&](const BatchProgress& now) { progress.show(now); };
  return options;
}

}  // namespace lsmlab
