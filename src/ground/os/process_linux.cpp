// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {
namespace {

std::atomic<bool> interrupt_seen{false}, is_caught{false};
std::atomic<u64> interrupted_at_ns{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<u64>::is_always_lock_free,
              "touched by a signal handler");

// timeout(1) signals a program and then its group, so one request may arrive twice.
void on_interrupt(int number) {
  constexpr u64 kOneRequestNs = 250'000'000;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const u64 now_ns = static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_nsec);
  const u64 before_ns = interrupted_at_ns.load();
  if (before_ns != 0 && now_ns - before_ns < kOneRequestNs) return;
  interrupted_at_ns.store(now_ns);
  if (is_caught.load() && !interrupt_seen.exchange(true)) return;  // the first signal only sets the flag
  signal(number, SIG_DFL);
  unfinished_files::reinstall_handlers();
  raise(number);  // delivered when this returns
}

u64 nanoseconds(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_usec) * 1'000;
}

}  // namespace

std::vector<std::string> program_arguments(int count, char** words) {
  return {words + (count > 0 ? 1 : 0), words + count};
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free number. That is `stream`, because the numbers below it are open.
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
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);  // the dynamic linker's list has no name
                                                                             // for the program
  return error ? std::string() : self.parent_path().string();
}

// Folders outside of the prefix are not searched, because other users may be able to write there.
std::string companion_file(const std::string& folder, const std::string& name) {
  const std::string beside = join_path(folder, name);
  if (file_exists(beside)) return beside;
  const std::filesystem::path own(folder);
  const std::filesystem::path parent = own.parent_path();
  const std::string last = own.filename().string();
  std::filesystem::path installed;
  if (last == "bin" || last == "lib" || last == "lib64") {
    installed = parent / "lib" / "wperf" / name;
  } else if (parent.filename() == "lib") {
    installed = parent / "wperf" / name;
  }
  return !installed.empty() && file_exists(installed.string()) ? installed.string() : beside;
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
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  is_caught.store(true);
}

// After an interrupt the handler stays, because the second signal of the request may still arrive.
void release_interrupt() {
  if (!is_caught.exchange(false) || interrupted_at_ns.load() != 0) return;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  unfinished_files::reinstall_handlers();
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

bool take_interrupt() {
  return interrupt_seen.exchange(false, std::memory_order_relaxed);
}

ProcessCost process_cost() {
  ProcessCost cost;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    cost.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    cost.most_bytes = static_cast<u64>(usage.ru_maxrss) << 10;
  }
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    unsigned long size = 0, resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) {
      cost.resident_bytes = u64{resident} * static_cast<u64>(sysconf(_SC_PAGESIZE));
    }
    std::fclose(file);
  }
  return cost;
}

namespace {

constexpr size_t kStep = 4096;  // a pipe takes at least this much at once

}  // namespace

// write() makes the kernel read the memory, and it fails with EFAULT where a load would crash. Unlike
// process_vm_readv(), it needs no permission that a container may lack.
bool copy_own_memory(const void* from, std::span<std::byte> to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const auto* source = static_cast<const std::byte*>(from);
  bool whole = true;
  for (size_t done = 0; whole && done < to.size();) {
    const size_t step = std::min(kStep, to.size() - done);
    const auto size = static_cast<ssize_t>(step);
    whole = write(ends[1], source + done, step) == size && read(ends[0], to.data() + done, step) == size;
    done += step;
  }
  close(ends[0]);
  close(ends[1]);
  return whole;
}

namespace {

// Parses a line that begins with two addresses and "-" between them. Returns the second address if the first is
// `begin`, otherwise 0.
std::uint64_t end_of_mapping(const std::string& line, std::uint64_t begin) {
  const char* const line_end = line.data() + line.size();
  std::uint64_t first = 0, end = 0;
  const auto dash = std::from_chars(line.data(), line_end, first, 16);
  if (dash.ec != std::errc{} || first != begin || dash.ptr == line_end || *dash.ptr != '-') return 0;
  if (std::from_chars(dash.ptr + 1, line_end, end, 16).ec != std::errc{}) return 0;
  return end > begin ? end : 0;
}

}  // namespace

std::span<const std::byte> vdso_image() {
  const unsigned long begin = getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return {};
  // "7ffd1c5f2000-7ffd1c5f4000 r-xp 00000000 00:00 0          [vdso]"
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[vdso]")) continue;
    const std::uint64_t end = end_of_mapping(line, begin);
    if (end == 0) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
    return {reinterpret_cast<const std::byte*>(begin), static_cast<size_t>(end - begin)};
  }
  return {};
}

}  // namespace wperf::os
