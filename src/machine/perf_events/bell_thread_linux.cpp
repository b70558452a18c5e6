// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/bell_thread_linux.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace wperf::perf_events {

BellThread::BellThread() : bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void BellThread::ring() const {
  const u64 one = 1;
  static_cast<void>(!write(bell_.number(), &one, sizeof one));
}

void BellThread::silence() const {
  u64 count = 0;
  static_cast<void>(!read(bell_.number(), &count, sizeof count));
}

diag::Result<void> BellThread::start(std::function<void()> run) {
  if (!bell_.is_open()) return diag::system_error("cannot start recording", errno);
  // Only the thread that waits for the program handles Ctrl-C.
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  try {
    thread_ = std::thread(std::move(run));
  } catch (const std::system_error& refused) {
    error = refused.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return {};
  return diag::system_error("cannot start a thread for recording", error);
}

bool BellThread::stop() {
  if (!thread_.joinable()) return false;
  is_ending_ = true;
  ring();
  thread_.join();
  return true;
}

}  // namespace wperf::perf_events
