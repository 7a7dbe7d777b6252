// Expected failures are values: a Result holds what was asked for, or an Error that says what went
// wrong, where, and whose fault it is. No exception crosses a room.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>
#include <string>
#include <utility>

namespace lsmlab {

/// Who can mend it: the kinds are the command line's exit codes 2 and 3.
enum class ErrorKind {
  kInput,    // what the user gave is wrong
  kMachine,  // the machine failed: disk full, I/O error, a missing program
};

struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;  // names the file, line or option, what was found and what was expected
};

inline Error input_error(std::string message) { return {ErrorKind::kInput, std::move(message)}; }
inline Error machine_error(std::string message) {
  return {ErrorKind::kMachine, std::move(message)};
}

template <class T>
using Result = boost::outcome_v2::basic_result<T, Error, boost::outcome_v2::policy::terminate>;

inline auto success() { return boost::outcome_v2::success(); }

}  // namespace lsmlab
