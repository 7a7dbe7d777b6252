#include "output.h"

#include "models/base/printable.h"

namespace lsmlab {

Result<void> print_text(std::string_view text) { return write_output("-", printable(text)); }

}  // namespace lsmlab
