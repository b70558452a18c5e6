// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/recording_thread_linux.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "export/perf_data/record_bytes.h"

namespace wperf::perf_events {
namespace {

// How long bytes may stay in a ring that is not half full: what a killed wperf leaves is that old.
constexpr int kLongestWaitMs = 100;

}  // namespace

diag::Result<void> RecordingThread::start() {
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!stop_.is_open()) {
    return diag::Error{.text = fmt::format("recording cannot begin: {}", std::strerror(errno)), .hint = {}};
  }
  // Ctrl-C is for the thread that waits for the program.
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& refused) {
    error = refused.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return {};
  return diag::Error{.text = fmt::format("there can be no thread for the recording: {}", std::strerror(error)),
                     .hint = {}};
}

void RecordingThread::stop() {
  if (!thread_.joinable()) return;
  const u64 one = 1;
  static_cast<void>(!write(stop_.number(), &one, sizeof one));
  thread_.join();
  carry_over();
}

// A round: every ring once. Behind it stands a mark, because what follows is not older than the round before; perf puts
// records in order with these marks and little memory.
void RecordingThread::carry_over() {
  const u64 before = file_.size();
  for (SampleRing& ring : rings_) {
    const RingPieces pieces = ring.waiting();
    file_.append(pieces);
    ring.taken_up_to(pieces.tail);
  }
  if (file_.size() == before) return;
  std::string mark;
  perf_export::append_finished_round(mark);
  file_.append(mark);
  written_.store(file_.size(), std::memory_order_relaxed);
}

void RecordingThread::run() {
  std::vector<pollfd> waited;
  waited.push_back({.fd = stop_.number(), .events = POLLIN, .revents = 0});
  for (const SampleRing& ring : rings_) waited.push_back({.fd = ring.event(), .events = POLLIN, .revents = 0});
  while ((waited.front().revents & POLLIN) == 0) {
    static_cast<void>(poll(waited.data(), waited.size(), kLongestWaitMs));
    carry_over();
    for (pollfd& one : waited) {
      if ((one.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) one.fd = -1;  // whom it watched has ended
    }
  }
}

}  // namespace wperf::perf_events
