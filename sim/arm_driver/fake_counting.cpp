// SPDX-License-Identifier: BSD-3-Clause
#include "sim/arm_driver/fake_counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wperf::windowsperf::fake {
namespace {

constexpr u64 kNanosecondsPerMillisecond = 1'000'000;
constexpr u16 kDefaultEvents[] = {0x1B, 0x73, 0x75, 0x74, 0x70, 0x71};
constexpr int kPool = 0xCD;  // the byte that fills the unwritten part of answers

diag::Error crash(const std::string& text) {
  return {.text = "the fake of Arm's driver: the real driver would crash or corrupt memory: " + text, .hint = {}};
}

void add_to(std::vector<u64>& sums, const std::vector<u64>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (usize i = 0; i < more.size(); ++i) sums[i] += more[i];
}

}  // namespace

void FakeCounting::List::set(const std::vector<u16>& wanted) {
  codes = wanted;
  values.assign(codes.size(), 0);
  scheduled.assign(codes.size(), 0);
  rotation = 0;
}

std::vector<u32> FakeCounting::List::on_counters(u64 round, u32 counters) const {
  std::vector<u32> places;
  const auto size = static_cast<u32>(codes.size());
  for (u32 i = 0; i < std::min(size, counters); ++i) {
    places.push_back(rotates(counters) ? static_cast<u32>((counters * round + i) % size) : i);
  }
  return places;
}

void FakeCounting::List::add(const std::vector<u64>& counted, u64 round, u32 counters) {
  const std::vector<u32> places = on_counters(round, counters);
  for (usize i = 0; i < places.size(); ++i) {
    if (i < counted.size()) values[places[i]] += counted[i];
    ++scheduled[places[i]];
  }
}

FakeCounting::FakeCounting(FakeHardware& hardware, const FakeParts& parts) : hardware_(hardware), parts_(parts) {
  forget();
}

void FakeCounting::forget() {
  cores_.assign(parts_.cores, {});
  const usize count = std::min<usize>(std::size(kDefaultEvents), parts_.free_counters);
  for (Core& core : cores_) {
    core.events.set({kDefaultEvents, kDefaultEvents + count});
    core.filter_bits = kUserOnly;
  }
  channels_.assign(parts_.dmc_channels.size(), {});
  held_ = {};
  resetting_ = true;
}

diag::Result<void> FakeCounting::assign(u32 core, u64 filter_bits, u32 event_class, const std::vector<u16>& codes) {
  if (core != kAllCores && core >= parts_.cores) return crash(fmt::format("ASSIGN to core {}", core));
  if (event_class == 2) return crash("ASSIGN of dmc_clk events, which it reads from wrong addresses");
  if (event_class == 3) {
    if (codes.size() > kMostClkdiv2Events) return crash("ASSIGN of more clkdiv2 events than there is room for");
    clkdiv2_.set(codes);
    clkdiv2_ticks_ = 0;
    return {};
  }
  for (u32 i = 0; i < parts_.cores; ++i) {
    if (core != kAllCores && core != i) continue;
    Core& one = cores_[i];
    if (event_class == 0) {
      one.events.set(codes);
      one.filter_bits = filter_bits;
      continue;
    }
    one.dsu.set(codes);
    const usize count = std::min({codes.size(), usize{parts_.dsu_counters}, usize{parts_.free_counters}});
    one.dsu_programmed.assign(one.events.codes.begin(),
                              one.events.codes.begin() + static_cast<long>(std::min(count, one.events.codes.size())));
  }
  return {};
}

bool FakeCounting::rotates() const {
  for (const u32 core : running_cores_) {
    if ((running_flags_ & kCountCore) != 0 && cores_[core].events.rotates(parts_.free_counters)) return true;
    if ((running_flags_ & kCountDsu) != 0 && cores_[core].dsu.rotates(parts_.dsu_counters)) return true;
  }
  return false;
}

std::vector<u16> FakeCounting::dsu_codes_of(const Core& core) const {
  if (core.dsu.rotation == 0) return core.dsu_programmed;
  std::vector<u16> codes;
  for (const u32 place : core.dsu.on_counters(core.dsu.rotation, parts_.dsu_counters))
    codes.push_back(core.dsu.codes[place]);
  return codes;
}

