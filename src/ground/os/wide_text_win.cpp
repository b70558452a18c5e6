// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/wide_text_win.h"

#include <windows.h>

namespace wperf::os {

std::string system_error_text(unsigned long error) {
  wchar_t text[512];
  DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0, text,
                                static_cast<DWORD>(std::size(text)), nullptr);
  while (length > 0 && (text[length - 1] == L'\n' || text[length - 1] == L'\r' || text[length - 1] == L'.' ||
                        text[length - 1] == L' ')) {
    --length;
  }
  const std::string number = "Windows error " + std::to_string(error);
  return length == 0 ? number : utf8_of(std::wstring_view(text, length)) + " (" + number + ")";
}

}  // namespace wperf::os
