// SPDX-License-Identifier: BSD-3-Clause
// A machine for the core's tests and fuzzers: registers that count the test's events while the test lets time pass, and
// interrupt when they overflow. It is strict: actions that a well-behaved driver never takes (access to foreign
// counters, registers from the wrong core, leaks, calls under the wrong lock or in an interrupt) are noted in
// `violations`. Any fallible call can be made to fail. A core does one thing at a time, on any thread: it executes a
// call of run_on_core, or events happen. The other fake_*.h files implement parts of the machine.
#pragma once
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "abi/wire.h"
#include "driver/core/fake_allocations.h"
#include "driver/core/fake_dmc.h"
#include "driver/core/fake_pmu.h"
#include "driver/core/fake_spe.h"
#include "driver/core/fake_walks.h"
#include "driver/hal.h"

namespace wperf::driver {

inline constexpr u64 kMs = 1'000'000;  // in units of the machine's clock

struct FakeMachine {
  u32 cores = 4;
  u32 counters = 6;
  u32 pmu_version = 4;
  u32 spe_version = 0;
  u64 pmsidr = 0x5'1009;
  u64 pmbidr = 0x26;
  u64 spe_events = 0xffff'0000'ff00'00aa;  // events that PMSEVFR can filter by
  u32 cluster_count = 2;
  u32 cluster_size = 2;
  u32 dsu_counters = 4;
  u32 reserved_mask = 0x7fff'ffff;
  u64 midr = 0x413f'd0c1;
  std::vector<u64> dmc_frames = {0x1000'0000, 0x1001'0000};  // physical
};

class FakeHal final : public Hal {
 public:
  explicit FakeHal(const FakeMachine& machine = {})
      : machine_(machine), core_locks_(std::make_unique<std::recursive_mutex[]>(machine.cores + 1)) {
    pmu_versions.assign(machine.cores, machine.pmu_version);
    cores.resize(machine.cores);
    spes.resize(machine.cores);
    pmsidrs.assign(machine.cores, machine.pmsidr);
    pmbidrs.assign(machine.cores, machine.pmbidr);
    spe_versions.assign(machine.cores, machine.spe_version);
    for (FakePmu& core : cores) {
      // As Windows leaves them: the cycle counter runs for all users.
      core.pmcr = u64{machine.counters} << 11 | kPmcrEnable | kPmcrLongCycles;
      core.enabled = u64{1} << kCycleCounter;
    }
    clusters.resize(machine.cluster_count);
    for (FakePmu& cluster : clusters) {
      cluster.pmcr = u64{machine.dsu_counters} << 11;
    }
    for (const u64 physical : machine.dmc_frames) {
      frames[physical];
    }
  }

  // --- the test's actions on the machine ---
  void advance(u64 ns, const FakeEvents& events) {
    now_ns += ns;
    for (u32 i = 0; i < cores.size(); ++i) {
      advance_core(i, 0, events);
    }
    for (u32 i = 0; i < clusters.size(); ++i) {
      advance_cluster(i, events);
    }
    u32 channel = 0;
    for (auto& [physical, frame] : frames) {
      frame.count([&](EventClass event_class, u32 event) { return events(event_class, channel, event, false); });
      ++channel;
    }
  }
  // One core only; each core may have its own thread.
  void advance_core(u32 core, u64 ns, const FakeEvents& events) {
    now_ns += ns;
    const std::lock_guard running(core_locks_[core]);
    count_on_core(core, events);
    interrupt(core);
  }
  // Adds one core that is like the first. May be called once.
  void add_core() {
    ++machine_.cores;
    pmu_versions.push_back(pmu_versions[0]);
    cores.push_back(cores[0]);
    spes.emplace_back();
    pmsidrs.push_back(pmsidrs[0]);
    pmbidrs.push_back(pmbidrs[0]);
    spe_versions.push_back(spe_versions[0]);
  }
  // Lets the core power down without saving its counters.
  void lose_counters(u32 core) {
    const std::lock_guard running(core_locks_[core]);
    const u64 cycle_counter = u64{1} << kCycleCounter;
    cores[core] = {.pmcr = (cores[core].pmcr & ~kPmcrEnable), .enabled = cores[core].enabled & cycle_counter};
  }
  // The SPE of a core chooses an operation. Returns false, and makes no record, if the SPE does not profile.
  bool profile(u32 core, const std::vector<u8>& record) {
    const std::lock_guard running(core_locks_[core]);
    spes[core].land();
    interrupt_of_buffer(core);
    return spes[core].choose(record);
  }
  // Sets bits of PMBSR, as if an event had happened to the buffer.
  void disturb_profiling(u32 core, u64 pmbsr) {
    const std::lock_guard running(core_locks_[core]);
    spes[core].pmbsr |= pmbsr;
    interrupt_of_buffer(core);
  }
  // Lets the interrupted threads continue, and walks the stacks of threads with a pending walk.
  void take_walks() { walks.take(now_ns); }
  // Lets another driver's counter overflow. Its interrupt also calls this driver's handler.
  void interrupt_from_elsewhere(u32 core) {
    const std::lock_guard running(core_locks_[core]);
    if (!in_interrupt) {
      deliver_interrupt(core);
    }
  }
  bool clean() const {
    return allocations.empty() && !reserved && timer_ms == 0 && !in_critical && mapped_frames() == 0 &&
           walks.placed == nullptr && walks.waiting.empty() && violations.empty();
  }
  u32 mapped_frames() const { return count_mapped(frames); }

