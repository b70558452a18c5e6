// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a recording of context switches, or as the layout of tracepoints. The times of the states add up for any
// file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "analysis/recording/recorded_switches.h"
#include "analysis/waits/critical_path.h"
#include "analysis/waits/thread_times.h"
#include "formats/perf_data/tracepoint_formats.h"

namespace {

using namespace wperf;

void check(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
           u64 end) {
  u64 stretches = 0;
  waits::ThreadHistories histories;
  const waits::Accounting done = waits::account(switches, unrecorded, begin, end, [&](const waits::Stretch& one) {
    stretches += one.end - one.begin;
    histories.take(one);
  });
  u64 wall = 0;
  for (const waits::ThreadTimes& times : done.threads) {
    if (times.wall() > done.end - done.begin || times.longest_wait > times.waiting) std::abort();
    wall += times.wall();
  }
  if (wall != stretches) std::abort();
  // For any events, the path has no gaps.
  if (!done.threads.empty()) {
    u64 at = done.begin;
    for (const waits::PathStep& step : waits::critical_path(done, histories, 0, done.begin, done.end)) {
      if (step.begin != at || step.end <= step.begin) std::abort();
      at = step.end;
    }
    if (at != done.end) std::abort();
  }
  for (const waits::Wait& wait : done.waits) {
    if (wait.begin > wait.woken || wait.woken > wait.resumed || wait.thread >= done.threads.size()) std::abort();
  }
}

// Each four bytes are an event, so that the accounting is reached without a valid file.
void account_bytes(std::span<const std::uint8_t> bytes) {
  std::vector<stacks::Switch> switches;
  u64 time = 1000;
  for (usize i = 0; i + 4 <= bytes.size(); i += 4) {
    time += bytes[i] & 0x3f;
    switches.push_back({.time = (bytes[i] & 0x40) != 0 ? time - 7 : time,
                        .leaves = bytes[i + 1] % 9u,
                        .comes = bytes[i + 2] % 9u,
                        .core = static_cast<u16>(bytes[i + 3] % 3),
                        .kind = static_cast<stacks::Kind>(bytes[i + 1] / 86),
                        .leaving = static_cast<stacks::Leaving>(bytes[i + 3] / 64)});
  }
  std::vector<stacks::Unrecorded> unrecorded;
  for (u64 begin = 900; unrecorded.size() < bytes.size() / 16;) {
    const u8 byte = bytes[unrecorded.size()];
    begin += byte;
    const u16 core = byte % 5 < 4 ? static_cast<u16>(byte % 5) : stacks::kEveryCore;
    unrecorded.push_back({.begin = begin, .end = begin + byte / 2, .core = core});
  }
  check(switches, unrecorded, 900, time);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes::Span bytes = std::as_bytes(std::span(data, size));
  for (const perf_data::TracepointFormat& format : perf_data::read_tracepoint_formats(bytes, "")) {
    for (const perf_data::TracepointField& field : format.fields) static_cast<void>(field.value(bytes));
  }
  account_bytes({data, size});
  const auto file = perf_data::PerfFile::open(bytes);
  if (!file.has_value()) return 0;
  auto switches = recording::read_switches(file.value());
  if (!switches.has_value()) return 0;
  check(switches.value().switches, switches.value().unrecorded, switches.value().begin, switches.value().end);
  recording::begin_at(switches.value().begin + 1000, switches.value());
  return 0;
}
