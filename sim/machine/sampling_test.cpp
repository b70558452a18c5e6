// SPDX-License-Identifier: BSD-3-Clause
// Sampling real ARM64 programs through the driver core: the samples must agree with the execution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "sim/machine/program_test.h"
#include "sim/machine/sampling_client.h"
#include "sim/machine/virtual_times.h"
#include "sim/nt/pe_image.h"

namespace wperf::sim {
namespace {

constexpr u16 kLoads = 0x70, kInstructions = 0x08, kCycles = 0x11, kRefills = 0x03;

class SamplingTest : public ProgramTest {
 protected:
  static SamplingClient open(const std::string& options) { return SamplingClient(options, make_real_parts); }
};

// The start addresses of an image's functions, from .pdata and the exports.
std::vector<u32> function_rvas(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(stream), {}};
  const std::span<const std::byte> file = std::as_bytes(std::span(chars));
  PeImage image;
  EXPECT_EQ(parse_pe(file, image), "");
  std::vector<u32> rvas{0};
  const auto word = [&](u64 offset) {
    u32 value = 0;
    std::memcpy(&value, file.data() + offset, sizeof value);
    return value;
  };
  const u64 optional_header = word(0x3c) + 24;
  const u32 pdata = word(optional_header + 112 + 3 * 8), size = word(optional_header + 112 + 3 * 8 + 4);
  for (const PeSection& section : image.sections) {
    if (pdata - section.rva >= section.file_size) continue;
    for (u32 at = 0; at < size; at += 8) rvas.push_back(word(section.file_offset + pdata - section.rva + at));
  }
  for (const PeExport& each : image.exports) rvas.push_back(each.rva);
  std::sort(rvas.begin(), rvas.end());
  return rvas;
}

// Maps an address of user code to the start of its part.
class Parting {
 public:
  explicit Parting(std::vector<u64> starts) : starts_(std::move(starts)) { std::sort(starts_.begin(), starts_.end()); }
  u64 of(u64 pc) const { return *(std::upper_bound(starts_.begin(), starts_.end(), pc) - 1); }

