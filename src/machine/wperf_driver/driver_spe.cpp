// SPDX-License-Identifier: BSD-3-Clause
#include "machine/wperf_driver/driver_spe.h"

#include <algorithm>
#include <utility>

#include "machine/wperf_driver/driver_call.h"
#include "machine/wperf_driver/driver_run.h"

namespace wperf::wperf_driver {
namespace {

u32 flags_of(const plan::SpePlan& plan) {
  const std::pair<bool, u32> flags[] = {{plan.kernel, WPERF_SPE_KERNEL},     {plan.timestamps, WPERF_SPE_TIMESTAMPS},
                                        {plan.physical, WPERF_SPE_PHYSICAL}, {plan.context, WPERF_SPE_CONTEXT},
                                        {plan.jitter, WPERF_SPE_JITTER},     {plan.loads, WPERF_SPE_LOADS},
                                        {plan.stores, WPERF_SPE_STORES},     {plan.branches, WPERF_SPE_BRANCHES}};
  u32 all = 0;
  for (const auto& [set, flag] : flags) all |= set ? flag : 0;
  return all;
}

WperfSpeRequest spe_request_of(const plan::SpePlan& plan) {
  auto request = make_request<WperfSpeRequest>();
  request.flags = flags_of(plan);
  request.interval = plan.interval;
  set_cores(plan.cores, request.core_mask);
  request.events = plan.events;
  request.not_events = plan.not_events;
  request.min_latency = plan.min_latency;
  request.buffer_bytes = plan.buffer_bytes;
  return request;
}

class DriverSpeSession final : public device::SpeSession {
 public:
  DriverSpeSession(device::DriverTransport& transport, const std::vector<u32>& cores)
      : transport_(transport), run_(transport, WPERF_CODE_SPE_START, WPERF_CODE_SPE_STOP) {
    for (const u32 core : cores) core_statistics_.push_back({.core = core});
  }

  diag::Result<void> start() override { return run_.start(); }
  diag::Result<void> stop() override { return run_.stop(); }

  diag::Result<void> drain(const readings::SpeSink& sink) override {
    for (readings::SpeStatistics& statistics : core_statistics_) WPERF_CHECK_OK(drain_core(statistics, sink));
    return {};
  }

  const std::vector<readings::SpeStatistics>& core_statistics() const override { return core_statistics_; }

 private:
  diag::Result<void> drain_core(readings::SpeStatistics& statistics, const readings::SpeSink& sink) {
    auto request = make_request<WperfDrainRequest>();
    request.core = statistics.core;
    bool more = true;
    while (more) {
      WPERF_TRY(const std::unique_ptr<WperfSpeDrainReply> reply,
                ask_driver_for_much<WperfSpeDrainReply>(transport_, WPERF_CODE_SPE_DRAIN, request));
      statistics.written = reply->written;
      statistics.full = reply->full;
      statistics.stopped_ns = reply->stopped_ns;
      statistics.collisions = reply->collisions;
      statistics.data_losses = reply->data_losses;
      statistics.faulted = statistics.faulted || (reply->events & (WPERF_SPE_FAULT | WPERF_SPE_EXTERNAL_ABORT)) != 0;
      if (statistics.faulted) statistics.fault_status = reply->status;
      const u32 size = std::min<u32>(reply->bytes, WPERF_SPE_MAX_DRAINED);
      if (size != 0) {
        sink({.core = statistics.core,
              .after_gap = (reply->events & WPERF_SPE_GAP) != 0,
              .buffer_address = reply->buffer_address,
              .bytes = std::as_bytes(std::span(reply->data, size))});
      }
      more = reply->more != 0 && size != 0;
    }
    return {};
  }

  device::DriverTransport& transport_;
  DriverRun run_;
  std::vector<readings::SpeStatistics> core_statistics_;
};

}  // namespace

diag::Result<std::unique_ptr<device::SpeSession>> open_driver_spe(device::DriverTransport& transport,
                                                                  const plan::SpePlan& plan) {
  WPERF_CHECK_OK(call_driver(transport, WPERF_CODE_SPE_CONFIGURE, spe_request_of(plan)));
  return std::unique_ptr<device::SpeSession>(std::make_unique<DriverSpeSession>(transport, plan.cores));
}

}  // namespace wperf::wperf_driver
