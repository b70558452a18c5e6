// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/recording_thread_linux.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "formats/perf_data/record_bytes.h"

namespace wperf::perf_events {
namespace {

// The longest time that bytes stay in a ring that is not half full; a killed wperf loses at most that much.
constexpr int kLongestWaitMs = 100;
// A record gets its time before it is in the ring.
constexpr u64 kOnTheirWayNs = 1'000'000;

template <clockid_t kClock>
u64 read_clock() {
  timespec now{};
  clock_gettime(kClock, &now);
  return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec);
}

bool is_nearly_full(const SampleRing& ring) {
  const RingPieces pieces = ring.waiting();
  return pieces.first.size() + pieces.second.size() >= ring.size() / 4 * 3;
}

// The calling thread gets a core as soon as it has work, as far as this user may do that.
void come_first() {
  sched_param lowest{};
  lowest.sched_priority = 1;
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0) return;
  constexpr int kMostFavourable = -20;
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kMostFavourable));
}

}  // namespace

RecordingClocks system_clocks() {
  return {.now = read_clock<CLOCK_MONOTONIC>, .processor_time = read_clock<CLOCK_THREAD_CPUTIME_ID>};
}

diag::Result<void> RecordingThread::start() {
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!stop_.is_open()) {
    return diag::system_error("cannot start recording", errno);
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
  return diag::system_error("cannot start a thread for recording", error);
}

void RecordingThread::stop() {
  if (!thread_.joinable()) return;
  const u64 one = 1;
  static_cast<void>(!write(stop_.number(), &one, sizeof one));
  thread_.join();
  carry_over(true);
}

void RecordingThread::add_earlier(std::string_view records) {
  const std::lock_guard lock(writing_);
  if (filter_ != nullptr) {
    filter_->take(std::as_bytes(std::span(records)), {});
  } else {
    file_.append(records);
  }
  has_earlier_ = true;
}

// A round reads every ring once.
void RecordingThread::carry_over(bool is_last) {
  const std::lock_guard lock(writing_);
  const u64 before = file_.size(), began_ns = clocks_.now();
  // Nearly full because of the filter's work since the last round, not because other threads had the processor.
  const bool filter_takes_long = 2 * filtering_ns_ > began_ns - last_round_ns_;
  last_round_ns_ = began_ns;
  if (filter_ != nullptr) {
    filter_->set_hurried(filter_takes_long && std::any_of(rings_.begin(), rings_.end(), is_nearly_full));
  }
  enlarge_full_ones();
  for (SampleRing& ring : rings_) {
    const RingPieces pieces = ring.waiting();
    if (filter_ != nullptr) {
      filter_->take(pieces.first, pieces.second);
    } else {
      file_.append(pieces.first, pieces.second);
    }
    ring.taken_up_to(pieces.tail);
  }
  if (filter_ != nullptr && (has_earlier_ || is_last)) {
    filtered_.clear();
    const u64 cpu_ns = clocks_.processor_time();
    filter_->settle(is_last ? ~u64{0} : began_ns - kOnTheirWayNs, filtered_);
    filtering_ns_ = clocks_.processor_time() - cpu_ns;
    file_.append(filtered_);
  }
  if (file_.size() != before && has_earlier_) end_round();
  written_.store(file_.size(), std::memory_order_relaxed);
}

// A full ring will lose records soon, or has lost some. Its contents are read with those of the others.
void RecordingThread::enlarge_full_ones() {
  if (!enlarge_) return;
  for (usize ring = 0, known = rings_.size(); ring < known; ++ring) {
    if (is_nearly_full(rings_[ring])) enlarge_(ring);
  }
}

// A mark follows each round, because later records are not older than the round before; with these marks perf puts
// records in order with little memory. No mark comes before perf has read the earlier state: it would search for that
// state in vain.
void RecordingThread::end_round() {
  std::string mark;
  perf_data::append_finished_round(mark);
  file_.append(mark);
}

void RecordingThread::run() {
  if (filter_ != nullptr && filter_->is_urgent()) come_first();
  std::vector<pollfd> waited;
  waited.push_back({.fd = stop_.number(), .events = POLLIN, .revents = 0});
  for (const SampleRing& ring : rings_) waited.push_back({.fd = ring.event(), .events = POLLIN, .revents = 0});
  // A larger ring is filled by the same events, which are already polled.
  while ((waited.front().revents & POLLIN) == 0) {
    static_cast<void>(poll(waited.data(), waited.size(), kLongestWaitMs));
    carry_over();
    for (pollfd& one : waited) {
      if ((one.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) one.fd = -1;  // the watched program has ended
    }
  }
}

}  // namespace wperf::perf_events