  std::atomic<u64> now_ns = 1'000'000;
  u64 timer_hz = 50'000'000, timer_begin = 7000;  // CNTFRQ_EL0; CNTVCT_EL0 at time 0
  u32 fail_at = 0;                                // the n-th fallible call from now on fails; 0 = never
  std::function<void(Register)> before_read;      // may let events happen between two reads of the driver
  std::function<void(Register)> before_write;
  std::function<void()> at_barrier;
  std::function<void(u32 core)> on_interrupt;  // the shell's handler, called on the interrupted core
  // The shell's handler for profiling interrupts; returns true if it handled the interrupt.
  std::function<bool(u32 core)> on_profiling_interrupt;
  u64 interrupts_of_others = 0;       // flags that this driver does not touch
  std::set<u32> hidden_processes;     // processes of users other than the client
  std::map<u32, u64> process_starts;  // start times of processes by number; 0 for processes that have ended
  std::vector<std::pair<ClientId, u32>> observations;  // the calls of may_observe
  std::set<u32> cores_without_cluster;
  std::set<u32> cores_with_trapped_pmu;  // cores that report a PMUVer but whose PMU registers are trapped
  std::set<u32> cores_with_trapped_spe;  // the same for PMSVer and the SPE's registers
  std::set<u32> offline;                 // cores that run_on_core cannot reach
  std::vector<FakePmu> cores, clusters;
  std::vector<u32> pmu_versions;  // by core
  std::vector<FakeSpe> spes;      // by core
  std::vector<u64> pmsidrs, pmbidrs;
  std::vector<u32> spe_versions;
  FakeFrames frames;
  FakeAllocations allocations;
  std::vector<std::string> violations;
  FakeWalks walks;
  u32 timer_ms = 0;  // 0 = not running
  bool interrupt_is_refused = false;
  u32 state_of_interrupt = WPERF_INTERRUPT_NOT_ASKED;
  bool reserved = false;

