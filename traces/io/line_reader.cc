#include "traces/io/line_reader.h"

#include <fmt/format.h>

#include "traces/io/unpacking.h"

namespace lsmlab {

Result<std::unique_ptr<LineReader>> LineReader::open(const std::string& path, StopFlag stop) {
  auto input = BOOST_OUTCOME_TRYX(open_unpacked(path, stop));
  std::unique_ptr<LineReader> lines(new LineReader(std::move(input.reader)));
  BOOST_OUTCOME_TRYV(lines->pass_byte_order_mark());
  return lines;
}

Result<void> LineReader::pass_byte_order_mark() {
  using namespace std::string_view_literals;
  auto bytes = BOOST_OUTCOME_TRYX(file_->peek(4));
  const std::string_view front(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto refused = [&](const char* name) {
    return input_error(fmt::format("{}: text in {}; expected UTF-8 (iconv -f {} -t UTF-8 '{}')",
                                   file_->path(), name, name, file_->path()));
  };
  // The little-endian mark of UTF-32 begins with that of UTF-16.
  if (front.starts_with("\xff\xfe\0\0"sv) || front.starts_with("\0\0\xfe\xff"sv)) {
    return refused("UTF-32");
  }
  if (front.starts_with("\xff\xfe"sv) || front.starts_with("\xfe\xff"sv)) return refused("UTF-16");
  if (front.starts_with("\xef\xbb\xbf"sv)) file_->consume(3);
  return success();
}

Result<std::optional<std::string_view>> LineReader::next() {
  ++number_;
  line_.clear();
  for (;;) {
    auto bytes = BOOST_OUTCOME_TRYX(file_->peek());
    if (bytes.empty()) break;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = text.find('\n');
    line_ += text.substr(0, end);
    if (line_.size() > kLineBytesMax) {
      return input_error(fmt::format("{}longer than {} bytes", place(), kLineBytesMax));
    }
    file_->consume(end == std::string_view::npos ? text.size() : end + 1);
    if (end != std::string_view::npos) return whole_line();
  }
  if (line_.empty()) return std::optional<std::string_view>();
  return whole_line();
}

std::string LineReader::place() const {
  return fmt::format("{}: line {}: ", file_->path(), number_);
}

std::optional<std::string_view> LineReader::whole_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  return line_;
}

}  // namespace lsmlab
