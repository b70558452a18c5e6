// SPDX-License-Identifier: BSD-3-Clause
// The gate between a simulated program and the Win32 surface: for each DLL of Windows a small image of stubs, `svc #n`
// then `ret`, one per function. An import resolves to its stub. Made once per process by Process::load.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

struct SystemImage {
  u8 dll = 0;  // one bit of SystemDll
  u64 base = 0, size = 0;
};

class SystemDlls {
 public:
  [[nodiscard]] bool map(AddressSpace& space, u64 seed);  // false if the addresses are in use

  static bool knows(std::string_view dll);
  [[nodiscard]] std::optional<u64> address_of(std::string_view dll, std::string_view function) const;
  u64 stub(u32 number) const;
  u64 crt_data() const { return crt_data_; }  // address of the C runtime's variables
  const SystemImage* named(std::string_view dll) const;
  const SystemImage* at(u64 base) const;  // by module handle
  const std::array<SystemImage, 3>& images() const { return images_; }

 private:
  std::array<SystemImage, 3> images_{};
  u64 crt_data_ = 0;
  std::vector<u64> stubs_;  // by function number
};

}  // namespace wperf::sim