  // --- Hal ---
  Topology topology() override { return {machine_.cores, machine_.cluster_count, machine_.cluster_size}; }
  u64 read_register(Register reg) override;
  void write_register(Register reg, u64 value) override;
  void synchronize() override {
    if (current_core != kNowhere) {
      spes[current_core].unsynchronised = false;
    }
    if (const auto happening = at_barrier) {
      happening();
    }
  }
  void drain_profiling() override {
    expect(current_core != kNowhere, "drain_profiling off a core");
    if (current_core != kNowhere) {
      spes[current_core].land();
      interrupt_of_buffer(current_core);
    }
  }
  WperfStatus run_on_core(u32 core, PerCoreCall call, void* context) override {
    expect_no_interrupt();
    expect(core < cores.size(), "run_on_core beyond the last core");
    expect(current_core == kNowhere, "run_on_core from a per-core call");
    if (core >= cores.size() || offline.count(core) != 0 || fails()) {
      return WPERF_HARDWARE_FAILED;
    }
    const std::lock_guard running(core_locks_[core]);
    current_core = core;
    call(context);
    current_core = kNowhere;
    return WPERF_OK;
  }
  WperfStatus reserve_counters(u32* free_mask) override {
    expect(!reserved, "counters reserved twice");
    if (fails()) {
      return WPERF_NO_COUNTERS;
    }
    reserved = true;
    *free_mask = machine_.reserved_mask;
    return WPERF_OK;
  }
  void release_counters() override {
    expect(reserved, "counters released that were not reserved");
    reserved = false;
  }
  WperfStatus start_timer(u32 period_ms) override {
    expect_no_interrupt();
    expect(timer_ms == 0, "two timers");
    expect(period_ms != 0, "a timer without a period");
    expect(!in_critical, "start_timer under the lock");
    if (fails()) {
      return WPERF_HARDWARE_FAILED;
    }
    timer_ms = period_ms;
    return WPERF_OK;
  }
  void stop_timer() override {
    expect_no_interrupt();
    expect(timer_ms != 0, "stop_timer without a timer");
    expect(!in_critical, "stop_timer under the lock");
    timer_ms = 0;
  }
  u64 time_ns() override { return now_ns; }
  bool has_cluster_registers() override {
    expect(current_core != kNowhere, "asked for cluster registers off a core");
    return cores_without_cluster.count(current_core) == 0 && !clusters.empty();
  }
  bool has_counter_registers() override {
    expect(current_core != kNowhere && pmu_versions[current_core] != 0, "asked for a PMU that is not there");
    return cores_with_trapped_pmu.count(current_core) == 0;
  }
  bool has_profiling_registers() override {
    expect(current_core != kNowhere && spe_versions[current_core] != 0, "asked for an SPE that is not there");
    return cores_with_trapped_spe.count(current_core) == 0;
  }
  WperfStatus take_interrupt() override {
    expect_no_interrupt();
    expect(current_core == kNowhere && !in_critical, "the interrupt is taken where the shell may not block");
    const bool refused = fails() || interrupt_is_refused;
    state_of_interrupt = refused ? WPERF_INTERRUPT_REFUSED : WPERF_INTERRUPT_HELD;
    return refused ? WPERF_NO_INTERRUPT : WPERF_OK;
  }
  u32 interrupt_state() override {
    expect_no_interrupt();
    return state_of_interrupt;
  }
  void* make_user_walks(u32 count) override {
    void* made = allocate(sizeof(u32));
    if (made != nullptr) {
      std::memcpy(made, &count, sizeof count);
    }
    return made;
  }
  void place_user_walks(void* memory) override {
    expect_no_interrupt();
    expect(walks.waiting.empty(), "walks are placed while some wait");
    if (void* const before = walks.place(memory)) {
      free(before);
    }
  }
  bool ask_for_user_walk(u32 ticket, const UserWalkStart& start) override {
    expect(in_interrupt, "a walk is asked for outside of an interrupt");
    const FakeWalks::Answer answer = walks.ask(ticket, start);
    expect(answer != FakeWalks::Answer::wrong_ticket, "not a ticket, or taken");
    return answer == FakeWalks::Answer::accepted;
  }
  void end_user_walks() override {
    expect_no_interrupt();
    walks.end();
  }
  bool may_observe(ClientId client, u32 process, u64 start) override {
    expect_no_interrupt();
    expect(current_core == kNowhere && !in_critical, "asked for a process where the shell may not block");
    observations.emplace_back(client, process);
    const auto now = process_starts.find(process);
    return hidden_processes.count(process) == 0 && start == (now == process_starts.end() ? 0 : now->second);
  }
  void* map_device_memory(u64 physical, u64 size, DeviceAccess access) override {
    return fails() ? nullptr : map_frame(frames, physical, size, access);
  }
  void unmap_device_memory(void* mapping, u64 size) override {
    expect(unmap_frame(frames, mapping, size), "unmap of memory that is not mapped");
  }
  u32 read_device(void* mapping, u64 offset) override {
    if (const FakeDmc* const frame = frame_of_identity(frames, mapping)) {
      expect(frame->identity_mapped != 0 && offset < dmc620::kIdentitySize, "read outside of an identity page");
      return frame->identity[offset % dmc620::kIdentitySize / 4];
    }
    return *word(mapping, offset);
  }
  void write_device(void* mapping, u64 offset, u32 value) override { *word(mapping, offset) = value; }
  void enter_critical() override {
    expect_no_interrupt();
    mutex_.lock();
    in_critical = true;
  }
  void leave_critical() override {
    in_critical = false;
    mutex_.unlock();
  }
  void* allocate(usize size) override {
    expect_no_interrupt();
    expect(timer_ms == 0, "allocation while counting");
    if (fails()) {
      return nullptr;
    }
    return allocations.add(size);
  }
  void free(void* memory) override {
    expect_no_interrupt();
    const usize size = allocations.size_of(memory);
    expect(size != 0, "free of memory that was not allocated");
    for (u32 i = 0; i < spes.size(); ++i) {
      const std::lock_guard running(core_locks_[i]);
      const FakeSpe& spe = spes[i];
      const u64 begin = reinterpret_cast<u64>(memory);
      const bool inside = spe.pmbptr >= begin && spe.pmbptr < begin + size;
      expect(!inside || (spe.pmblimitr & kPmblimitrEnable) == 0, "free of memory that the SPE may still write");
    }
    allocations.release(memory);
  }

