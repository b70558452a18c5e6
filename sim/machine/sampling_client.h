// SPDX-License-Identifier: BSD-3-Clause
// Test support: a machine of any parts and a client of its driver that samples or profiles.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi/wire.h"
#include "sim/machine/simulated_driver.h"
#include "sim/machine/simulated_machine.h"
#include "sim/machine/temporary_folder.h"

namespace wperf::sim {

struct SampledEvent {
  u16 event = 0;
  u32 interval = 0;
};

// A sample with its call stack.
struct DrainedStack {
  WperfSample sample = {};
  WperfStack stack = {};
  std::vector<u64> frames;  // innermost first
};

// The driver's answers about one core, from all drains.
struct DrainedCore {
  std::vector<WperfSample> samples;
  std::vector<DrainedStack> stacks;  // used instead if stacks were requested
  u64 lost_stacks = 0, cut_stacks = 0;
  u64 taken = 0, lost_ring_full = 0, lost_filtered = 0, merged = 0;
};

// The driver's answers about one profiled core, from all drains.
struct ProfiledCore {
  std::vector<u8> bytes;
  u32 events = 0;
  u64 written = 0, full = 0, collisions = 0, data_losses = 0;
};

class SamplingClient {
 public:
  template <typename MakeParts>
  SamplingClient(const std::string& options, MakeParts make_parts) {
    OptionError error;
    MachineOptions parsed = parse_options(options, "", error);
    if (!error.text.empty()) ADD_FAILURE() << error.text;
    auto parts = make_parts(parsed);
    machine = std::make_unique<Machine>(std::move(parsed), std::move(parts));
    LockFileError lock_error;
    auto lock_file = LockFile::open_in(folder_.path(), "test", lock_error);
    if (!lock_error.text.empty()) ADD_FAILURE() << lock_error.text;
    driver_ = std::make_unique<SimulatedDriver>(*machine);
    client_ = std::make_unique<DriverClient>(*driver_, std::move(lock_file));
    drained.resize(machine->options().cores.size());
    expect_ok(WPERF_CODE_LOCK, WperfLockRequest{{}, WPERF_LOCK_ACQUIRE, 0});
  }

  u32 spawn(const std::string& command_line, u32 core) {
    MachineError error;
    const u32 pid = machine->spawn({command_line.substr(0, command_line.find(' ')), command_line, core}, error);
    EXPECT_NE(pid, 0u) << error.text;
    machine->resume(pid);
    return pid;
  }
  // Lets time pass. Returns the text of the error, or an empty text.
  std::string wait(u64 duration_ns, u32 until_pid = 0) {
    MachineError error;
    machine->wait(duration_ns, until_pid, error);
    return error.text;
  }
  void configure(const std::vector<SampledEvent>& events, u64 cores, u32 flags = 0, u32 ring_samples = 0) {
    WperfSampleRequest request{};
    request.flags = flags;
    request.event_count = static_cast<u32>(events.size());
    request.core_mask[0] = cores;
    request.ring_samples = ring_samples;
    request.most_per_second = ~0u;  // the tests check the addresses of samples, not the limit on their number
    if ((flags & WPERF_SAMPLE_JITTER) != 0) request.jitter_shift = 3;
    for (usize i = 0; i < events.size(); ++i) request.events[i] = {events[i].event, 0, events[i].interval};
    request.max_stack = max_stack;
    cores_ = cores;
    expect_ok(WPERF_CODE_SAMPLE_CONFIGURE, request);
  }
  void start() { expect_ok(WPERF_CODE_SAMPLE_START, WperfPlainRequest{}); }
  void stop() { expect_ok(WPERF_CODE_SAMPLE_STOP, WperfPlainRequest{}); }
  // Statistical profiling. The bytes of each core are collected in `profiled`.
  void configure_profiling(WperfSpeRequest request) { expect_ok(WPERF_CODE_SPE_CONFIGURE, request); }
  void start_profiling() { expect_ok(WPERF_CODE_SPE_START, WperfPlainRequest{}); }
  void stop_profiling() { expect_ok(WPERF_CODE_SPE_STOP, WperfPlainRequest{}); }
  void drain_profile(u32 core) {
    ProfiledCore& to = profiled[core];
    auto reply = std::make_unique<WperfSpeDrainReply>();
    do {
      const WperfDrainRequest request{{sizeof request, WPERF_WIRE_VERSION}, core, 0};
      std::memcpy(reply.get(), &request, sizeof request);
      u32 returned = 0;
      ASSERT_EQ(client_->control(WPERF_CODE_SPE_DRAIN, reply.get(), sizeof request, sizeof *reply, &returned),
                static_cast<u32>(WPERF_OK));
      to.bytes.insert(to.bytes.end(), reply->data, reply->data + reply->bytes);
      to.events |= reply->events;
      to.written = reply->written;
      to.full = reply->full;
      to.collisions = reply->collisions;
      to.data_losses = reply->data_losses;
    } while (reply->more != 0);
  }
  HalSim& hal() { return driver_->hal(); }
  std::map<u32, ProfiledCore> profiled;
  bool keep_truth = false;  // for the test that uses this client

