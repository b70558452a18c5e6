// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>

#include "ground/os/pager.h"

namespace wperf::os {

// Git for Windows' less is not on PATH, and `more` neither shows colours nor scrolls back.
bool has_less() {
  return false;
}

bool show_in_pager(const std::string& command, std::string_view text) {
  if (std::getenv("LESS") == nullptr) _putenv("LESS=FRX");
  std::FILE* pager = _popen(command.c_str(), "wb");
  if (pager == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pager);
  constexpr int kNotFound = 1;  // exit code of cmd; some pagers end with it, too
  return _pclose(pager) != kNotFound;
}

}  // namespace wperf::os