 private:
  std::vector<u64> starts_;
};

Parting functions_of(const ProgramDetails& details) {
  std::vector<u64> starts;
  for (const Module& module : details.modules) {
    starts.push_back(module.base);
    if (module.path.empty()) continue;
    for (const u32 rva : function_rvas(module.path)) starts.push_back(module.base + rva);
  }
  return Parting(starts);
}

// Smaller parts than functions: blocks, with overlapping ones joined.
Parting blocks_of(const BlockTotals& totals) {
  std::map<u64, u64> ends;
  for (const BlockTotal& total : totals.all())
    ends[total.address] = std::max(ends[total.address], total.address + total.size);
  std::vector<u64> starts;
  u64 end = 0;
  for (const auto& [start, own_end] : ends) {
    if (start >= end) starts.push_back(start);
    end = std::max(end, own_end);
  }
  return Parting(starts);
}

using Counts = std::map<u64, u64>;  // by part

Counts sampled(const std::vector<WperfSample>& samples, u32 event, const Parting& parting) {
  Counts counts;
  for (const WperfSample& sample : samples)
    if ((sample.overflowed >> event & 1) != 0) ++counts[parting.of(sample.pc)];
  return counts;
}

Counts true_counts(const BlockTotals& totals, usize event, const Parting& parting) {
  Counts counts;
  for (const BlockTotal& total : totals.all()) counts[parting.of(total.address)] += total.counts[event];
  return counts;
}

u64 sum_of(const Counts& counts) {
  u64 sum = 0;
  for (const auto& [part, count] : counts) sum += count;
  return sum;
}

// The share of each part may differ from the true one by at most a percentage point. With fewer than 10,000 samples,
// random variation exceeds that limit, so the limit is four standard deviations.
void expect_same_shares(const Counts& found, const Counts& expected, const SampledEvent& event) {
  const auto samples = static_cast<double>(sum_of(found)), events = static_cast<double>(sum_of(expected));
  std::map<u64, std::pair<double, double>> shares;  // the measured and the true share
  for (const auto& [part, count] : found) shares[part].first = static_cast<double>(count) / samples;
  for (const auto& [part, count] : expected) shares[part].second = static_cast<double>(count) / events;
  for (const auto& [part, share] : shares) {
    const double chance = std::sqrt(share.second * (1 - share.second) / samples);
    const double allowed = samples >= 10'000 ? 0.01 : std::max(0.01, 4 * chance);
    EXPECT_NEAR(share.first, share.second, allowed)
        << std::hex << "event " << event.event << " at " << part << std::dec << " every " << event.interval;
  }
}

TEST_F(SamplingTest, SharesAreTrue) {
  struct Round {
    std::vector<SampledEvent> events;
    u64 duration_ns;
  };
  const Round rounds[] = {
      {{{kLoads, 1'000}, {kInstructions, 2'000}, {kCycles, 1'000}, {kRefills, 3}}, 2000 * kMillisecond},
      {{{kLoads, 1'500}, {kInstructions, 5'000}, {kCycles, 2'000}, {kRefills, 10}}, 2000 * kMillisecond},
      {{{kLoads, 2'500}, {kInstructions, 10'000}, {kCycles, 4'000}, {kRefills, 50}}, 2000 * kMillisecond},
      {{{kLoads, 100'000}, {kInstructions, 100'000}, {kCycles, 100'000}}, 2000 * kMillisecond},
  };
  for (const Round& round : rounds) {
    SamplingClient client = open("pace=free,mhz=25");
    const u32 pid = client.spawn(workload("googolplex.exe"), 1);
    client.wait(100 * kMillisecond);
    std::vector<u16> codes;
    for (const SampledEvent& event : round.events) codes.push_back(event.event);
    client.configure(round.events, 1 << 1);
    client.machine->engine(1)->keep_totals(codes);
    client.start();
    for (u64 passed = 0; passed < round.duration_ns; passed += 100 * kMillisecond) {
      EXPECT_EQ(client.wait(100 * kMillisecond), "");
      client.drain();
    }
    client.stop();
    client.drain();
    const DrainedCore& core = client.drained[1];
    EXPECT_EQ(core.taken, core.samples.size());
    EXPECT_EQ(core.merged, 0u);
    EXPECT_EQ(core.lost_ring_full + core.lost_filtered, 0u);
    const ProgramDetails& details = *client.machine->details(pid);
    const BlockTotals& truth = client.machine->engine(1)->totals();
    u64 before = 0;
    for (const WperfSample& sample : core.samples) {
      EXPECT_EQ(sample.process, pid);
      EXPECT_EQ(sample.thread, details.threads[0]);
      EXPECT_EQ(sample.exception_level, 0u);
      EXPECT_GT(sample.time_ns, before);
      before = sample.time_ns;
    }
    const Parting functions = functions_of(details), blocks = blocks_of(truth);
    for (u32 event = 0; event < round.events.size(); ++event) {
      const SampledEvent& each = round.events[event];
      const Counts found = sampled(core.samples, event, functions);
      const Counts expected = true_counts(truth, event, functions);
      EXPECT_EQ(sum_of(found), sum_of(expected) / each.interval) << "each interval made a sample";
      expect_same_shares(found, expected, each);
      expect_same_shares(sampled(core.samples, event, blocks), true_counts(truth, event, blocks), each);
    }
    // Most loads belong to the multiplication.
    const auto bignum =
        std::ranges::find_if(details.modules, [](const auto& module) { return module.name == "bignum.dll"; });
    ASSERT_NE(bignum, details.modules.end());
    const Counts loads = true_counts(truth, 0, functions);
    const auto most =
        std::max_element(loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LT(most->first - bignum->base, bignum->size);
    EXPECT_GT(most->second, sum_of(loads) / 3 * 2);
  }
}

TEST_F(SamplingTest, SameSeedSameSamples) {
  const auto run = [](const std::string& options) {
    SamplingClient client = open("pace=free,mhz=25,cores=4," + options);
    client.spawn(workload("googolplex.exe"), 1);
    client.spawn(workload("branchy.exe"), 1);
    client.spawn(workload("fib.exe 30"), 3);
    client.configure({{kLoads, 1'000}, {kCycles, 3'000}}, 0xf, WPERF_SAMPLE_KERNEL | WPERF_SAMPLE_JITTER);
    client.start();
    for (int i = 0; i < 3; ++i) {
      client.wait(20 * kMillisecond);
      client.drain();
    }
    std::string bytes;
    for (const DrainedCore& core : client.drained) {
      EXPECT_FALSE(core.samples.empty());
      bytes.append(reinterpret_cast<const char*>(core.samples.data()), core.samples.size() * sizeof(WperfSample));
    }
    return bytes;
  };
  const std::string first = run("seed=7");
  EXPECT_EQ(run("seed=7"), first);
  EXPECT_NE(run("seed=8"), first);
}

TEST_F(SamplingTest, EverySampleSaysWhoseItIs) {
  SamplingClient client = open("pace=free,mhz=25,cores=4");
  const u32 two[] = {client.spawn(workload("googolplex.exe"), 1), client.spawn(workload("fib.exe 25"), 1)};
  const u32 alone = client.spawn(workload("branchy.exe 1000000000"), 2);
  client.configure({{kInstructions, 5'000}}, 0xf, WPERF_SAMPLE_KERNEL);
  client.start();
  std::map<u32, u64> user, kernel;  // by process
  EXPECT_EQ(client.wait(10 * kSecond, two[1]), "");
  EXPECT_FALSE(client.machine->find(two[1])->running);
  const u64 end = client.machine->now_ns();
  client.wait(20 * kMillisecond);
  client.drain();
  client.stop();
  for (u32 core = 0; core < 4; ++core) {
    for (const WperfSample& sample : client.drained[core].samples) {
      EXPECT_EQ(sample.core, core);
      if (sample.exception_level != 0) {
        ++kernel[sample.process];
        EXPECT_GE(sample.pc, kernel_address(KernelWork::system_call));
        EXPECT_EQ(sample.lr, 0u);
        continue;
      }
      ++user[sample.process];
      EXPECT_EQ(sample.process == alone, core == 2);
      EXPECT_TRUE(sample.process != two[1] || sample.time_ns <= end) << "after it ended";
      const ProgramDetails* const details = client.machine->details(sample.process);
      ASSERT_NE(details, nullptr);
      EXPECT_EQ(sample.thread, details->threads[0]);
      EXPECT_TRUE(std::any_of(details->modules.begin(), details->modules.end(),
                              [&](const Module& module) { return sample.pc - module.base < module.size; }))
          << std::hex << sample.pc;
    }
  }
  for (const u32 pid : {two[0], two[1], alone}) {
    EXPECT_GT(user[pid], 100u);
    EXPECT_GT(kernel[pid], 0u);
  }
  EXPECT_GT(kernel[0], 0u) << "the ticks of idle cores";
}

// 50,000 samples a second on each of 8 cores, long enough for the rings to wrap around several times. Code that waits
// for memory executes few instructions in that time, so the test does not take too long.
TEST_F(SamplingTest, FiftyThousandASecondOnEightCores) {
  SamplingClient client = open("pace=free,mhz=41,cores=8");
  for (u32 core = 0; core < 8; ++core) client.spawn(workload("chase.exe 4194304 1000000000"), core);
  client.configure({{kCycles, 600}}, 0xff);
  client.start();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client.wait(100 * kMillisecond), "");
    client.drain();
  }
  client.stop();
  client.drain();
  for (u32 core = 0; core < 8; ++core) {
    const DrainedCore& drained = client.drained[core];
    EXPECT_GE(drained.samples.size(), 100'000u);
    EXPECT_EQ(drained.taken, drained.samples.size());
    EXPECT_EQ(drained.lost_ring_full + drained.lost_filtered + drained.merged, 0u);
    EXPECT_EQ(drained.taken, client.machine->signals(core)(Level::user, Signal::cycles) / 600);
  }
}

// At each sample the watcher sees the thread and its memory at the time of the sample.
TEST_F(SamplingTest, AWatcherSeesEachSample) {
  struct Seen {
    Machine& machine;
    std::vector<std::pair<u64, u32>> moments;
    u64 code = 0;
    u64 unread = 0;
  };
  SamplingClient client = open("pace=free,mhz=40,cores=1");
  const u32 pid = client.spawn(workload("chase.exe 4194304 1000000000"), 0);
  Seen seen{.machine = *client.machine, .moments = {}, .code = client.machine->details(pid)->modules[0].entry};
  const WperfSimWatcher watcher = [](void* context, const WperfSimMoment* moment) {
    auto& to = *static_cast<Seen*>(context);
    to.moments.emplace_back(moment->time_ns, moment->thread);
    EXPECT_EQ(moment->ticks, 0u);
    u32 instruction = 0;
    if (!to.machine.read_memory(moment->process, to.code, &instruction, sizeof instruction) || instruction == 0)
      ++to.unread;
  };
  client.hal().watch_samples(watcher, &seen);
  client.configure({{kCycles, 6000}}, 1);
  client.start();
  EXPECT_EQ(client.wait(kSecond / 10), "");
  client.hal().watch_samples(nullptr, nullptr);
  EXPECT_EQ(client.wait(kSecond / 100), "");
  client.stop();
  client.drain();
  ASSERT_GT(seen.moments.size(), 500u);
  EXPECT_EQ(seen.unread, 0u);
  const std::vector<WperfSample>& samples = client.drained[0].samples;
  ASSERT_GT(samples.size(), seen.moments.size()) << "it watched no longer";
  for (usize i = 0; i < seen.moments.size(); ++i) {
    EXPECT_EQ(seen.moments[i], std::pair(samples[i].time_ns, samples[i].thread));
  }
  u64 word = 0;
  EXPECT_FALSE(client.machine->read_memory(pid, 0, &word, sizeof word));
  EXPECT_FALSE(client.machine->read_memory(pid + 8, seen.code, &word, sizeof word));
  client.machine->kill(pid);
  EXPECT_FALSE(client.machine->read_memory(pid, seen.code, &word, sizeof word));
}

TEST_F(SamplingTest, WhatIsNotDrainedIsCounted) {
  SamplingClient client = open("pace=free,mhz=40,cores=2");
  for (u32 core = 0; core < 2; ++core) client.spawn(workload("chase.exe 4194304 1000000000"), core);
  client.configure({{kCycles, 600}}, 3, 0, 1024);
  client.start();
  EXPECT_EQ(client.wait(kSecond / 2), "");
  client.drain();
  EXPECT_EQ(client.wait(kSecond / 2), "");
  client.stop();
  client.drain();
  for (u32 core = 0; core < 2; ++core) {
    const DrainedCore& drained = client.drained[core];
    EXPECT_EQ(drained.samples.size(), 2 * 1024u);
    EXPECT_EQ(drained.taken, drained.samples.size() + drained.lost_ring_full);
    EXPECT_EQ(drained.taken, client.machine->signals(core)(Level::user, Signal::cycles) / 600);
  }
}

}  // namespace
}  // namespace wperf::sim
