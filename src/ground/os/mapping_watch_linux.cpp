// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "ground/os/mapping_watch.h"

namespace wperf::os {

// Entries are reused instead of freed, because a signal may come while another thread adds or removes entries.
struct MappingWatch::All {
  static std::atomic<MappingWatch*> newest;
  static MappingWatch* first_free;
  static std::mutex mutex;                  // held while the lists, or a name, change
  static std::vector<std::string>* shrunk;  // the names of shrunk files that were unmapped
  static struct sigaction before;

  static void on_fault(int signal, siginfo_t* info, void* context);
};
constinit std::atomic<MappingWatch*> MappingWatch::All::newest{nullptr};
constinit MappingWatch* MappingWatch::All::first_free = nullptr;
constinit std::mutex MappingWatch::All::mutex;
constinit struct sigaction MappingWatch::All::before{};
constinit std::vector<std::string>* MappingWatch::All::shrunk = nullptr;

// Returns false if the address is not in this mapping. All bytes after the page are beyond the end, too.
bool MappingWatch::fill_with_zeros(std::uintptr_t fault) {
  const std::uintptr_t begin = begin_.load(), end = end_.load();
  if (fault < begin || fault >= end) return false;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
  void* const from = reinterpret_cast<void*>(fault / page * page);
  const size_t size = end - fault / page * page;
  const int access = writable_.load() ? PROT_READ | PROT_WRITE : PROT_READ;
  if (mmap(from, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
  has_shrunk_.store(true);
  return true;
}

// A signal that is not ours is passed to the previous handler. Without a previous handler, the signal gets its default
// effect: a fault occurs again after this function returns.
void MappingWatch::All::on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_sent = info->si_code <= 0;  // sent by a process
  bool is_done = false;
  if (!is_sent) {
    const auto fault = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (MappingWatch* watch = newest.load(); watch != nullptr && !is_done; watch = watch->next_)
      is_done = watch->fill_with_zeros(fault);
  }
  if (!is_done && (before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (!is_done) {
    sigaction(signal, &before, nullptr);
    if (is_sent) raise(signal);
  }
  errno = error;
}

MappingWatch* MappingWatch::start(std::span<const std::byte> bytes, bool writable) {
  const std::lock_guard lock(All::mutex);
  if (All::newest.load() == nullptr) {
    struct sigaction action{};
    action.sa_sigaction = All::on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGBUS, &action, &All::before);
  }
  MappingWatch* watch = All::first_free;
  if (watch != nullptr) {
    All::first_free = watch->next_free_;
  } else {
    watch = new MappingWatch;
    watch->next_ = All::newest.load();
    All::newest.store(watch);
  }
  watch->has_shrunk_.store(false);
  watch->writable_.store(writable);
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  watch->begin_.store(begin);
  watch->end_.store(begin + bytes.size());
  return watch;
}

void MappingWatch::collect_shrunk(std::vector<std::string>& names) {
  if (has_shrunk_.load() && !name_.empty()) names.push_back(std::exchange(name_, {}));
}

void MappingWatch::stop() {
  const std::lock_guard lock(All::mutex);
  if (has_shrunk_.load()) {
    if (All::shrunk == nullptr) All::shrunk = new std::vector<std::string>;
    collect_shrunk(*All::shrunk);
  }
  name_.clear();
  end_.store(0);
  begin_.store(0);
  next_free_ = All::first_free;
  All::first_free = this;
}

void MappingWatch::report_as(const std::string& name) {
  const std::lock_guard lock(All::mutex);
  name_ = name;
}

std::vector<std::string> MappingWatch::take_shrunk() {
  const std::lock_guard lock(All::mutex);
  std::vector<std::string> names;
  if (All::shrunk != nullptr) names.swap(*All::shrunk);
  for (MappingWatch* watch = All::newest.load(); watch != nullptr; watch = watch->next_) watch->collect_shrunk(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace wperf::os