 private:
  static constexpr u32 kNowhere = ~u32{0};
  static inline thread_local u32 current_core = kNowhere;
  static inline thread_local bool in_critical = false;  // this thread holds the lock
  static inline thread_local bool in_interrupt = false;

  void expect(bool good, const char* what) {
    if (!good) {
      violations.emplace_back(what);
    }
  }
  void expect_no_interrupt() { expect(!in_interrupt, "a call that an interrupt must not make"); }
  bool fails() {
    if (fail_at == 0) {
      return false;
    }
    --fail_at;
    return fail_at == 0;
  }

  void store_register(Register reg, u64 value);
  u32* word(void* mapping, u64 offset) {
    u32* const found = word_of_frame(frames, mapping, offset);
    expect(found != nullptr, "device access outside the counters of a mapped frame");
    static u32 nothing = 0;
    return found != nullptr ? found : &nothing;
  }
  u32 width(u32 core) const { return has_long_counters(u64{pmu_versions[core]} << 8) ? 64 : 32; }
  u64 ours() const { return machine_.reserved_mask & 0x7fff'ffff; }

  // The interrupt line is a level that the PMU holds; the handler must clear the flags that belong to the driver.
  void interrupt(u32 number) {
    FakePmu& core = cores[number];
    if (!on_interrupt || in_interrupt || core.raised() == 0) {
      return;
    }
    deliver_interrupt(number);
    expect((core.raised() & ~interrupts_of_others) == 0, "an interrupt that would come again for ever");
  }
  // The interrupt line is PMBSR.S.
  void interrupt_of_buffer(u32 number) {
    const auto raised = [&] { return (spes[number].pmbsr & kPmbsrService) != 0; };
    if (!on_profiling_interrupt || in_interrupt || !raised()) {
      return;
    }
    const u32 interrupted = std::exchange(current_core, number);
    in_interrupt = true;
    const bool seen_to = on_profiling_interrupt(number);
    in_interrupt = false;
    current_core = interrupted;
    expect(!seen_to || !raised(), "a profiling interrupt that would come again for ever");
  }
  void deliver_interrupt(u32 number) {
    const u32 interrupted = std::exchange(current_core, number);
    in_interrupt = true;
    on_interrupt(number);
    in_interrupt = false;
    current_core = interrupted;
  }
  void count_on_core(u32 number, const FakeEvents& events) {
    const auto happened = [&](u64 type) { return happened_on_core(events, number, type); };
    cores[number].count(machine_.counters, width(number), happened);
    cores[number].count_cycles(happened);
  }
  void advance_cluster(u32 number, const FakeEvents& events) {
    clusters[number].count(machine_.dsu_counters, 32, [&](u64 type) {
      return events(EventClass::dsu, number, static_cast<u32>(type & kEventMask), false);
    });
  }
  FakeMachine machine_;
  std::mutex mutex_;
  std::unique_ptr<std::recursive_mutex[]> core_locks_;
};

}  // namespace wperf::driver

#include "driver/core/fake_registers.h"
