// SPDX-License-Identifier: BSD-3-Clause
// Arm's driver keeps 128 samples for each core. If there is no room for a sample, it is dropped, and its event stops;
// the same happens if a sample comes while the buffer is read. So sampling runs in slices: before the buffer can be
// full, the driver is stopped, the number of samples is read and the buffer is emptied. Then the driver is set up again
// and started. The length of a slice depends on the previous slices.
#include <fmt/format.h>

#include <algorithm>

#include "machine/windowsperf/driver.h"

namespace wperf::windowsperf {
namespace {

constexpr u64 kWantedSamples = kMostSamples / 2;  // in each slice
constexpr u64 kLeastSliceNs = 1'000'000, kGreatestSliceNs = 60'000'000'000;
constexpr u64 kGreatestGrowth = 8;                    // from one slice to the next
constexpr u64 kMostEventsPerSecond = 32'000'000'000;  // for any event: eight in each cycle at 4 GHz
constexpr u64 kNanosecondsPerSecond = 1'000'000'000;
constexpr u32 kCycleFlag = 31;

class SamplingInSlices final : public device::SampleSession {
 public:
  SamplingInSlices(Opened& opened, const plan::SamplePlan& plan)
      : opened_(opened), core_(plan.cores.front()), process_(plan.process.value_or(0)) {
    u64 least = ~u64{0};
    for (const plan::SampleEvent& event : plan.events) {
      sources_.push_back(
          {.event = event.code, .interval = event.interval, .filter_bits = plan.kernel ? 0 : u32{kUserOnly}});
      least = std::min<u64>(least, std::max(event.interval, 1u));
      names_.push_back(event.name);
    }
    came_.resize(names_.size());
    slice_ns_ = std::clamp(least * kNanosecondsPerSecond / (kMostEventsPerSecond / kWantedSamples), kLeastSliceNs,
                           kGreatestSliceNs);
    statistics_.core = core_;
  }
  ~SamplingInSlices() override {
    if (running_) (void)stop();
  }
  SamplingInSlices(const SamplingInSlices&) = delete;
  SamplingInSlices& operator=(const SamplingInSlices&) = delete;

  diag::Result<void> start() override {
    WPERF_CHECK_OK(begin_slice());
    opened_.machine.measuring(true);
    return {};
  }
  diag::Result<void> drain(readings::SampleCapture& capture) override;
  diag::Result<void> stop() override;
  u64 drain_every_ns(u64 usual_ns) const override { return std::min(usual_ns, slice_ns_); }

 private:
  diag::Result<void> begin_slice();
  diag::Result<void> end_slice();
  diag::Result<void> take(const SampleAnswer& answer);
  u32 events_of(u64 overflow_flags) const;
  void choose_next_slice(u64 samples, u64 elapsed_ns);
  std::string remark() const;

