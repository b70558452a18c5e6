// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/switch_cost_linux.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "machine/perf_events/rings_linux.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::Descriptor;
using perf_events::SampleRing;

// Only a few round trips are measured at a time, because their stacks must fit into a ring.
constexpr int kRoundTrips = 8, kTimes = 48;

struct Pipe {
  Descriptor out, in;
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
    return true;
  }
  bool send() const {
    return moves([this] { return write(in.number(), "x", 1); });
  }
  bool receive() const {
    char byte = 0;
    return moves([&] { return read(out.number(), &byte, 1); });
  }

 private:
  template <class Move>
  static bool moves(Move move) {
    ssize_t size = move();
    while (size < 0 && errno == EINTR) size = move();
    return size == 1;
  }
};

// Keeps the calling thread on its current core.
class OnOneCore {
 public:
  OnOneCore() : core_(sched_getcpu()) {
    cpu_set_t one;
    CPU_ZERO(&one);
    if (core_ < 0 || core_ >= CPU_SETSIZE || sched_getaffinity(0, sizeof before_, &before_) != 0) {
      core_ = -1;
      return;
    }
    CPU_SET(static_cast<usize>(core_), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) core_ = -1;
  }
  ~OnOneCore() {
    if (core_ >= 0) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;
  int core() const { return core_; }

 private:
  cpu_set_t before_{};
  int core_;
};

// The nanoseconds for some round trips; 0 if the partner has ended.
u64 time_of_round_trips(const Pipe& there, const Pipe& back) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRoundTrips; ++i) {
    if (!there.send() || !back.receive()) return 0;
  }
  return static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
}

u64 median(std::array<u64, kTimes>& times) {
  std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
  return times[kTimes / 2];
}

}  // namespace

std::optional<u64> switch_cost_ns(const OpenForThread& open) {
  const OnOneCore here;
  Pipe there, back;
  if (here.core() < 0 || !there.open() || !back.open()) return std::nullopt;
  const std::vector<Descriptor> events = open({.thread = 0, .core = here.core()});
  if (events.empty()) return std::nullopt;
  auto ring = SampleRing::map(events.front(), {.watched = events.front().number()});
  if (!ring.has_value()) return std::nullopt;
  for (usize i = 1; i < events.size(); ++i) {
    if (ioctl(events[i].number(), PERF_EVENT_IOC_SET_OUTPUT, events[0].number()) != 0) return std::nullopt;
  }
  const auto switch_all = [&](unsigned long request) {
    for (const Descriptor& event : events) ioctl(event.number(), request, 0);
  };
  std::thread partner([&] {  // inherits the events and the core of this thread
    while (there.receive() && back.send()) {
    }
  });
  std::array<u64, kTimes> without{}, with{};
  bool is_sound = time_of_round_trips(there, back) != 0;
  for (usize i = 0; i < kTimes && is_sound; ++i) {
    without[i] = time_of_round_trips(there, back);
    switch_all(PERF_EVENT_IOC_ENABLE);
    with[i] = time_of_round_trips(there, back);
    switch_all(PERF_EVENT_IOC_DISABLE);
    ring.value().taken_up_to(ring.value().waiting().tail);
    is_sound = without[i] != 0 && with[i] != 0;
  }
  there.in.reset();  // closes the partner's end of the pipe
  partner.join();
  const u64 more = median(with), less = median(without);
  if (!is_sound || more <= less) return std::nullopt;
  return (more - less) / (2 * kRoundTrips);
}

}  // namespace wperf::linux_kernel
