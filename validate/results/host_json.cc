#include "validate/results/host_json.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "engine/foreign/foreign_store.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The text after "name :" in a file of /proc.
Json proc_line(const char* path, const std::string& name) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? Json(nullptr) : Json(line.substr(begin));
  }
  return nullptr;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json machine_json() {
  struct utsname system {};
  const bool is_known = ::uname(&system) == 0;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return {{"host", is_known ? Json(system.nodename) : Json(nullptr)},
          {"cpu", proc_line("/proc/cpuinfo", "model name")},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_bytes", pages > 0 && page_bytes > 0 ? Json(pages * page_bytes) : Json(nullptr)},
          {"kernel", is_known ? Json(system.release) : Json(nullptr)},
          {"version", LSMLAB_VERSION},
          {"rocksdb", text_or_null(engine::rocksdb_version())},
          {"leveldb", text_or_null(engine::leveldb_version())}};
}

}  // namespace lsmlab
