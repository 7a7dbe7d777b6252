// Text that the helps of several verbs share.
#pragma once

#include <string>
#include <string_view>

namespace lsmlab {

/// How a SPEC is written.
inline constexpr const char* kSpecHelp =
    "A SPEC is NAME[:key=value[,key=value...]]. NAME is a name from 'lsmlab policies', 'lsmlab\n"
    "workloads' or 'lsmlab devices', or the path of a JSON file. Numbers: 100000, 10M (decimal),\n"
    "8MiB (binary), 70%.";

/// The exit codes. `shortfall`: what code 1 means; empty where the verb never returns it.
/// `interrupted`: what Ctrl-C leaves; empty where it only ends the verb.
[[nodiscard]] std::string exit_help(std::string_view shortfall = "",
                                    std::string_view interrupted = "");

}  // namespace lsmlab
