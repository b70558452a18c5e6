// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/thread_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace wperf::linux_kernel {
namespace {

// "[<0>] futex_do_wait+0x46/0x90", one line for each function.
std::vector<std::string> functions_of(std::string_view stack) {
  std::vector<std::string> functions;
  while (!stack.empty()) {
    const std::string_view line = stack.substr(0, stack.find('\n'));
    stack.remove_prefix(std::min(line.size() + 1, stack.size()));
    const usize begin = line.find("] ");
    if (begin == line.npos) continue;
    const std::string_view name = line.substr(begin + 2);
    functions.emplace_back(name.substr(0, name.find_first_of("+ ")));
  }
  return functions;
}

// "202 0x7fe33de1d990 0x109 …": the number of the system call and its arguments.
std::optional<u64> first_argument_of(std::string_view call) {
  const usize begin = call.find(" 0x");
  if (begin == call.npos || call.starts_with('-')) return std::nullopt;
  const std::string_view digits = call.substr(begin + 3);
  u64 value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<ThreadNow> threads_now(u32 process, const perf_events::SystemFiles& files) {
  std::vector<ThreadNow> threads;
  const std::string folder = fmt::format("/proc/{}/task", process);
  for (const u32 thread : files.numbers(folder)) {
    const auto read = [&](std::string_view file) {
      return files.text(fmt::format("{}/{}/{}", folder, thread, file)).value_or(std::string());
    };
    const std::string stat = read("stat");
    // The name may contain parentheses.
    const usize end = stat.rfind(") ");
    if (end == stat.npos || end + 2 >= stat.size()) continue;
    ThreadNow one{.thread = thread, .name = read("comm"), .state = stat[end + 2], .functions = {}};
    one.functions = functions_of(read("stack"));
    const std::string innermost = read("wchan");
    if (one.functions.empty() && !innermost.empty() && innermost != "0") one.functions.push_back(innermost);
    one.first_argument = first_argument_of(read("syscall"));
    threads.push_back(std::move(one));
  }
  return threads;
}

}  // namespace wperf::linux_kernel
