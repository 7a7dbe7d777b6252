// Logs whose lines are JSON objects, one a line, as Docker, Kubernetes and collectors of logs write
// them: {"log":"2026/11/27-01:16:03.511835 14582 [db/...\n","stream":"stderr","time":"..."}.
#pragma once

#include <string>
#include <string_view>

namespace lsmlab::stores {

/// Whether the first line is such an object.
[[nodiscard]] bool has_json_lines(std::string_view head);

/// The program's own text of each line. A line that is no such object stays as it is.
[[nodiscard]] std::string text_of_json_lines(std::string_view bytes);

}  // namespace lsmlab::stores
