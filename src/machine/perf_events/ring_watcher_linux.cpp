// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/ring_watcher_linux.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "formats/perf_data/event_table.h"

namespace wperf::perf_events {
namespace {

// From Linux 6.12 on, a thread with a short time slice runs before others when it wakes up. Needs no permission.
void ask_for_short_turns() {
  struct {
    u32 size, policy;
    u64 flags;
    std::int32_t nice;
    u32 priority;
    u64 runtime, deadline, period;
  } attributes{};
  attributes.size = sizeof attributes;
  attributes.runtime = 100'000;  // the minimum
  static_cast<void>(syscall(SYS_sched_setattr, 0, &attributes, 0));
}

// If the watcher does not run within this time after a sample, the sampled thread may have moved on.
constexpr u64 kAtOnceNs = 50'000;

// Lets the calling thread run before normal threads on this core. Returns the still_ns of a sample that wakes it: the
// time after which another thread may have run on the core.
u64 go_first_on(int core) {
  sched_param lowest{};
  lowest.sched_priority = 1;
  const bool is_first = pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0;
  if (!is_first) ask_for_short_turns();
  cpu_set_t one;
  CPU_ZERO(&one);
  if (core < 0 || core >= CPU_SETSIZE) return 0;
  CPU_SET(static_cast<usize>(core), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 0;
  // Without real-time priority, the kernel prefers a woken thread either immediately or, rarely, not at all.
  constexpr u64 kForEver = ~u64{0};
  return is_first ? kForEver : kAtOnceNs;
}

// The first bytes of the record at `offset`, which may be in both pieces.
using Beginning = std::array<std::byte, perf_data::kSampleOwnerBytes>;
std::span<const std::byte> beginning_at(const RingPieces& pieces, usize offset, Beginning& out) {
  usize size = 0;
  for (const std::span<const std::byte> piece : {pieces.first, pieces.second}) {
    const usize count = offset < piece.size() ? std::min(piece.size() - offset, out.size() - size) : 0;
    if (count != 0) std::memcpy(out.data() + size, piece.data() + offset, count);
    size += count;
    offset = count != 0 ? 0 : offset - piece.size();
  }
  return std::span(out).first(size);
}

}  // namespace

void RingWatcher::run() {
  const bool is_woken = ring_.look_ms() < 0;
  still_ns_ = go_first_on(ring_.core());
  if (!is_woken) still_ns_ = std::min(still_ns_, kAtOnceNs);  // the thread may run on another core by then
  std::array<pollfd, 2> waited = {pollfd{.fd = thread_.bell(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = ring_.event(), .events = POLLIN, .revents = 0}};
  // The event's thread may end while others still write into the ring.
  constexpr int kWithoutEventMs = 1;
  int wait_ms = ring_.look_ms();
  while (!thread_.is_ending()) {
    static_cast<void>(poll(waited.data(), waited.size(), wait_ms));
    if ((waited[0].revents & POLLIN) != 0) thread_.silence();
    look();
    if ((waited[1].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) continue;
    waited[1].fd = -1;
    wait_ms = kWithoutEventMs;
  }
  look();
}

void RingWatcher::look() {
  const u64 now_ns = now_();
  const u64 begin = position_.load(std::memory_order_relaxed), end = ring_.head();
  const bool is_work = begin != end && show(ring_.pieces(begin, end));
  position_.store(end, std::memory_order_release);
  looked_ns_.store(now_ns, std::memory_order_release);
  if (is_work || ring_.waiting(end).size() >= ring_.size() / 4) emptier_.ring();
}

// Returns true if the records should be taken soon.
bool RingWatcher::show(const RingPieces& pieces) {
  bool is_work = false;
  Beginning room;
  for (usize at = 0, size = 0; at < pieces.size(); at += size) {
    const std::span<const std::byte> beginning = beginning_at(pieces, at, room);
    u64 header = 0;
    if (beginning.size() < sizeof header) return true;
    std::memcpy(&header, beginning.data(), sizeof header);
    size = static_cast<usize>(header >> 48);
    if (size < sizeof header) return true;  // the next record cannot be found after this record
    if (static_cast<perf_data::RecordType>(static_cast<u32>(header)) != perf_data::RecordType::sample) {
      is_work = true;
      continue;
    }
    const bool is_newest = at + size >= pieces.size();
    if (filter_.see(beginning.first(std::min(size, beginning.size())), is_newest ? still_ns_ : 0)) is_work = true;
  }
  return is_work;
}

}  // namespace wperf::perf_events
