// Charts drawn by gnuplot, as SVG to stand inside an HTML page. gnuplot runs once for all charts of
// a page, as a child process without a shell, on unnamed temporary files: nothing stays behind,
// however it ends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/shortened.h"

namespace lsmlab {

struct Chart {
  std::string description;  // what the chart shows, for those who cannot see it
  int width = 0;            // pixels at normal zoom
  int height = 0;
  std::string script;  // gnuplot commands; any text of the user's has passed `gnuplot_quoted`
};

/// One SVG element a chart, in order; identifiers are unique among them. Errors: gnuplot is missing
/// or fails (machine).
[[nodiscard]] Result<std::vector<std::string>> draw_charts(std::span<const Chart> charts);

/// A string literal of gnuplot that shows `text` as it is, whatever it holds: characters that mean
/// something to gnuplot or SVG travel as characters of a private-use area, which `draw_charts`
/// turns back.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

/// `text` for HTML content and attributes. Control characters, which HTML forbids, are shown
/// escaped (models/base/printable.h); line ends and tabs stay.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace lsmlab
