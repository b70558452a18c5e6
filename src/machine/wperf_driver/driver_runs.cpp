// SPDX-License-Identifier: BSD-3-Clause
#include "machine/wperf_driver/driver_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "machine/device/stack_records.h"
#include "machine/wperf_driver/driver_call.h"

namespace wperf::wperf_driver {
namespace {

WperfSampleRequest request_of(const plan::SamplePlan& plan) {
  auto request = make_request<WperfSampleRequest>();
  request.flags =
      (plan.kernel ? u32{WPERF_SAMPLE_KERNEL} : 0u) | (plan.jitter_shift != 0 ? u32{WPERF_SAMPLE_JITTER} : 0u);
  request.seed = plan.seed;
  request.jitter_shift = plan.jitter_shift;
  request.most_per_second = plan.most_per_second;
  request.max_stack = plan.call_stacks.wanted() ? plan.call_stacks.most_frames : 0;
  set_cores(plan.cores, request.core_mask);
  request.event_count = static_cast<u32>(std::min<size_t>(plan.events.size(), std::size(request.events)));
  for (u32 i = 0; i < request.event_count; ++i) {
    request.events[i].event = plan.events[i].code;
    request.events[i].interval = plan.events[i].interval;
  }
  return request;
}

// The statistics of a core, which both kinds of answer have.
template <typename Reply>
void take_counts(const Reply& reply, readings::CoreStatistics& statistics) {
  statistics.core = reply.core;
  statistics.taken = reply.taken;
  statistics.lost_ring_full = reply.lost_ring_full;
  statistics.lost_filtered = reply.lost_filtered;
  statistics.held_back = reply.held_back + reply.merged;
  statistics.register_losses = reply.register_losses;
}

void take_samples(const WperfDrainReply& reply, readings::CoreStatistics&, readings::SampleCapture& capture) {
  const u32 count = std::min<u32>(reply.count, WPERF_MAX_DRAINED);
  for (const WperfSample& sample : std::span(reply.samples, count))
    capture.samples.push_back(device::sample_of(sample));
}

void take_samples(const WperfStackDrainReply& reply, readings::CoreStatistics& statistics,
                  readings::SampleCapture& capture) {
  const auto bytes = std::as_bytes(std::span(reply.records));
  statistics.lost_stacks = reply.lost_stacks;
  statistics.cut_stacks = reply.cut_stacks;
  statistics.unreadable +=
      device::append_stack_records(bytes.first(std::min<size_t>(reply.bytes, bytes.size())), capture) ? 0 : 1;
}

class DriverSampleSession final : public device::SampleSession {
 public:
  DriverSampleSession(device::DriverTransport& transport, const plan::SamplePlan& plan)
      : transport_(transport),
        run_(transport, WPERF_CODE_SAMPLE_START, WPERF_CODE_SAMPLE_STOP),
        cores_(plan.cores),
        stacks_(plan.call_stacks.wanted()) {}

  diag::Result<void> start() override { return run_.start(); }
  diag::Result<void> stop() override { return run_.stop(); }

  diag::Result<void> drain(readings::SampleCapture& capture) override {
    capture.core_statistics.resize(cores_.size());
    for (size_t i = 0; i < cores_.size(); ++i) {
      WPERF_CHECK_OK(stacks_ ? drain_core<WperfStackDrainReply>(WPERF_CODE_SAMPLE_STACK_DRAIN, i, capture)
                             : drain_core<WperfDrainReply>(WPERF_CODE_SAMPLE_DRAIN, i, capture));
    }
    return {};
  }

 private:
  template <typename Reply>
  diag::Result<void> drain_core(u32 code, size_t index, readings::SampleCapture& capture) {
    auto request = make_request<WperfDrainRequest>();
    request.core = cores_[index];
    readings::CoreStatistics& statistics = capture.core_statistics[index];
    u64 seen = statistics.lost_filtered;
    bool more = true;
    while (more) {
      WPERF_TRY(const std::unique_ptr<Reply> reply, ask_driver_for_much<Reply>(transport_, code, request));
      take_counts(*reply, statistics);
      statistics.core = cores_[index];
      const size_t before = capture.samples.size();
      take_samples(*reply, statistics, capture);
      // Even if an answer has no samples, the driver may have skipped a thousand samples of other programs, and wanted
      // ones may follow.
      const bool left_some_out = reply->lost_filtered != seen;
      seen = reply->lost_filtered;
      more = reply->more != 0 && (capture.samples.size() != before || left_some_out);
    }
    return {};
  }

  device::DriverTransport& transport_;
  DriverRun run_;
  std::vector<u32> cores_;
  bool stacks_;
};

}  // namespace

diag::Result<std::unique_ptr<device::SampleSession>> open_driver_sampling(device::DriverTransport& transport,
                                                                          const plan::SamplePlan& plan) {
  WPERF_CHECK_OK(call_driver(transport, WPERF_CODE_SAMPLE_CONFIGURE, request_of(plan)));
  return std::unique_ptr<device::SampleSession>(std::make_unique<DriverSampleSession>(transport, plan));
}

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

// The driver does not say which bit of a mask the core refuses.
diag::Error refused_events(const plan::SpePlan& plan) {
  std::string masks;
  if (plan.events != 0) masks = fmt::format("event_filter={:#x}", plan.events);
  if (plan.not_events != 0) masks += fmt::format("{}inv_event_filter={:#x}", masks.empty() ? "" : ",", plan.not_events);
  return {.text = fmt::format("this core cannot filter by all events of {}", masks),
          .hint =
              "cores can filter by bits 1, 3, 5 and 7, with SPE 1.1 also by 11, with SPE 1.2 also by 6; few cores can "
              "filter by other bits. Bit 3 has the value 8"};
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
  WPERF_TRY(const WperfStatus status, try_driver(transport, WPERF_CODE_SPE_CONFIGURE, spe_request_of(plan)));
  if (status == WPERF_NOT_SUPPORTED && (plan.events | plan.not_events) != 0) return refused_events(plan);
  if (status != WPERF_OK) return error_of_status(status, WPERF_CODE_SPE_CONFIGURE);
  return std::unique_ptr<device::SpeSession>(std::make_unique<DriverSpeSession>(transport, plan.cores));
}

}  // namespace wperf::wperf_driver
