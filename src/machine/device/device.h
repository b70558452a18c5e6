// SPDX-License-Identifier: BSD-3-Clause
// A Device is one machine that can execute a plan. Called by measure from one thread. Order:
// driver_version, acquire, then anything.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/perf_data/record_filter.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"
#include "machine/plan/plan.h"
#include "machine/plan/sample_plan.h"
#include "machine/plan/spe_plan.h"
#include "model/readings/counts.h"
#include "model/readings/samples.h"
#include "model/readings/spe.h"

namespace wperf::device {

struct DriverVersion {
  u32 major = 0, minor = 0, patch = 0;
  u32 wire_version = 0;     // of the protocol it speaks
  bool compatible = false;  // we speak it too
  std::string git, features;
  std::string name = "wperf-driver";
  std::optional<diag::Error> refusal = std::nullopt;  // why it is not spoken to, where that is no matter of protocols
};

// Who has the counters' overflow interrupt, without which there is no sampling.
enum class InterruptState : u8 {
  unknown,  // the driver does not tell: it is an older one, or needs none
  not_asked,
  held,
  refused,
  not_given_again,  // Windows took it back when the driver was unloaded, and keeps it until it restarts
  maybe_not_again,  // the same may happen: the driver has not asked for it anew
};

// The version of the protocol that this tool speaks.
u32 spoken_wire_version();

// One configured count: start → (read | check)* → stop → read. The destructor stops.
class CountSession {
 public:
  virtual ~CountSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<void> check() = 0;  // fails when the driver was taken away meanwhile
  virtual diag::Result<void> stop() = 0;
  virtual diag::Result<readings::CountCapture> read() = 0;
  virtual std::vector<std::string> remarks() const { return {}; }  // what is counted otherwise than was asked for
};

// One configured sampling run: start → (drain | check)* → stop → drain. The destructor stops.
class SampleSession {
 public:
  virtual ~SampleSession() = default;
  virtual diag::Result<void> start() = 0;
  // Appends what the rings hold and brings the core_statistics up to date. Also fails when the driver was taken away
  // meanwhile.
  virtual diag::Result<void> drain(readings::SampleCapture& capture) = 0;
  virtual diag::Result<void> stop() = 0;
  // How soon to drain again.
  virtual u64 drain_every_ns(u64 usual_ns) const { return usual_ns; }
};

// What a recording is made for and into.
struct RecordingTarget {
  std::string file;              // empty: one without a name, gone when the session is
  std::string tool_version;      // that the file names as its writer
  perf_data::RunFacts run = {};  // what is known before it begins; the session adds the times
  // What makes call chains of copies of stacks while they come, where the plan's stacks are `automatic`.
  std::shared_ptr<perf_data::RecordFilter> filter = nullptr;
  // What a tracing unit writes beside it: the event that it is, and at the end its records and what is known of the
  // run.
  struct Traced {
    std::string event;
    u64 interval = 0;
    std::function<void(u32 unit_type, std::string& records, perf_data::RunFacts& run)> finish;
  };
  std::optional<Traced> traced = std::nullopt;
};

// One sampling run whose samples become a perf.data file (docs/decisions/0007), or a trace: start → written* → stop,
// then the file may be read as long as the session lives. The destructor stops.
class RecordingSession {
 public:
  virtual ~RecordingSession() = default;
  virtual diag::Result<void> start() = 0;
  virtual diag::Result<u64> written() = 0;  // bytes up to now; an error: somebody ended it
  // What waits somewhere on its way into the file is in it now, as far as it can be.
  virtual void carry_over() {}
  virtual diag::Result<void> stop() = 0;
  virtual std::string readable_path() const = 0;
  // After stop: why not all of it was written. What was is whole.
  virtual const std::optional<diag::Error>& trouble() const = 0;
  virtual std::vector<std::string> remarks() const = 0;  // for -v
  // What the file's end is going to say of the machine, for who reads it before that.
  virtual perf_data::RecordingFacts facts() const { return {}; }
  // What it writes is a trace of Windows, without the names of drives: device and drive of each.
  virtual bool is_trace() const { return false; }
  virtual std::vector<std::pair<std::string, std::string>> volumes() const { return {}; }
  // And what Windows said it lost, about once a second where it lost something.
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
  // Hands out what the buffers hold. Also fails when the driver was taken away meanwhile.
  virtual diag::Result<void> drain(const readings::SpeSink& sink) = 0;
  virtual diag::Result<void> stop() = 0;
  virtual const std::vector<readings::SpeStatistics>& core_statistics() const = 0;  // by core; of the latest drain
};

// What stands in the way of a device, or does not; for `doctor`.
struct DeviceCheck {
  std::string name;
  bool is_good = true;
  std::string detail, fix;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual diag::Result<void> acquire(bool force) = 0;
  // The one question that drivers of every version answer, with and without the lock.
  virtual diag::Result<DriverVersion> driver_version() = 0;
  // Without the lock.
  virtual diag::Result<InterruptState> interrupt_state() { return InterruptState::unknown; }
  // Asking for SPE reads its registers, which a hypervisor may trap: only for who profiles with it or lists what there
  // is.
  enum class Spe { left_alone, asked_for };
  virtual diag::Result<plan::Capabilities> capabilities(Spe spe) = 0;
  virtual diag::Result<std::unique_ptr<CountSession>> open_count(const plan::CountPlan& plan) = 0;
  // A device has one of the next two: plan::Capabilities::kernel is there where it records.
  virtual diag::Result<std::unique_ptr<SampleSession>> open_sampling(const plan::SamplePlan& plan);
  virtual diag::Result<std::unique_ptr<RecordingSession>> open_recording(const plan::SamplePlan& plan,
                                                                         const RecordingTarget& target);
  // May run at the same time as a CountSession, not as a SampleSession.
  virtual diag::Result<std::unique_ptr<SpeSession>> open_spe(const plan::SpePlan& plan) = 0;
  virtual Programs& programs() = 0;
  virtual DeviceIdentity identity() = 0;
  // Found by looking, not by measuring; where the device has checks of its own.
  virtual std::vector<DeviceCheck> checks() { return {}; }
  // What another recorder of the same system needs to sample the same: a document.
  virtual diag::Result<std::string> recording_profile(const plan::SamplePlan& plan);
  // What can be mended is; what was done, or why it could not be.
  virtual std::vector<DeviceCheck> mend() { return {}; }
};

}  // namespace wperf::device
