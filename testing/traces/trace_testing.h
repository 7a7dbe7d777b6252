// Helpers for tests of trace files: a temporary directory, whole files, random operations.
#pragma once

#include <fmt/format.h>

#include <boost/random/mersenne_twister.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "traces/files/trace_file.h"

namespace lsmlab::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Scratch {
 public:
  Scratch() : directory_(TemporaryDirectory::create("").value()) {}
  [[nodiscard]] std::string path() const { return directory_->path(); }
  [[nodiscard]] std::string path(const std::string& name) const { return path() + "/" + name; }

 private:
  std::unique_ptr<TemporaryDirectory> directory_;
};

inline std::vector<std::uint8_t> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string text_of_file(const std::string& path) {
  const auto bytes = bytes_of_file(path);
  return {bytes.begin(), bytes.end()};
}

inline void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline void write_trace(const std::string& path, const std::vector<Operation>& operations,
                        const std::string& provenance = {}) {
  auto writer = TraceWriter::create(path, provenance);
  REQUIRE(writer.has_value());
  REQUIRE(writer.value()->append(operations).has_value());
  REQUIRE(writer.value()->finish().has_value());
}

/// Operations of every kind. Each column varies between constant, narrow and wide values.
inline std::vector<Operation> random_operations(std::uint32_t seed, std::size_t count) {
  boost::random::mt19937_64 random(seed);
  const auto bits = [&](std::uint64_t most) { return random() >> (64 - 1 - random() % most); };
  const std::uint64_t key_bits = 1 + random() % 63;
  const std::uint64_t size_bits = 1 + random() % 31;
  const bool sorted = random() % 2 == 0;
  const bool full_scans = random() % 2 == 0;
  std::vector<Operation> operations(count);
  std::uint64_t key = random();
  for (Operation& operation : operations) {
    operation.kind = static_cast<OperationKind>(random() % 4);
    key = sorted ? key + bits(key_bits) : bits(key_bits);
    operation.key = key;
    operation.key_bytes = static_cast<std::uint16_t>(bits(16) & 0xffff);
    if (operation.kind == OperationKind::kPut) {
      operation.value_bytes = static_cast<std::uint32_t>(bits(size_bits));
    }
    if (operation.kind == OperationKind::kScan) {
      operation.scan_last_key = full_scans ? ~std::uint64_t{0} : key + bits(20);
      operation.scan_entries_max = static_cast<std::uint32_t>(bits(size_bits));
    }
  }
  return operations;
}

}  // namespace lsmlab::testing
