// Texts that users of such stores have and that lsmlab does not read: what they are, and what to
// give instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lsmlab::stores {

/// A sentence without a subject: "is ...; give ...". None: the text is none of them.
[[nodiscard]] std::optional<std::string> why_unread(std::string_view text);

}  // namespace lsmlab::stores