  Opened& opened_;
  u32 core_, process_;
  std::vector<SampleSource> sources_;
  std::vector<std::string> names_;  // names of the sources
  std::vector<u64> came_;           // number of samples of each source
  bool running_ = false;
  u64 slice_ns_ = 0, begun_ns_ = 0;
  readings::CoreStatistics statistics_;
  std::vector<readings::DrainedSample> waiting_;  // wait for the next drain
  u64 slices_ = 0, full_slices_ = 0, strange_ = 0;
};

diag::Result<void> SamplingInSlices::begin_slice() {
  // The driver enables the counters' interrupts only when sources are set.
  WPERF_CHECK_OK(opened_.driver.set_sources(core_, sources_));
  WPERF_CHECK_OK(opened_.driver.start_sampling(core_));
  running_ = true;
  begun_ns_ = opened_.machine.now_ns();
  return {};
}

diag::Result<void> SamplingInSlices::end_slice() {
  running_ = false;
  WPERF_TRY(const SampleTotals totals, opened_.driver.stop_sampling(core_));
  const u64 elapsed_ns = opened_.machine.now_ns() - begun_ns_;
  WPERF_TRY(const auto answer, opened_.driver.take_samples(core_));
  ++slices_;
  if (totals.dropped != 0) ++full_slices_;
  statistics_.taken += std::max<u64>(totals.generated, answer->count);
  statistics_.lost_ring_full += totals.dropped;
  choose_next_slice(totals.dropped != 0 ? 4 * kMostSamples : answer->count, elapsed_ns);
  return take(*answer);
}

void SamplingInSlices::choose_next_slice(u64 samples, u64 elapsed_ns) {
  const u64 longest = std::max(slice_ns_, std::min(elapsed_ns, kGreatestSliceNs)) * kGreatestGrowth;
  const u64 wanted = samples == 0 ? longest : elapsed_ns / samples * kWantedSamples;
  slice_ns_ = std::clamp(std::min(wanted, longest), kLeastSliceNs, kGreatestSliceNs);
}

// Finds the plan's events that overflowed. The flags are numbered by hardware counter, and other programs may use some
// counters.
u32 SamplingInSlices::events_of(u64 overflow_flags) const {
  u32 events = 0;
  for (u32 i = 0; i < sources_.size(); ++i) {
    const u32 counter = opened_.hardware.counter_map[i];
    if (counter < kCycleFlag && (overflow_flags >> counter & 1) != 0) events |= 1u << i;
  }
  return events;
}

diag::Result<void> SamplingInSlices::take(const SampleAnswer& answer) {
  const u64 now_ns = opened_.machine.now_ns();
  for (u32 i = 0; i < answer.count; ++i) {
    const SampleRecord& record = answer.samples[i];
    const u32 events = events_of(record.overflow_flags);
    if (events == 0) {
      ++strange_;
      continue;
    }
    for (u32 event = 0; event < came_.size(); ++event) came_[event] += events >> event & 1;
    // The time of a sample is known only by its slice. Its process is unknown, but the program runs on this core.
    const u64 time_ns = begun_ns_ + (now_ns - begun_ns_) * (i + 1) / (answer.count + 1);
    waiting_.push_back({.time_ns = time_ns,
                        .pc = record.pc,
                        .lr = record.lr,
                        .process = process_,
                        .thread = process_,
                        .overflowed = events,
                        .core = static_cast<u16>(core_),
                        .exception_level = static_cast<u16>(record.pc >> 63)});
  }
  return {};
}

diag::Result<void> SamplingInSlices::drain(readings::SampleCapture& capture) {
  if (running_ && opened_.machine.now_ns() - begun_ns_ >= slice_ns_) {
    WPERF_CHECK_OK(end_slice());
    WPERF_CHECK_OK(begin_slice());
  }
  capture.samples.insert(capture.samples.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  statistics_.unreadable = strange_;
  capture.core_statistics = {statistics_};
  capture.remark = remark();
  return {};
}

diag::Result<void> SamplingInSlices::stop() {
  if (!running_) return {};
  opened_.machine.measuring(false);
  return end_slice();
}

std::string SamplingInSlices::remark() const {
  std::string text = fmt::format(
      "sampled by {} on core {}: it does not record process, thread or time of a sample, so everything that ran on "
      "this core counts as the program, and other cores are not sampled; each of {} slices started its intervals anew",
      opened_.name, core_, slices_);
  if (full_slices_ != 0)
    text += fmt::format(
        "; in {} of them its buffer was full, and the number of samples lost after that is unknown: use a longer "
        "interval",
        full_slices_);
  // The end of a slice discards half an interval of each event on average, so the interval must be short enough for the
  // most frequent event.
  constexpr u64 kEnoughInASlice = 8;
  for (usize i = 0; i < names_.size() && names_.size() > 1 && slices_ > 1; ++i) {
    if (came_[i] >= slices_ * kEnoughInASlice) continue;
    text += fmt::format(
        "; {} has {} samples, fewer than {} per slice, so an unknown number of samples is missing: record only this "
        "event, or record more often",
        names_[i], came_[i], kEnoughInASlice);
  }
  if (strange_ != 0) text += fmt::format("; {} samples belong to none of the events", strange_);
  return text;
}

}  // namespace

diag::Result<std::unique_ptr<device::SampleSession>> open_sample_session(Opened& opened, const plan::SamplePlan& plan) {
  if (plan.cores.size() != 1 || plan.events.empty() || plan.events.size() > opened.hardware.free_counters) {
    return diag::Error{.text = opened.name + " can sample only one core, and at most as many events as it has counters",
                       .hint = {}};
  }
  WPERF_CHECK_OK(opened.driver.stop({.cores = plan.cores}));  // counting and sampling disturb each other
  return std::unique_ptr<device::SampleSession>(std::make_unique<SamplingInSlices>(opened, plan));
}

}  // namespace wperf::windowsperf
