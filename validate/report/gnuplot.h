// Charts that gnuplot draws as SVG for an HTML page. gnuplot runs once for all charts of a page, as
// a child process without a shell. It reads and writes unnamed temporary files, so no file is left
// behind, however the process ends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/shortened.h"

namespace lsmlab {

struct Chart {
  std::string description;  // what the chart shows, for readers who cannot see it
  int width = 0;            // pixels at normal zoom
  int height = 0;
  std::string script;  // gnuplot commands; any text of the user passed gnuplot_quoted()
};

/// An SVG element for each chart, in order. Their identifiers are unique. Errors: a machine error
/// if gnuplot is missing or fails.
[[nodiscard]] Result<std::vector<std::string>> draw_charts(std::span<const Chart> charts);

/// A string literal of gnuplot that shows `text` unchanged, whatever it contains. Characters with a
/// meaning to gnuplot or SVG become characters of a private-use area; draw_charts() restores them.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

/// `text` for HTML content and attributes. HTML forbids control characters, so they appear escaped
/// (models/base/printable.h). Line ends and tabs stay.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace lsmlab