diag::Result<Programmed> FakeCounting::programmed() const {
  Programmed all;
  for (const u32 number : running_cores_) {
    const Core& core = cores_[number];
    Programmed one{.cores = {}, .kernel = (core.filter_bits & kUserOnly) == 0, .core = {}, .dsu = {}, .clkdiv2 = {}};
    for (const u32 place : core.events.on_counters(core.events.rotation, parts_.free_counters)) {
      if ((running_flags_ & kCountCore) != 0) one.core.push_back(core.events.codes[place]);
    }
    if ((running_flags_ & kCountDsu) != 0) one.dsu = dsu_codes_of(core);
    if ((running_flags_ & kCountDmc) != 0) one.clkdiv2 = clkdiv2_.codes;
    one.cores = all.cores;
    if (!all.cores.empty() && !(one == all))
      return diag::Error{.text = "the fake of Arm's driver counts the same events on all cores of a START", .hint = {}};
    all = one;
    all.cores.push_back(number);
  }
  return all;
}

diag::Result<void> FakeCounting::start(const std::vector<u32>& cores, u32 flags, u32 period_ms, u8 dmc_channel) {
  if (running_) return diag::Error{.text = "the fake of Arm's driver counts for one START at a time", .hint = {}};
  if ((flags & kCountDsu) != 0) {
    if (cluster_size_ == 0) return crash("the DSU was not set up");
    for (usize i = 1; i < cores.size() && cores.size() != parts_.cores; ++i) {
      if (cores[i] / cluster_size_ == cores[i - 1] / cluster_size_)
        return crash("two cores of one cluster read and reset the DSU");
    }
  }
  running_cores_ = cores;
  running_flags_ = flags;
  running_channel_ = dmc_channel;
  const u64 period = period_ms >= 10 && period_ms <= 100 ? period_ms : 100;
  tick_ns_ = (rotates() ? period : 2 * period) * kNanosecondsPerMillisecond;
  next_ns_ = hardware_.now_ns() + tick_ns_;
  lost_to_reset_ = resetting_;
  WPERF_TRY(const Programmed what, programmed());
  WPERF_CHECK_OK(hardware_.count(what));
  running_ = true;
  return {};
}

// Copies the values of the counters.
diag::Result<void> FakeCounting::take_counted(bool into_values) {
  WPERF_TRY(const Counted counted, hardware_.stop_counting());
  for (const auto& [number, core] : counted.cores) {
    held_.cores[number].cycles += core.cycles;
    add_to(held_.cores[number].values, core.values);
  }
  for (const auto& [cluster, values] : counted.clusters) add_to(held_.clusters[cluster], values);
  for (const auto& [channel, values] : counted.channels) add_to(held_.channels[channel], values);
  // A late reset: all counts up to now are lost, and counting continues at the next tick.
  if (lost_to_reset_) held_ = {};
  lost_to_reset_ = false;
  if (into_values) add_tick();
  return {};
}

void FakeCounting::add_tick() {
  for (const u32 number : running_cores_) {
    Core& core = cores_[number];
    if ((running_flags_ & kCountCore) != 0) {
      const CountedCore& counted = held_.cores[number];
      // The cycle counter ignores the filter and counts only user mode. If the filter includes the kernel, the hardware
      // below counts both.
      core.cycles += (core.filter_bits & kUserOnly) != 0 ? counted.cycles : counted.cycles / 2;
      core.events.add(counted.values, core.round, parts_.free_counters);
    }
    ++core.round;
    core.events.rotation = static_cast<u32>(core.round);
    if ((running_flags_ & kCountDsu) == 0 || cluster_size_ == 0) continue;
    if (const auto counted = held_.clusters.find(number / cluster_size_); counted != held_.clusters.end()) {
      core.dsu.add(counted->second, core.dsu_round, parts_.dsu_counters);
      held_.clusters.erase(counted);  // the cluster's counts are attributed to its first core
    }
    ++core.dsu_round;
    if (core.dsu.rotates(parts_.dsu_counters)) core.dsu.rotation = static_cast<u32>(core.dsu_round);
  }
  if ((running_flags_ & kCountDmc) != 0) {
    ++clkdiv2_ticks_;
    for (const auto& [channel, values] : held_.channels) {
      if (running_channel_ != kAllChannels && running_channel_ != channel) continue;
      for (usize i = 0; i < std::min<usize>(values.size(), kMostClkdiv2Events); ++i) channels_[channel][i] += values[i];
    }
  }
  held_ = {};
}

