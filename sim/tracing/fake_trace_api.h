// SPDX-License-Identifier: BSD-3-Clause
// A fake of Windows' tracing that is as strict as Windows: each request is checked byte by byte against Microsoft's
// documentation, and rejected as Windows rejects it. When a session ends, it leaves a real .etl with the events of the
// simulated machine. Tests of the etw device and `--device etw:fake` use it.
#pragma once
#include <map>

#include "ground/diag/result.h"
#include "machine/etw/etw_device.h"
#include "machine/etw/trace_api.h"
#include "machine/etw/trace_requests.h"
#include "sim/tracing/fake_trace_file.h"

namespace wperf::wperf_driver {
class SimulatedMachine;
}

namespace wperf::etw::fake {

// The machine below the fake Windows.
class FakeMachine {
 public:
  virtual ~FakeMachine() = default;
  struct Sampling {
    u32 source = 0, interval = 0;
    u32 event = 0;  // for an added source
  };
  virtual u64 now_ns() = 0;
  virtual std::vector<u64> core_midr() = 0;
  virtual diag::Result<void> begin(std::span<const Sampling> sources, bool stacks) = 0;
  // Fetches the samples since the last call; returns the total number of lost samples.
  virtual diag::Result<u64> drain(std::vector<FakeSample>& samples) = 0;
  virtual diag::Result<void> end() = 0;
  virtual std::vector<FakeProcess> processes() = 0;
  // Records the machine's context switches from here on, with the counts of these sources.
  virtual void watch_switches(std::span<const Sampling> counted) = 0;
  virtual void take_switches(std::vector<FakeSwitch>& switches) = 0;
  virtual void visit_cores(u32 process, u32 thread) = 0;
};

// The properties of the fake Windows, faults included.
struct FakeWindows {
  u32 build = 26100;
  bool elevated = true, may_profile = true, hypervisor = false;
  bool takes_sources = true;  // sources can be added
  bool disk_full = false;
  u64 free_bytes = 0;       // on the disk; 0: unknown
  u32 ended_after = 0;      // after this many queries another process ends the session; 0 for never
  u32 lost_per_second = 0;  // events
  u32 most_sessions = 8, most_sources = 4, most_counters = 4;
  std::vector<ProfileSource> sources = {};    // the usual ones if empty
  std::vector<u32> owned_sources = {};        // sources that another session samples
  std::vector<std::u16string> sessions = {};  // sessions that already exist
  std::vector<u32> processes = {};            // processes that run
  std::string kernel_logger_file = {};        // file of another program's session with that name
  std::map<std::string, std::string> kept = {};
};
std::vector<ProfileSource> usual_sources();

class FakeTraceApi final : public TraceApi {
 public:
  FakeTraceApi(FakeWindows windows, FakeMachine& machine);

  HostFacts machine() override;
  WindowsError enable_privilege() override;
  WindowsError start(u64& session, const std::u16string& name, std::span<std::byte> properties) override;
  WindowsError control(u64 session, const std::u16string& name, std::span<std::byte> properties,
                       ControlCode code) override;
  WindowsError set(u64 session, TraceClass what, std::span<const std::byte> information) override;
  WindowsError query(u64 session, TraceClass what, std::span<std::byte> information, u32& returned) override;
  u32 set_performance(std::span<std::byte> information) override;
  std::vector<std::u16string> sessions() override;
  u32 own_process() override { return own_process_; }
  void visit_cores() override { machine_.visit_cores(own_process_, own_process_ + 1); }
  bool process_runs(u32 process) override;
  std::vector<Volume> volumes() override { return {}; }
  std::optional<std::string> kept(const std::string& name) override;
  std::vector<std::string> kept_names() override;
  void keep(const std::string& name, const std::string& text) override { windows_.kept[name] = text; }
  void forget(const std::string& name) override { windows_.kept.erase(name); }
  void begin_changes() override { ++changing_; }
  void end_changes() override { --changing_; }
  u64 free_bytes(const std::string&) override { return windows_.free_bytes; }
  u64 file_bytes(const std::string& file) override { return file_bytes_[file]; }

  // From here on the calls come from another process.
  void become(u32 process) { own_process_ = process; }
  // State for tests, which check that no session remains.
  FakeWindows& windows() { return windows_; }
  const std::map<u32, u32>& intervals() const { return intervals_; }
  std::vector<u32> added_sources() const;
  int changing() const { return changing_; }

  static constexpr u32 kOwnProcess = 4242;

 private:
  struct Running {
    u64 handle = 0;
    std::u16string name;
    std::string file;
    u32 buffer_kb = 0, most_mb = 0, mode = 0;
    u64 begin_ns = 0;
    std::vector<EventId> stacks = {}, counter_events = {};
    std::vector<u32> sources = {}, counters = {};
    GroupMasks masks{};
    bool samples = false, watches = false;
    std::vector<FakeSample> taken = {};
    std::vector<FakeSwitch> switches = {};
    std::vector<FakeProcess> processes_before = {};
    u64 lost = 0;
  };
  Running* find(u64 handle, const std::u16string& name);
  WindowsError begin_sampling(Running& session);
  WindowsError set_interval(std::span<const std::byte> information);
  WindowsError take_sources(std::span<const std::byte> information, u32 most, std::vector<u32>& sources) const;
  FakeMachine::Sampling sampling_of(u32 number) const;
  bool drain(Running& session);
  u64 lost_of(const Running& session);
  static u32 buffers_of(const Running& session);
  void write_state(const Running& session, std::span<std::byte> properties, u32 buffers);
  u32 write_trace(const Running& session);
  const ProfileSource* source(u32 number) const;

  FakeWindows windows_;
  FakeMachine& machine_;
  bool privileged_ = false;
  u32 own_process_ = kOwnProcess;
  int changing_ = 0;
  std::map<std::string, u64> file_bytes_;  // sizes of files that are full
  std::vector<Running> running_;
  std::map<u32, u32> intervals_;     // by source
  std::map<u32, u32> added_events_;  // by source
  u64 next_handle_ = 0x20;
};

// The simulated machine as a Windows that traces: "mhz=100,cores=4". Linux only. Tests use `below` for the true values.
diag::Result<std::unique_ptr<TracingMachine>> open_fake_tracing(const std::string& options,
                                                                wperf_driver::SimulatedMachine** below = nullptr);

}  // namespace wperf::etw::fake
