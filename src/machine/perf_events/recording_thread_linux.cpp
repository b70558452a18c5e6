// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/recording_thread_linux.h"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "formats/perf_data/record_bytes.h"

namespace wperf::perf_events {
namespace {

// How long bytes stay in a ring that is less than half full; a wperf that is killed loses at most this much.
constexpr int kLongestWaitMs = 100;
// The kernel reads the clock for a record before the record is in the ring.
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

// Makes the calling thread get a core soon, if this user may request it.
void come_early() {
  constexpr int kMostFavourable = -20;
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kMostFavourable));
}

}  // namespace

RecordingClocks system_clocks() {
  return {.now = read_clock<CLOCK_MONOTONIC>, .processor_time = read_clock<CLOCK_THREAD_CPUTIME_ID>};
}

diag::Result<void> RecordingThread::start() {
  if (filter_ != nullptr && filter_->wants_to_see()) {
    for (const SampleRing& ring : rings_)
      watchers_.push_back(std::make_unique<RingWatcher>(ring, *filter_, thread_, clocks_.now));
  }
  WPERF_CHECK_OK(thread_.start([this] { run(); }));
  for (const auto& watcher : watchers_) WPERF_CHECK_OK(watcher->start());
  return {};
}

void RecordingThread::stop() {
  for (const auto& watcher : watchers_) watcher->stop();
  if (thread_.stop()) carry_over(true);
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

std::string RecordingThread::jit_code() {
  const std::lock_guard lock(writing_);
  return filter_ != nullptr ? filter_->jit_code() : std::string();
}

stacks::PythonSamples RecordingThread::python() {
  const std::lock_guard lock(writing_);
  return filter_ != nullptr ? filter_->python() : stacks::PythonSamples();
}

// One round: reads every ring once.
void RecordingThread::carry_over(bool is_last) {
  const std::lock_guard lock(writing_);
  const u64 before = file_.size(), began_ns = clocks_.now();
  // If a ring is nearly full: is the reason the filter's work since the last round, rather than other threads?
  const bool filter_takes_long = 2 * filtering_ns_ > began_ns - last_round_ns_;
  last_round_ns_ = began_ns;
  if (filter_ != nullptr) {
    filter_->set_hurried(filter_takes_long && std::any_of(rings_.begin(), rings_.end(), is_nearly_full));
  }
  enlarge_full_ones();
  u64 complete_ns = began_ns;
  for (usize ring = 0; ring < rings_.size(); ++ring) complete_ns = std::min(complete_ns, take(ring, began_ns));
  if (filter_ != nullptr && (has_earlier_ || is_last)) {
    filtered_.clear();
    const u64 cpu_ns = clocks_.processor_time();
    filter_->settle(is_last ? ~u64{0} : complete_ns, filtered_);
    filtering_ns_ = clocks_.processor_time() - cpu_ns;
    file_.append(filtered_);
  }
  if (file_.size() != before && has_earlier_) end_round();
  written_.store(file_.size(), std::memory_order_relaxed);
}

// Takes the ring's records; if the ring has a watcher, only records that the watcher has already seen. All remaining
// records are later than the returned time.
u64 RecordingThread::take(usize ring, u64 began_ns) {
  SampleRing& from = rings_[ring];
  const u64 head = from.head();
  const RingWatcher::Seen seen = watchers_.empty() ? RingWatcher::Seen{began_ns, head} : watchers_[ring]->seen();
  const RingPieces pieces = from.waiting(seen.position);
  if (filter_ != nullptr) {
    filter_->take(pieces.first, pieces.second);
  } else {
    file_.append(pieces.first, pieces.second);
  }
  from.taken_up_to(pieces.tail);
  const bool is_all = seen.position == head;
  if (!is_all && from.look_ms() < 0) watchers_[ring]->wake();
  return std::max(is_all ? began_ns : seen.until_ns, kOnTheirWayNs) - kOnTheirWayNs;
}

// A full ring has lost records, or will soon lose some. Its contents are read in the same round as the other rings.
void RecordingThread::enlarge_full_ones() {
  if (!enlarge_ || !watchers_.empty()) return;
  for (usize ring = 0, known = rings_.size(); ring < known; ++ring) {
    if (is_nearly_full(rings_[ring])) enlarge_(ring);
  }
}

// A mark ends each round, because later records are not older than the previous round; with these marks perf needs
// little memory to sort records. No mark is written before the records of the earlier state, because perf would then
// not find that state.
void RecordingThread::end_round() {
  std::string mark;
  perf_data::append_finished_round(mark);
  file_.append(mark);
}

void RecordingThread::run() {
  std::vector<pollfd> waited = {{.fd = thread_.bell(), .events = POLLIN, .revents = 0}};
  if (watchers_.empty()) {
    // A larger ring is filled by the same events, which are already polled.
    for (const SampleRing& ring : rings_) waited.push_back({.fd = ring.event(), .events = POLLIN, .revents = 0});
  } else {
    come_early();
  }
  while (!thread_.is_ending()) {
    static_cast<void>(poll(waited.data(), waited.size(), kLongestWaitMs));
    if ((waited.front().revents & POLLIN) != 0) thread_.silence();
    carry_over();
    for (pollfd& one : waited) {
      if ((one.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) one.fd = -1;  // the watched program has ended
    }
  }
}

}  // namespace wperf::perf_events
