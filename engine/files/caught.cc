#include "engine/files/caught.h"

#include <fmt/format.h>

#include <exception>
#include <new>

namespace lsmlab::engine {
namespace {

// Short enough for std::string to store without allocating memory.
constexpr const char* kNoMemory = "out of memory";

}  // namespace

Error caught_error(std::string_view where) noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return machine_error(fmt::format("{}: out of memory", where));
    } catch (const std::exception& fault) {
      return machine_error(fmt::format("{}: {}", where, fault.what()));
    } catch (...) {
      return machine_error(fmt::format("{}: an exception of unknown type", where));
    }
  } catch (...) {
    return machine_error(kNoMemory);
  }
}

void keep_copy(const Error& error, std::optional<Error>& kept) noexcept {
  kept = machine_error(kNoMemory);
  static_cast<void>(caught({}, [&]() -> Result<void> {
    *kept = error;
    return success();
  }));
}

}  // namespace lsmlab::engine
