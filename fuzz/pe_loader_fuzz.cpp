// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a Windows program, and again as every DLL it asks for: parsing and loading end in a process or in an error
// sentence. Seeds: the built workloads.
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"
#include "sim/windows/loader.h"

namespace {

using wperf::u8;
using wperf::usize;

// A file cannot be program and DLL at once: as a DLL the input gets the DLL bit of its COFF header set.
class SelfSource : public wperf::sim::ImageSource {
 public:
  explicit SelfSource(const std::vector<std::byte>& program) : bytes_(program) {
    constexpr usize kPeOffsetAt = 0x3c, kCharacteristicsAfterPe = 22;
    if (bytes_.size() < kPeOffsetAt + 2) return;
    const usize pe = std::to_integer<usize>(bytes_[kPeOffsetAt]) | std::to_integer<usize>(bytes_[kPeOffsetAt + 1]) << 8;
    const usize high = pe + kCharacteristicsAfterPe + 1;
    if (high < bytes_.size()) bytes_[high] |= std::byte{0x20};
  }
  [[nodiscard]] bool find(const std::string& dll, wperf::sim::ImageFile& out) override {
    out = {dll, dll, bytes_};
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  wperf::sim::ImageFile program;
  program.name = program.path = "input.exe";
  for (const u8 value : std::span(data, size)) program.bytes.push_back(static_cast<std::byte>(value));
  SelfSource source(program.bytes);
  wperf::sim::LoadError error;
  const auto process = wperf::sim::Process::load(program, source, "input.exe", 1, error);
  if ((process == nullptr) == error.text.empty()) std::abort();
  return 0;
}
