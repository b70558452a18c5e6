// SPDX-License-Identifier: BSD-3-Clause
// A typed function for each request to Arm's driver. It makes the input, requires an answer of exactly the right size,
// and turns a refusal into a sentence for the user. Some bad requests would corrupt memory because the driver does not
// check them, so they are never sent: cores and channels that do not exist, lists that are too long, answers without
// room.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "machine/device/device.h"
#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/windowsperf/windowsperf_wire.h"

namespace wperf::windowsperf {

// Events of one class, for assign().
struct ClassEvents {
  u32 event_class = 0;
  std::vector<u16> codes;
};

// The counters that a request applies to.
struct Scope {
  std::vector<u32> cores;
  u32 flags = kCountCore;
  u8 dmc_channel = kAllChannels;
};

class Driver {
 public:
  explicit Driver(Transport& transport) : transport_(transport) {}

  diag::Result<LockStatus> lock(bool force);
  diag::Result<LockStatus> unlock();
  diag::Result<HardwareAnswer> hardware();
  diag::Result<VersionBlock> version();

  diag::Result<void> stop(const Scope& scope);
  diag::Result<void> reset(const Scope& scope);
  diag::Result<void> start(const Scope& scope, u32 period_ms);
  // `core`: a core or kAllCores.
  diag::Result<void> assign(u32 core, u8 dmc_channel, u32 filter_bits, const std::vector<ClassEvents>& lists);
  diag::Result<std::unique_ptr<CountAnswer>> read_core(u32 core);
  diag::Result<std::unique_ptr<DsuAnswer>> read_dsu(u32 core);
  diag::Result<std::vector<DmcAnswer>> read_dmc();  // the answer has all channels

  // Only for DSUs that ACPI lists.
  diag::Result<DsuCounters> init_dsu(u32 clusters, u32 cores_per_cluster);
  diag::Result<DmcCounters> init_dmc(const std::vector<device::DeviceMemory>& channels);

  diag::Result<void> set_sources(u32 core, const std::vector<SampleSource>& sources);
  diag::Result<void> start_sampling(u32 core);
  diag::Result<SampleTotals> stop_sampling(u32 core);
  diag::Result<std::unique_ptr<SampleAnswer>> take_samples(u32 core);

  u32 core_count() const { return core_count_; }  // set by hardware()

 private:
  diag::Result<Answer> exchange(Request request, std::span<const std::byte> input, std::span<std::byte> output);
  diag::Result<void> send(Request request, std::span<const std::byte> input);
  template <typename Reply>
  diag::Result<Reply> ask(Request request, std::span<const std::byte> input);
  template <typename Reply>
  diag::Result<std::unique_ptr<Reply>> ask_for_much(Request request, std::span<const std::byte> input);
  diag::Result<LockStatus> change_lock(Request request, u32 action);
  diag::Result<void> check_core(u32 core) const;
  diag::Result<CoreList> core_list(const Scope& scope) const;
  diag::Error refusal(Request request, u32 error);
  diag::Error lost_lock();

  Transport& transport_;
  u32 core_count_ = 0;
  u32 dsu_counters_ = 0;
  u32 dmc_channels_ = 0;
};

// Counting and sampling by Arm's driver.

// The opened device, for sessions; it must outlive them.
struct Opened {
  WindowsPerfMachine& machine;
  Driver driver;
  HardwareAnswer hardware{};
  u32 cluster_count = 0, cluster_size = 0, dsu_counters = 0;  // for the configured DSUs
  std::string name;                                           // "Arm's driver (WindowsPerf 3.8.0)"
};

diag::Result<std::unique_ptr<device::CountSession>> open_count_session(Opened& opened, const plan::CountPlan& plan);
diag::Result<std::unique_ptr<device::SampleSession>> open_sample_session(Opened& opened, const plan::SamplePlan& plan);

// After a lock or a reset the driver answers without waiting for its own work; after this time that work is done.
inline constexpr u64 kSettlingNs = 2'000'000;

}  // namespace wperf::windowsperf