  void drain() {
    for (u32 core = 0; core < drained.size(); ++core)
      if ((cores_ >> core & 1) != 0) drain(core);
  }

  void drain_stacks(u32 core) {
    DrainedCore& to = drained[core];
    auto reply = std::make_unique<WperfStackDrainReply>();
    do {
      const WperfDrainRequest request{{sizeof request, WPERF_WIRE_VERSION}, core, 0};
      std::memcpy(reply.get(), &request, sizeof request);
      u32 returned = 0;
      ASSERT_EQ(client_->control(WPERF_CODE_SAMPLE_STACK_DRAIN, reply.get(), sizeof request, sizeof *reply, &returned),
                static_cast<u32>(WPERF_OK));
      for (u32 at = 0; at < reply->bytes;) {
        DrainedStack one;
        std::memcpy(&one.sample, reply->records + at, sizeof one.sample);
        std::memcpy(&one.stack, reply->records + at + sizeof one.sample, sizeof one.stack);
        one.frames.resize(one.sample.stack_words - 1u);
        if (!one.frames.empty())
          std::memcpy(one.frames.data(), reply->records + at + sizeof one.sample + sizeof one.stack,
                      one.frames.size() * sizeof(u64));
        at += static_cast<u32>(sizeof one.sample + one.sample.stack_words * sizeof(u64));
        to.stacks.push_back(std::move(one));
      }
      to.taken = reply->taken;
      to.lost_ring_full = reply->lost_ring_full;
      to.lost_stacks = reply->lost_stacks;
      to.cut_stacks = reply->cut_stacks;
    } while (reply->more != 0);
  }
  u32 max_stack = 0;  // for the next configure()

  std::vector<DrainedCore> drained;  // by core
  std::unique_ptr<Machine> machine;

 private:
  template <class Request>
  void expect_ok(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    u32 returned = 0;
    EXPECT_EQ(client_->control(code, &request, sizeof request, sizeof request, &returned), static_cast<u32>(WPERF_OK));
  }
  void drain(u32 core) {
    DrainedCore& to = drained[core];
    do {
      const WperfDrainRequest request{{sizeof request, WPERF_WIRE_VERSION}, core, 0};
      std::memcpy(reply_.get(), &request, sizeof request);
      u32 returned = 0;
      ASSERT_EQ(client_->control(WPERF_CODE_SAMPLE_DRAIN, reply_.get(), sizeof request, sizeof *reply_, &returned),
                static_cast<u32>(WPERF_OK));
      to.samples.insert(to.samples.end(), reply_->samples, reply_->samples + reply_->count);
      to.taken = reply_->taken;
      to.lost_ring_full = reply_->lost_ring_full;
      to.lost_filtered = reply_->lost_filtered;
      to.merged = reply_->merged;
    } while (reply_->more != 0);
  }

  TemporaryFolder folder_;
  std::unique_ptr<SimulatedDriver> driver_;
  std::unique_ptr<DriverClient> client_;
  std::unique_ptr<WperfDrainReply> reply_ = std::make_unique<WperfDrainReply>();
  u64 cores_ = 0;
};

}  // namespace wperf::sim
