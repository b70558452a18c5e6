// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/system_dlls.h"

#include "sim/windows/crt_state.h"
#include "sim/windows/placement.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kStubSize = 8;
constexpr u32 kSvc = 0xd4000001;  // immediate in bits 5..20
constexpr u32 kRet = 0xd65f03c0;
constexpr u64 kSystemArea = 0x7ffc'0000'0000;
constexpr std::array<u8, 3> kDlls = {kNtDll, kKernelDll, kCrtDll};

// Several DLLs may have the same function; the lowest bit decides which of them holds its stub.
u8 home_of(const Win32Function& function) {
  return static_cast<u8>(function.dlls & (~function.dlls + 1));
}

}  // namespace

bool SystemDlls::map(AddressSpace& space, u64 seed) {
  stubs_.assign(win32_function_count(), 0);
  for (usize index = 0; index < kDlls.size(); ++index) {
    std::vector<u32> code;
    SystemImage& image = images_[index];
    image.dll = kDlls[index];
    image.base = kSystemArea + (u64{index} << 32) / 4 + random_offset(seed, PlacedThing::system_dll, index, 0x2000);
    const u64 text = image.base + kPageSize;
    for (u32 number = 0; number < stubs_.size(); ++number) {
      if (home_of(*win32_function(number)) != image.dll) continue;
      stubs_[number] = text + code.size() * sizeof(u32);
      code.push_back(kSvc | (number << 5));
      code.push_back(kRet);
    }
    const u64 text_size = page_up(code.size() * sizeof(u32));
    const bool has_data = image.dll == kCrtDll;
    image.size = kPageSize + text_size + (has_data ? kCrtDataBytes : 0);
    if (has_data) crt_data_ = text + text_size;
    const std::array<char, 2> mark = {'M', 'Z'};
    if (!space.map(image.base, kPageSize, kRead) || !space.map(text, text_size, kRead | kExecute) ||
        (has_data && !space.map(crt_data_, kCrtDataBytes, kRead | kWrite)) ||
        !space.write(image.base, mark.data(), mark.size()) ||
        !space.write(text, code.data(), code.size() * sizeof(u32))) {
      return false;
    }
  }
  static_assert(kStubSize == 2 * sizeof(u32));
  return true;
}

bool SystemDlls::knows(std::string_view dll) {
  return system_dlls_named(dll) != 0;
}

std::optional<u64> SystemDlls::address_of(std::string_view dll, std::string_view function) const {
  const u8 dlls = system_dlls_named(dll);
  if ((dlls & kCrtDll) != 0) {
    if (const auto variable = find_crt_variable(function)) return crt_data_ + *variable;
  }
  const auto number = find_win32_function(dlls, function);
  return number ? std::optional<u64>(stubs_[*number]) : std::nullopt;
}

u64 SystemDlls::stub(u32 number) const {
  return stubs_[number];
}

const SystemImage* SystemDlls::named(std::string_view dll) const {
  const u8 wanted = system_dlls_named(dll);
  for (const SystemImage& image : images_) {
    if (image.dll == wanted) return &image;
  }
  return nullptr;
}

const SystemImage* SystemDlls::at(u64 base) const {
  for (const SystemImage& image : images_) {
    if (image.base == base) return &image;
  }
  return nullptr;
}

}  // namespace wperf::sim
