// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "ground/os/process.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {
namespace {

std::atomic<bool> interrupt_seen{false};
bool is_caught = false;
static_assert(std::atomic<bool>::is_always_lock_free, "touched by a signal handler");

void on_interrupt(int) {
  interrupt_seen.store(true, std::memory_order_relaxed);
  unfinished_files::care_again();  // the next one ends the process
}

}  // namespace

std::vector<std::string> program_arguments(int count, char** words) {
  return {words + (count > 0 ? 1 : 0), words + count};
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one, because those below it are open.
    static_cast<void>(open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
  }
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string program_folder() {
  std::error_code error;
  Dl_info found{};
  link_map* file = nullptr;
  const auto here = reinterpret_cast<const void*>(&on_interrupt);
  if (dladdr1(here, &found, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) != 0 && file != nullptr &&
      file->l_name != nullptr && file->l_name[0] != '\0') {
    const auto library = std::filesystem::canonical(file->l_name, error);
    return error ? std::string() : library.parent_path().string();
  }
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);  // the program has no name in the map
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

void catch_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  is_caught = true;
}

void release_interrupt() {
  if (!is_caught) return;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  unfinished_files::care_again();
  is_caught = false;
}

void outlive_readers() {
  signal(SIGPIPE, SIG_IGN);
}

bool is_reader_gone(int error) {
  return error == EPIPE;
}

bool interrupted() {
  return interrupt_seen.load(std::memory_order_relaxed);
}

}  // namespace wperf::os
