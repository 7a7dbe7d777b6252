#include "help_text.h"

#include <fmt/format.h>

namespace lsmlab {

std::string exit_help(std::string_view shortfall, std::string_view interrupted) {
  std::string text = "Exit codes:\n  0    done\n";
  if (!shortfall.empty()) text += fmt::format("  1    {}\n", shortfall);
  text +=
      "  2    the input is wrong\n"
      "  3    the machine failed: disk full, I/O error, out of memory\n"
      "  130  stopped by Ctrl-C (143: by SIGTERM)";
  return text + (interrupted.empty() ? "" : fmt::format("; {}", interrupted));
}

}  // namespace lsmlab
