// Expected failures are values. A Result holds either the value or an Error, which says what went
// wrong, where, and whose fault it is. No exception leaves a top-level folder.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lsmlab {

/// Who can correct it. The command line exits with 2 (kInput) or 3 (kMachine).
enum class ErrorKind {
  kInput,    // the user's input is wrong
  kMachine,  // the machine failed: disk full, I/O error, a missing program
};

/// What is wrong with one option or parameter. Code reads these parts, never the English of a
/// message.
struct OptionFault {
  std::string option;       // its name as given
  std::string found;        // the value given
  std::string expected;     // the range of the value; for an unknown option all valid names
  bool is_unknown = false;  // true: there is no such option; false: its value is wrong
  std::string nearest;      // the nearest valid name or value; empty if none is near
  std::string message;      // all of this as a text for people
};

struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;  // names the file, line or option, what was found and what was expected
  std::vector<OptionFault> faults = {};  // one for each option or parameter that is wrong
};

inline Error input_error(std::string message) { return {ErrorKind::kInput, std::move(message)}; }
inline Error machine_error(std::string message) {
  return {ErrorKind::kMachine, std::move(message)};
}

/// The same error with the message "place: message".
inline Error in_context(std::string_view place, Error error) {
  error.message.insert(0, ": ").insert(0, place);
  return error;
}
/// Both errors as one, "message; message"; its kind is that of the first.
inline Error with_more(Error error, const Error& more) {
  error.message.append("; ").append(more.message);
  error.faults.insert(error.faults.end(), more.faults.begin(), more.faults.end());
  return error;
}
/// An input error made of faults. REQUIRES: at least one.
inline Error option_error(std::vector<OptionFault> faults) {
  Error error{ErrorKind::kInput, ""};
  for (const OptionFault& fault : faults) {
    error.message.append(error.message.empty() ? "" : "; ").append(fault.message);
  }
  error.faults = std::move(faults);
  return error;
}

template <class T>
using Result = boost::outcome_v2::basic_result<T, Error, boost::outcome_v2::policy::terminate>;

inline auto success() { return boost::outcome_v2::success(); }

}  // namespace lsmlab
