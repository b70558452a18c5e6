// SPDX-License-Identifier: BSD-3-Clause
// A Device is one machine that can execute a plan. Used from one thread. Order: driver_version, acquire, then the rest.
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

namespace wperf::device {

struct DriverVersion {
  u32 major = 0, minor = 0, patch = 0;
  u32 wire_version = 0;     // version of the protocol it speaks
  bool compatible = false;  // this wperf speaks it too
  std::string git, features;
  std::string name = "wperf-driver";
  // why wperf does not talk to it, apart from the protocol
  std::optional<diag::Error> refusal = std::nullopt;
};

// The owner of the counters' overflow interrupt, without which there is no sampling.
enum class InterruptState : u8 {
  unknown,  // the driver does not report it: it is an older one, or needs no interrupt
  not_asked,
  held,
  refused,
  not_given_again,  // Windows took it back when the driver was unloaded, and keeps it until Windows restarts
  maybe_not_again,  // the same may happen: the driver has not requested it again
};

// The version of the protocol that this tool speaks.
u32 spoken_wire_version();

// One configured count: start → (read | check)* → stop → read. The destructor stops.
class CountSession {
 public:
  virtual ~CountSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<void> check() = 0;  // fails if the driver was removed in the meantime
  virtual diag::Result<void> stop() = 0;
  virtual diag::Result<readings::CountCapture> read() = 0;
  // how counting differs from the request
  virtual std::vector<std::string> remarks() const { return {}; }
};

// One configured sampling run: start → (drain | check)* → stop → drain. The destructor stops.
class SampleSession {
 public:
  virtual ~SampleSession() = default;
  virtual diag::Result<void> start() = 0;
  // Appends the samples in the rings and updates the core_statistics. Also fails if another process took the driver
  // meanwhile.
  virtual diag::Result<void> drain(readings::SampleCapture& capture) = 0;
  virtual diag::Result<void> stop() = 0;
  // How soon to drain again.
  virtual u64 drain_every_ns(u64 usual_ns) const { return usual_ns; }
};

// Where a recording goes, and why it is made.
struct RecordingTarget {
  std::string file;                         // if empty, a file without a name, removed at the end of the session
  std::string tool_version;                 // written into the file as its writer
  std::vector<std::string> arguments = {};  // of the command that records; empty: those of this process
  perf_data::RunFacts run = {};             // the known facts before it begins; the session adds the times
  // Turns copies of stacks into call chains as they come, if the plan's stacks are `automatic`.
  std::shared_ptr<perf_data::RecordFilter> filter = nullptr;
  // Data that a tracing unit adds: its event, and at the end its records and the facts about the run.
  struct Traced {
    std::string event;
    u64 interval = 0;
    std::function<void(u32 unit_type, std::string& records, perf_data::RunFacts& run)> finish;
  };
  std::optional<Traced> traced = std::nullopt;
};

// One sampling run whose samples become a perf.data file (docs/decisions/0007), or a trace: start → written* → stop.
// Then the file may be read as long as the session lives. The destructor stops.
class RecordingSession {
 public:
  virtual ~RecordingSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<u64> written() = 0;  // bytes so far; an error if another program ended the session
  // Moves samples that are still in buffers into the file, as far as possible.
  virtual void carry_over() {}
  virtual diag::Result<void> stop() = 0;
  virtual std::string readable_path() const = 0;
  // After stop: the reason why the file is incomplete. The written part is valid.
  virtual const std::optional<diag::Error>& trouble() const = 0;
  virtual std::vector<std::string> remarks() const = 0;  // for -v
  // The machine's facts that the end of the file will have, for readers before that.
  virtual perf_data::RecordingFacts facts() const { return {}; }
  // Bytes of kMadeCodeFeature: the code that the call chains name, up to now.
  virtual std::string made_code() { return {}; }
  // Whether it writes a trace of Windows, in which the names of drives are missing: device and drive of each.
  virtual bool is_trace() const { return false; }
  virtual std::vector<std::pair<std::string, std::string>> volumes() const { return {}; }
  // Losses that Windows reported, about once a second if there were any.
  struct Loss {
    u64 begin_ns = 0, end_ns = 0;  // since the start
    u64 events = 0, buffers = 0;
  };
  virtual std::vector<Loss> losses() const { return {}; }
};

// One configured run of statistical profiling: start → drain* → stop → drain. The destructor stops.
class SpeSession {
 public:
  virtual ~SpeSession() = default;
  virtual diag::Result<void> start() = 0;
  // Hands out the bytes in the buffers. Also fails if another process took the driver meanwhile.
  virtual diag::Result<void> drain(const readings::SpeSink& sink) = 0;
  virtual diag::Result<void> stop() = 0;
  virtual const std::vector<readings::SpeStatistics>& core_statistics() const = 0;  // by core; from the latest drain
};

// A condition of a device, met or not; for `doctor`.
struct DeviceCheck {
  std::string name;
  bool is_good = true;
  std::string detail, fix;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual diag::Result<void> acquire(bool force) = 0;
  // The one question that drivers of every version answer, with or without the lock.
  virtual diag::Result<DriverVersion> driver_version() = 0;
  // Without the lock.
  virtual diag::Result<InterruptState> interrupt_state() { return InterruptState::unknown; }
  // Asking for SPE reads its registers, which a hypervisor may trap: only for commands that profile with it or list
  // abilities.
  enum class Spe { left_alone, asked_for };
  virtual diag::Result<plan::Capabilities> capabilities(Spe spe) = 0;
  virtual diag::Result<std::unique_ptr<CountSession>> open_count(const plan::CountPlan& plan) = 0;
  // A device supports one of the next two: plan::Capabilities::kernel is set if it records.
  virtual diag::Result<std::unique_ptr<SampleSession>> open_sampling(const plan::SamplePlan& plan);
  virtual diag::Result<std::unique_ptr<RecordingSession>> open_recording(const plan::SamplePlan& plan,
                                                                         const RecordingTarget& target);
  // May run at the same time as a CountSession, not as a SampleSession.
  virtual diag::Result<std::unique_ptr<SpeSession>> open_spe(const plan::SpePlan& plan) = 0;
  virtual Programs& programs() = 0;
  virtual DeviceIdentity identity() = 0;
  // Found by inspection, not by measuring, on devices that have such checks.
  virtual std::vector<DeviceCheck> checks() { return {}; }
  // A configuration with which another recorder of the same system samples the same.
  virtual diag::Result<std::string> recording_profile(const plan::SamplePlan& plan);
  // Repairs what it can; returns each repair, or why it failed.
  virtual std::vector<DeviceCheck> mend() { return {}; }
};

}  // namespace wperf::device
