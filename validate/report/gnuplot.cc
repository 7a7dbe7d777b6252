#include "validate/report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "models/base/printable.h"

namespace lsmlab {
namespace {

// U+E000 + c stands for the ASCII character c until the SVG is complete.
constexpr std::string_view kPrivateLow = "\xEE\x80";   // c below 64
constexpr std::string_view kPrivateHigh = "\xEE\x81";  // c from 64
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, FileCloser>;

Error system_error(std::string_view what, int code) {
  return machine_error(fmt::format("report: {}: {}", what, std::strerror(code)));
}

Result<TemporaryFile> temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) return system_error("cannot create a temporary file for gnuplot", errno);
  fcntl(fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

Result<std::string> read_all(std::FILE* file) {
  std::string text;
  std::array<char, 65536> block{};
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;) {
    text.append(block.data(), n);
  }
  if (std::ferror(file) != 0) return system_error("cannot read gnuplot's output", errno);
  return text;
}

// The user's environment without variables that change gnuplot's defaults or its number format.
std::vector<std::string> gnuplot_environment() {
  std::vector<std::string> variables{"LC_ALL=C.UTF-8"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool is_left_out = text.starts_with("LC_") || text.starts_with("LANG") ||
                             text.starts_with("GNUPLOT") || text.starts_with("GNUTERM") ||
                             text.starts_with("GDFONTPATH");
    if (!is_left_out) variables.emplace_back(text);
  }
  return variables;
}

/// Starts gnuplot on three files. Returns 0 or an error number.
int spawn_gnuplot(pid_t& child, const std::array<std::FILE*, 3>& files) {
  std::string program = "gnuplot";
  std::string defaults_only = "-d";  // not the user's ~/.gnuplot
  std::array<char*, 3> arguments{program.data(), defaults_only.data(), nullptr};
  std::vector<std::string> variables = gnuplot_environment();
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  if (const int code = posix_spawn_file_actions_init(&actions); code != 0) return code;
  int code = 0;
  for (int fd = 0; fd < 3 && code == 0; ++fd) {
    code =
        posix_spawn_file_actions_adddup2(&actions, fileno(files[static_cast<std::size_t>(fd)]), fd);
  }
  if (code == 0) {
    code = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(),
                        environment.data());
  }
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

Error missing_gnuplot() {
  return machine_error(
      "report: gnuplot was not found. It draws the charts. Install the package gnuplot-nox "
      "(apt-get install gnuplot-nox)");
}

/// Runs gnuplot on `script` and returns its output.
Result<std::string> run_gnuplot(const std::string& script) {
  auto input = BOOST_OUTCOME_TRYX(temporary_file());
  auto output = BOOST_OUTCOME_TRYX(temporary_file());
  auto messages = BOOST_OUTCOME_TRYX(temporary_file());
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    return system_error("cannot write a temporary file for gnuplot", errno);
  }
  std::rewind(input.get());

  pid_t child = 0;
  const int code = spawn_gnuplot(child, {input.get(), output.get(), messages.get()});
  if (code == ENOENT) return missing_gnuplot();
  if (code != 0) return system_error("cannot start gnuplot", code);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return system_error("cannot wait for gnuplot", errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return missing_gnuplot();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    auto text = BOOST_OUTCOME_TRYX(read_all(messages.get()));
    return machine_error(fmt::format("report: gnuplot failed: {}", shortened(text, 1000)));
  }
  return read_all(output.get());
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// Removes every `open`...`close`, both included.
void remove_all(std::string& text, std::string_view open, std::string_view close) {
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    const std::size_t end = text.find(close, at);
    if (end == std::string::npos) return;
    text.erase(at, end + close.size() - at);
  }
}

std::string with_private_restored(std::string_view svg) {
  std::string text;
  for (std::size_t i = 0; i < svg.size(); ++i) {
    const std::string_view two = svg.substr(i, 2);
    if ((two != kPrivateLow && two != kPrivateHigh) || i + 2 >= svg.size()) {
      text += svg[i];
      continue;
    }
    const int code = (svg[i + 2] & 0x3F) | (two == kPrivateHigh ? 0x40 : 0);
    text += html_escaped(std::string(1, static_cast<char>(code)));
    i += 2;
  }
  return text;
}

// gnuplot's own header and titles name the program, not the chart. Its identifiers are the same in
// every SVG, so each chart's name is put before them.
std::string element_for_page(const Chart& chart, const std::string& name, std::string_view drawn) {
  std::string body(drawn.substr(drawn.find('>', drawn.find("<svg")) + 1));
  remove_all(body, "<title>", "</title>");
  remove_all(body, "<desc>", "</desc>");
  remove_all(body, "<filter", "</filter>");
  for (const char* quote : {"'", "\""}) {
    for (const char* start : {"gp", "gnuplot"}) {
      replace_all(body, fmt::format("id={}{}", quote, start),
                  fmt::format("id={}{}_{}", quote, name, start));
    }
  }
  replace_all(body, "href='#gp", fmt::format("href='#{}_gp", name));
  // gnuplot's SVG has no font weights: it writes them as part of the font family's name.
  replace_all(body, "\"sans-serif:Bold\"", "\"sans-serif\" font-weight=\"bold\"");
  const std::string description = html_escaped(chart.description);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>{}",
      chart.width, chart.height, description, description, with_private_restored(body));
}

}  // namespace

std::string gnuplot_quoted(std::string_view given) {
  const std::string shown = printable(given);
  const std::string_view text = shown;
  std::string quoted = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view two = text.substr(i, 2);
    if (byte < 0x20) {
      quoted += ' ';  // a newline or a tab
    } else if (std::string_view("'\"`@\\<>&{}%#$").find(text[i]) != std::string_view::npos) {
      quoted += byte < 0x40 ? kPrivateLow : kPrivateHigh;
      quoted += static_cast<char>(0x80 | (byte & 0x3F));
    } else if (two == kPrivateLow || two == kPrivateHigh) {
      quoted += kReplacement;
      i += 2;
    } else {
      quoted += text[i];
    }
  }
  return quoted + "'";
}

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\'') {
      escaped += "&#39;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Result<std::vector<std::string>> draw_charts(std::span<const Chart> charts) {
  std::vector<std::string> elements;
  if (charts.empty()) return elements;
  std::string script = "set encoding utf8\n";
  for (std::size_t i = 0; i < charts.size(); ++i) {
    script += fmt::format(
        "reset\nset terminal svg size {},{} dynamic noenhanced font 'sans-serif,13' name 'chart{}' "
        "butt\n{}",
        charts[i].width, charts[i].height, i + 1, charts[i].script);
  }
  auto drawn = BOOST_OUTCOME_TRYX(run_gnuplot(script));
  constexpr std::string_view kEnd = "</svg>";
  std::size_t start = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::size_t begin = drawn.find("<svg", start);
    const std::size_t end = begin == std::string::npos ? begin : drawn.find(kEnd, begin);
    if (end == std::string::npos) {
      return machine_error(
          fmt::format("report: gnuplot drew {} of {} charts; version 5.4 or later "
                      "is needed",
                      i, charts.size()));
    }
    elements.push_back(
        element_for_page(charts[i], fmt::format("chart{}", i + 1),
                         std::string_view(drawn).substr(begin, end + kEnd.size() - begin)));
    start = end;
  }
  return elements;
}

}  // namespace lsmlab
