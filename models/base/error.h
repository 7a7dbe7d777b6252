// Expected failures are values: a Result holds what was asked for, or an Error that says what went
// wrong, where, and whose fault it is. No exception crosses a room.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lsmlab {

/// Who can mend it: the kinds are the command line's exit codes 2 and 3.
enum class ErrorKind {
  kInput,    // what the user gave is wrong
  kMachine,  // the machine failed: disk full, I/O error, a missing program
};

/// What is wrong with one option or parameter, for code: no code reads the English of a message.
struct OptionFault {
  std::string option;       // its name as given
  std::string found;        // the value given
  std::string expected;     // the range; of an unknown option all names that there are
  bool is_unknown = false;  // there is no such option; else the value is wrong
  std::string nearest;      // the nearest valid name or value; empty where none is near
  std::string message;      // all of this, for people
};

struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;  // names the file, line or option, what was found and what was expected
  std::vector<OptionFault> faults = {};  // where options are at fault, each
};

inline Error input_error(std::string message) { return {ErrorKind::kInput, std::move(message)}; }
inline Error machine_error(std::string message) {
  return {ErrorKind::kMachine, std::move(message)};
}

/// "place: message", of the same kind and with the same parts.
inline Error in_context(std::string_view place, Error error) {
  error.message.insert(0, ": ").insert(0, place);
  return error;
}
/// Both, "message; message"; the kind is the first one's.
inline Error with_more(Error error, const Error& more) {
  error.message.append("; ").append(more.message);
  error.faults.insert(error.faults.end(), more.faults.begin(), more.faults.end());
  return error;
}
/// An input error of at least one fault.
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
