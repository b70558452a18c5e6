// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/message_console.h"

namespace wperf::capi {

void MessageConsole::out(std::string_view text) {
  if (!verbose_) return;
  unfinished_ += text;
  size_t begin = 0;
  for (size_t end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', begin)) {
    if (end != begin) send(unfinished_.substr(begin, end - begin));
    begin = end + 1;
  }
  unfinished_.erase(0, begin);
}

void MessageConsole::warn(std::string_view line) {
  send(std::string(line));
}

void MessageConsole::send(const std::string& line) const {
  if (sink_.function != nullptr) sink_.function(line.c_str(), sink_.context);
}

}  // namespace wperf::capi
