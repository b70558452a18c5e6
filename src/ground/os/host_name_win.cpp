// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/host_name.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {

std::string host_name() {
  wchar_t name[256];
  DWORD length = static_cast<DWORD>(std::size(name));
  if (GetComputerNameExW(ComputerNameDnsHostname, name, &length) == 0) return {};
  return utf8_of(std::wstring(name, length));
}

}  // namespace wperf::os
