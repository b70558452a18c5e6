// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "os/process.h"

namespace wperf::os {
namespace {

std::atomic<bool> interrupt_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free, "touched by a signal handler");

void on_interrupt(int) {
  interrupt_seen.store(true, std::memory_order_relaxed);
}

}  // namespace

std::string program_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : self.parent_path().string();
}

unsigned process_number() {
  return static_cast<unsigned>(getpid());
}

std::string symbol_cache_folder() {
  if (const auto cache = environment("XDG_CACHE_HOME"); cache.has_value() && !cache->empty())
    return *cache + "/wperf/symbols";
  if (const auto home = environment("HOME"); home.has_value() && !home->empty()) return *home + "/.cache/wperf/symbols";
  return {};
}

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

void catch_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen.load(std::memory_order_relaxed);
}

}  // namespace wperf::os
