// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "ground/os/mapped_file.h"

namespace wperf::os {

// Where a file is mapped. Entries are reused instead of freed, because a signal may come while another thread adds or
// removes entries.
struct MappedFile::Watch {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // equal while no file uses this entry
  std::atomic<bool> has_shrunk{false};
  Watch* next = nullptr;       // the next older entry in the list of all entries
  Watch* next_free = nullptr;  // the next entry in the list of unused ones
  std::string name;            // the name to report when it has shrunk; empty if it is not reported

  static std::atomic<Watch*> newest;
  static Watch* first_free;
  static std::mutex mutex;                  // held while the lists, or a name, change
  static std::vector<std::string>* shrunk;  // the names of shrunk files that were unmapped
  static struct sigaction before;

  static Watch* start(std::span<const std::byte> bytes);
  void stop();
  void collect_shrunk(std::vector<std::string>& names);
  static void on_fault(int signal, siginfo_t* info, void*);
  static bool fill_with_zeros(std::uintptr_t fault);
};
constinit std::atomic<MappedFile::Watch*> MappedFile::Watch::newest{nullptr};
constinit MappedFile::Watch* MappedFile::Watch::first_free = nullptr;
constinit std::mutex MappedFile::Watch::mutex;
constinit struct sigaction MappedFile::Watch::before{};
constinit std::vector<std::string>* MappedFile::Watch::shrunk = nullptr;

// All bytes after the page are beyond the end, too.
bool MappedFile::Watch::fill_with_zeros(std::uintptr_t fault) {
  for (Watch* watch = newest.load(); watch != nullptr; watch = watch->next) {
    const std::uintptr_t begin = watch->begin.load(), end = watch->end.load();
    if (fault < begin || fault >= end) continue;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
    void* const from = reinterpret_cast<void*>(fault / page * page);
    const size_t size = end - fault / page * page;
    if (mmap(from, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
    watch->has_shrunk.store(true);
    return true;
  }
  return false;
}

// If the fault is not ours, it occurs again after this returns, and then goes to the previous handler.
void MappedFile::Watch::on_fault(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const bool is_sent = info->si_code <= 0;  // sent by a process
  if (is_sent || !fill_with_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    sigaction(signal, &before, nullptr);
    if (is_sent) raise(signal);
  }
  errno = error;
}

MappedFile::Watch* MappedFile::Watch::start(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex);
  if (newest.load() == nullptr) {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGBUS, &action, &before);
  }
  Watch* watch = first_free;
  if (watch != nullptr) {
    first_free = watch->next_free;
  } else {
    watch = new Watch;
    watch->next = newest.load();
    newest.store(watch);
  }
  watch->has_shrunk.store(false);
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  watch->begin.store(begin);
  watch->end.store(begin + bytes.size());
  return watch;
}

void MappedFile::Watch::collect_shrunk(std::vector<std::string>& names) {
  if (has_shrunk.load() && !name.empty()) names.push_back(std::exchange(name, {}));
}

void MappedFile::Watch::stop() {
  const std::lock_guard lock(mutex);
  if (has_shrunk.load()) {
    if (shrunk == nullptr) shrunk = new std::vector<std::string>;
    collect_shrunk(*shrunk);
  }
  name.clear();
  end.store(0);
  begin.store(0);
  next_free = first_free;
  first_free = this;
}

bool MappedFile::has_shrunk() const {
  return watch_ != nullptr && watch_->has_shrunk.load();
}

std::vector<std::string> MappedFile::take_shrunk() {
  const std::lock_guard lock(Watch::mutex);
  std::vector<std::string> names;
  if (Watch::shrunk != nullptr) names.swap(*Watch::shrunk);
  for (Watch* watch = Watch::newest.load(); watch != nullptr; watch = watch->next) watch->collect_shrunk(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

diag::Result<MappedFile> MappedFile::open_as(const std::string& path, const std::string& name) {
  WPERF_TRY(MappedFile file, open(path));
  file.report_as(name);
  return file;
}

diag::Result<MappedFile> MappedFile::open_descriptor(int file, const std::string& name) {
  WPERF_TRY(MappedFile mapped, map(file, name));
  mapped.report_as(name);
  return mapped;
}

void MappedFile::report_as(const std::string& name) {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(Watch::mutex);
  watch_->name = name;
}

diag::Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe must not wait
  if (file < 0) return diag::system_error("cannot open " + path, errno);
  auto mapped = map(file, path);
  close(file);
  return mapped;
}

diag::Result<MappedFile> MappedFile::map(int file, const std::string& name) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return diag::Error{.text = name + " is not a regular file", .hint = {}};
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const memory = size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  if (memory == MAP_FAILED) return diag::system_error("cannot map " + name, errno);
  MappedFile mapped(std::span(static_cast<const std::byte*>(memory), size));
  if (size != 0) mapped.watch_ = Watch::start(mapped.bytes_);
  return mapped;
}

void MappedFile::release(size_t begin, size_t end) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;  // if mappings share a page, the shared page must stay mapped
  end = std::min(end, bytes_.size()) / page * page;
  if (begin < end) madvise(const_cast<std::byte*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::unmap() {
  if (watch_ != nullptr) {
    watch_->stop();
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  bytes_ = {};
  watch_ = nullptr;
}

}  // namespace wperf::os