diag::Result<void> FakeCounting::stop() {
  if (!running_) return {};
  running_ = false;
  return take_counted(false);
}

void FakeCounting::reset(const std::vector<u32>& cores, u32 flags) {
  for (const u32 number : cores) {
    Core& core = cores_[number];
    if ((flags & kCountCore) != 0) {
      core.events.values.assign(core.events.codes.size(), 0);
      core.events.scheduled.assign(core.events.codes.size(), 0);
      core.cycles = core.round = 0;
    }
    if ((flags & kCountDsu) != 0) {
      core.dsu.values.assign(core.dsu.codes.size(), 0);
      core.dsu.scheduled.assign(core.dsu.codes.size(), 0);
      core.dsu_round = 0;
    }
  }
  if ((flags & kCountDmc) != 0) {
    channels_.assign(parts_.dmc_channels.size(), {});
    clkdiv2_ticks_ = 0;
  }
  held_ = {};
  resetting_ = true;
}

std::optional<u64> FakeCounting::next_tick_ns() const {
  return running_ ? std::optional(next_ns_) : std::nullopt;
}

diag::Result<void> FakeCounting::tick_if_due() {
  while (running_ && hardware_.now_ns() >= next_ns_) {
    next_ns_ += tick_ns_;
    resetting_ = false;
    WPERF_CHECK_OK(take_counted(true));
    WPERF_TRY(const Programmed what, programmed());
    WPERF_CHECK_OK(hardware_.count(what));
  }
  return {};
}

CountAnswer FakeCounting::core_answer(u32 number) const {
  const Core& core = cores_[number];
  CountAnswer answer;
  std::memset(&answer, kPool, sizeof answer);
  answer.count = static_cast<u32>(core.events.codes.size() + 1);
  answer.round = core.round;
  answer.events[0] = {.event = kCycleCounter,
                      .padding = 0,
                      .filter_bits = core.filter_bits,
                      .value = core.cycles,
                      .scheduled = core.round};
  for (usize i = 0; i < core.events.codes.size(); ++i) {
    answer.events[i + 1] = {.event = core.events.codes[i],
                            .padding = 0,
                            .filter_bits = core.filter_bits,
                            .value = core.events.values[i],
                            .scheduled = core.events.scheduled[i]};
  }
  return answer;
}

DsuAnswer FakeCounting::dsu_answer(u32 number) const {
  const Core& core = cores_[number];
  DsuAnswer answer;
  std::memset(&answer, kPool, sizeof answer);
  answer.count = static_cast<u32>(core.dsu.codes.size() + 1);
  answer.round = core.dsu_round;
  answer.events[0] = {.event = kCycleCounter, .padding = 0, .filter_bits = 0, .value = 0, .scheduled = core.dsu_round};
  for (usize i = 0; i < core.dsu.codes.size(); ++i) {
    answer.events[i + 1] = {.event = core.dsu.codes[i],
                            .padding = 0,
                            .filter_bits = 0,
                            .value = core.dsu.values[i],
                            .scheduled = core.dsu.scheduled[i]};
  }
  return answer;
}

std::vector<DmcAnswer> FakeCounting::dmc_answer() const {
  std::vector<DmcAnswer> answers(channels_.size());
  for (usize channel = 0; channel < channels_.size(); ++channel) {
    DmcAnswer& answer = answers[channel];
    answer = {};
    answer.clkdiv2_count = static_cast<u8>(clkdiv2_.codes.size());
    const bool counted = running_channel_ == kAllChannels || running_channel_ == channel;
    for (usize i = 0; i < clkdiv2_.codes.size(); ++i) {
      answer.clkdiv2[i] = {.event = clkdiv2_.codes[i],
                           .padding = 0,
                           .filter_bits = 0,
                           .value = channels_[channel][i],
                           .scheduled = counted ? clkdiv2_ticks_ : 0};
    }
    for (EventReading& garbage : answer.clk) garbage.value = 0xDEAD;
  }
  return answers;
}

}  // namespace wperf::windowsperf::fake
