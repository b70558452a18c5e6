// SPDX-License-Identifier: BSD-3-Clause
// Test support: parts whose every cycle is known. A core retires one instruction per cycle; a program is a script.
#pragma once
#include <algorithm>
#include <functional>
#include <map>

#include "sim/machine/parts.h"

namespace wperf::sim::fake {

inline constexpr u64 kTickCycles = 100, kCallCycles = 20, kSwitchCycles = 50, kInterruptCycles = 10;
inline constexpr u64 kLookNs = 1'000'000;
inline constexpr u64 kCodeStart = 0x140001000, kCallerLink = 0x140002000;

struct Step {
  enum class Kind { work, sleep, await, end, crash, fault } kind = Kind::end;  // await: waits for the host
  u64 amount = 0;                                                              // cycles, nanoseconds, exit code
};
using Script = std::vector<Step>;

struct CoreLog {
  u32 ticks = 0, calls = 0, switches = 0, interrupts = 0;
};

class FakeCore final : public Executor {
 public:
  FakeCore(CoreLog& log, ChannelSignals& traffic) : log_(log), traffic_(traffic) {}

  // x0: cycles of work until the next call. x1: the work ends in a fault instead of a call. The instruction after n
  // cycles of user code is at kCodeStart + 4 * n; all events that are watched count cycles.
  Stop run(AddressSpace&, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches) override {
    u64 cycles = std::min(cycle_budget, thread.x[0]);
    for (const EventWatch& watch : watches) cycles = std::min(cycles, watch.remaining);
    const bool overflowed = std::any_of(watches.begin(), watches.end(),
                                        [cycles](const EventWatch& watch) { return watch.remaining == cycles; });
    spend(Level::user, cycles);
    traffic_.bytes_read += 64 * cycles;
    thread.x[0] -= cycles;
    Stop stop;
    if (overflowed) {
      stop.reason = StopReason::overflow;
      stop.overflowed = true;
      stop.overflow_pc = kCodeStart + 4 * (signals_(Level::user, Signal::cycles) - 1);
      stop.overflow_lr = kCallerLink;
    }
    if (thread.x[0] != 0) return stop;
    stop.reason = thread.x[1] != 0 ? StopReason::fault : StopReason::kernel_call;
    if (thread.x[1] != 0) stop.text = "read of unmapped address 0x10";
    stop.immediate = 7;
    return stop;
  }
  void run_kernel(KernelWork work) override {
    switch (work) {
      case KernelWork::timer_tick:
        ++log_.ticks;
        return spend(Level::kernel, kTickCycles);
      case KernelWork::system_call:
        ++log_.calls;
        return spend(Level::kernel, kCallCycles);
      case KernelWork::context_switch:
        ++log_.switches;
        return spend(Level::kernel, kSwitchCycles);
      case KernelWork::overflow_interrupt:
        ++log_.interrupts;
        return spend(Level::kernel, kInterruptCycles);
    }
  }
  const SignalCounts& signals() const override { return signals_; }
  u64 cycles() const override {
    return signals_(Level::user, Signal::cycles) + signals_(Level::kernel, Signal::cycles);
  }

 private:
  void spend(Level level, u64 cycles) {
    signals_(level, Signal::cycles) += cycles;
    signals_(level, Signal::inst_retired) += cycles;
  }
  CoreLog& log_;
  ChannelSignals& traffic_;
  SignalCounts signals_;
};

class FakeProgram final : public Program {
 public:
  // One cycle, then the script, whose first `starting` steps come before the program's entry point.
  FakeProgram(Script script, usize starting, u32 thread, u32 core)
      : script_(std::move(script)), starting_(starting), id_(thread), core_(core) {
    thread_.x[0] = 1;
  }

  AddressSpace& space() override { return space_; }
  ThreadState& thread(u32) override { return thread_; }
  std::vector<u32> threads() const override { return {id_}; }
  const std::vector<Module>& modules() const override { return modules_; }
  CallOutcome kernel_call(u32, u32, u64 now_ns) override {
    if (next_ == script_.size()) return CallOutcome::ended;
    const Step step = script_[next_++];
    thread_.x[0] = 1;
    switch (step.kind) {
      case Step::Kind::work:
        thread_.x[0] = step.amount;
        return CallOutcome::resume;
      case Step::Kind::sleep:
        sleep_until_ns_ = now_ns + step.amount;
        return CallOutcome::resume;
      case Step::Kind::await:
        await_until_ns_ = now_ns + step.amount;
        sleep_until_ns_ = now_ns + kLookNs;
        return CallOutcome::resume;
      case Step::Kind::fault:
        thread_.x[1] = 1;
        return CallOutcome::resume;
      case Step::Kind::end:
        exit_code_ = static_cast<u32>(step.amount);
        return CallOutcome::ended;
      case Step::Kind::crash:
        exit_code_ = 0xc0000005;
        return CallOutcome::crashed;
    }
    return CallOutcome::ended;
  }
  bool goes_on_after(u32, const Stop& stop) override {
    exit_code_ = 0xc0000005;
    crash_text_ = stop.text;
    return false;
  }
  u64 sleep_until_ns(u32) const override { return sleep_until_ns_; }
  bool wakes(u32, u64 now_ns) override {
    if (now_ns < await_until_ns_) sleep_until_ns_ = now_ns + kLookNs;
    if (now_ns >= await_until_ns_) await_until_ns_ = 0;
    return await_until_ns_ == 0;
  }
  WaitsFor waits_for(u32) const override { return await_until_ns_ != 0 ? WaitsFor::host : WaitsFor::time; }
  bool is_starting() const override { return next_ < starting_; }
  u32 processor(u32) const override { return core_; }
  u32 exit_code() const override { return exit_code_; }
  std::string crash_text() const override { return crash_text_; }

 private:
  AddressSpace space_;
  ThreadState thread_;
  std::vector<Module> modules_;
  Script script_;
  usize starting_;
  u32 id_, core_;
  usize next_ = 0;
  u64 sleep_until_ns_ = 0, await_until_ns_ = 0;
  u32 exit_code_ = 0;
  std::string crash_text_ = "unsupported call";
};

class FakeParts final : public Parts {
 public:
  std::map<std::string, Script> scripts;
  std::map<std::string, usize> starting;  // script → the number of its steps before the entry point
  std::map<u32, CoreLog> logs;
  ChannelSignals traffic;
  u32 cores_made = 0;

  std::unique_ptr<Executor> make_core(u32 index) override {
    ++cores_made;
    return std::make_unique<FakeCore>(logs[index], traffic);
  }
  std::unique_ptr<Program> load(const LoadRequest& request, LoadError& error) override {
    const auto found = scripts.find(request.program.image_path);
    if (found == scripts.end()) {
      error.text = "no such program: " + request.program.image_path;
      return nullptr;
    }
    return std::make_unique<FakeProgram>(found->second, starting[request.program.image_path], request.thread_id,
                                         request.program.core);
  }
  ClusterSignals cluster(u32) override {
    ClusterSignals signals;
    signals.l3d_cache_rd = traffic.bytes_read / 64;
    return signals;
  }
  ChannelSignals channel(u32) override { return traffic; }
  std::string unavailable() override { return {}; }
};

inline Step work(u64 cycles) {
  return {Step::Kind::work, cycles};
}
inline Step sleep(u64 ns) {
  return {Step::Kind::sleep, ns};
}
inline Step await(u64 ns) {
  return {Step::Kind::await, ns};
}
inline Step end(u32 code) {
  return {Step::Kind::end, code};
}
inline constexpr u64 kForever = u64{1} << 60;

}  // namespace wperf::sim::fake
