// SPDX-License-Identifier: BSD-3-Clause
// A Device is a machine that can execute a plan. Must be used by one thread. Call driver_version first, then acquire,
// then any other function.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"
#include "machine/plan/plan.h"
#include "machine/plan/sample_plan.h"
#include "machine/plan/spe_plan.h"
#include "model/readings/counts.h"
#include "model/readings/samples.h"
#include "model/stacks/python_samples.h"

namespace wperf::device {

struct DriverVersion {
  u32 major = 0, minor = 0, patch = 0;
  u32 wire_version = 0;     // version of the protocol that the driver uses
  bool compatible = false;  // this wperf supports that version, too
  std::string git, features;
  std::string name = "wperf-driver";
  bool is_windowsperf = false;  // the driver is Arm's, which has the same name
  // another reason why wperf does not use the driver
  std::optional<diag::Error> refusal = std::nullopt;
};

// The owner of the counters' overflow interrupt, which sampling needs.
enum class InterruptState : u8 {
  unknown,  // the driver does not report it, because it is an older driver or needs no interrupt
  not_asked,
  held,
  refused,
  not_given_again,  // Windows took the interrupt back when the driver was unloaded, and keeps it until Windows restarts
  maybe_not_again,  // Windows may keep the interrupt, because the driver has not requested it again
};

// The version of the protocol that this tool speaks.
u32 spoken_wire_version();

// One configured count. Call start, then read and check repeatedly, then stop and read. The destructor stops a running
// count.
class CountSession {
 public:
  virtual ~CountSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<void> check() = 0;  // fails if the driver has been removed
  virtual diag::Result<void> stop() = 0;
  virtual diag::Result<readings::CountCapture> read() = 0;
  // how the count differs from the request
  virtual std::vector<std::string> remarks() const { return {}; }
};

// One configured sampling run. Call start, then drain and check repeatedly, then stop and drain. The destructor stops a
// run that is under way.
class SampleSession {
 public:
  virtual ~SampleSession() = default;
  virtual diag::Result<void> start() = 0;
  // Appends the samples in the rings and updates core_statistics. Also fails if another process took over the driver.
  virtual diag::Result<void> drain(readings::SampleCapture& capture) = 0;
  virtual diag::Result<void> stop() = 0;
  // How long to wait before the next drain().
  virtual u64 drain_every_ns(u64 usual_ns) const { return usual_ns; }
};

// The file of a recording, and the facts about its purpose.
struct RecordingTarget {
  std::string file;                         // empty: an unnamed file that is removed at the end of the session
  std::string tool_version;                 // stored in the file as the version of its writer
  std::vector<std::string> arguments = {};  // arguments of the recording command; empty: those of this process
  perf_data::RunFacts run = {};             // the facts that are known in advance; the session adds the times
  // Converts stack copies into call chains as they arrive, if the plan's stacks are `automatic`.
  std::shared_ptr<perf_data::RecordFilter> filter = nullptr;
  // Data from a tracing unit: its event, and at the end its records and facts about the run.
  struct Traced {
    std::string event;
    u64 interval = 0;
    std::function<void(u32 unit_type, std::string& records, perf_data::RunFacts& run)> finish;
  };
  std::optional<Traced> traced = std::nullopt;
};

// One sampling run that writes a perf.data file (docs/decisions/0007) or a trace. Call start, then written repeatedly,
// then stop. Afterwards the file can be read as long as the session exists. The destructor stops a run that is under
// way.
class RecordingSession {
 public:
  virtual ~RecordingSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<u64> written() = 0;  // the number of bytes so far; an error if another program ended the session
  // Moves samples that are still in buffers into the file, if the device can do this.
  virtual void carry_over() {}
  virtual diag::Result<void> stop() = 0;
  virtual std::string readable_path() const = 0;
  // After stop: why the file is incomplete. The part that was written is valid.
  virtual const std::optional<diag::Error>& error() const = 0;
  virtual std::vector<std::string> remarks() const = 0;  // for -v
  // The facts about the machine that will be written at the end of the file. Readers of the unfinished file need them.
  virtual perf_data::RecordingFacts facts() const { return {}; }
  // The bytes of kJitCodeFeature so far: the code to which call chains refer.
  virtual std::string jit_code() { return {}; }
  // The samples of Python programs so far.
  virtual stacks::PythonSamples python() { return {}; }
  virtual bool is_trace() const { return false; }
  // For a Windows trace: the drive names that the trace lacks, as pairs of device and drive.
  virtual std::vector<std::pair<std::string, std::string>> volumes() const { return {}; }
  // Losses that Windows reported, at most about one entry a second.
  struct Loss {
    u64 begin_ns = 0, end_ns = 0;  // from the start of the recording
    u64 events = 0, buffers = 0;
  };
  virtual std::vector<Loss> losses() const { return {}; }
};

// One configured run of statistical profiling. Call start, then drain repeatedly, then stop and drain. The destructor
// stops a run that is under way.
class SpeSession {
 public:
  virtual ~SpeSession() = default;
  virtual diag::Result<void> start() = 0;
  // Passes on the bytes in the buffers. Also fails if another process took over the driver.
  virtual diag::Result<void> drain(const readings::SpeSink& sink) = 0;
  virtual diag::Result<void> stop() = 0;
  virtual const std::vector<readings::SpeStatistics>& core_statistics() const = 0;  // ordered by core; from the latest
                                                                                    // drain
};

// A condition that a device needs, and whether it is met; for `doctor`.
struct DeviceCheck {
  std::string name;
  bool is_good = true;
  std::string detail, fix;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual diag::Result<void> acquire(bool force) = 0;
  // The only request that drivers of every version answer, with or without the lock.
  virtual diag::Result<DriverVersion> driver_version() = 0;
  // Needs no lock.
  virtual diag::Result<InterruptState> interrupt_state() { return InterruptState::unknown; }
  // The SPE registers are only read for commands that profile with SPE or list abilities, because a hypervisor may trap
  // the access.
  enum class Spe { left_alone, asked_for };
  virtual diag::Result<plan::Capabilities> capabilities(Spe spe) = 0;
  virtual diag::Result<std::unique_ptr<CountSession>> open_count(const plan::CountPlan& plan) = 0;
  // A device supports one of the next two functions: open_recording if plan::Capabilities::kernel is set, otherwise
  // open_sampling.
  virtual diag::Result<std::unique_ptr<SampleSession>> open_sampling(const plan::SamplePlan& plan);
  virtual diag::Result<std::unique_ptr<RecordingSession>> open_recording(const plan::SamplePlan& plan,
                                                                         const RecordingTarget& target);
  // May run at the same time as a CountSession, but not as a SampleSession.
  virtual diag::Result<std::unique_ptr<SpeSession>> open_spe(const plan::SpePlan& plan) = 0;
  virtual Programs& programs() = 0;
  virtual DeviceIdentity identity() = 0;
  // Checks that need no measurement; empty for devices that have none.
  virtual std::vector<DeviceCheck> checks() { return {}; }
  // A configuration that makes another recorder on the same system take the same samples.
  virtual diag::Result<std::string> recording_profile(const plan::SamplePlan& plan);
  // Repairs the device's state as far as possible. Returns the repairs, with the reasons for failed ones.
  virtual std::vector<DeviceCheck> mend() { return {}; }
};

}  // namespace wperf::device
