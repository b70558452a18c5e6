// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_capture.h"

#include <algorithm>
#include <limits>
#include <map>

#include "recording/recorded_losses.h"

namespace wperf::recording {
namespace {

constexpr u32 kMostCapturedEvents = 32;

class Capturing {
 public:
  Capturing(raw::SampleCapture& capture, std::vector<u32> bits, bool counts_losses)
      : capture_(capture), bits_(std::move(bits)), counts_losses_(counts_losses) {}

  void operator()(const perf_data::Sample& sample, const perf_data::Record&) {
    const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
    if (event >= bits_.size() || bits_[event] == 0) return;
    ++tally_of(sample.cpu).taken;
    capture_.samples.push_back(
        {.time_ns = sample.time,
         .pc = sample.ip,
         .lr = 0,
         .process = sample.pid,
         .thread = sample.tid,
         .overflowed = bits_[event],
         .core = static_cast<u16>(std::min<u32>(sample.cpu, std::numeric_limits<u16>::max())),
         .exception_level = static_cast<u16>(sample.cpu_mode() == perf_data::kUserMode ? 0 : 1)});
  }
  void operator()(const perf_data::Lost& lost, const perf_data::Record&) { losses_[lost.identity.cpu].add(lost); }
  void operator()(const perf_data::LostSamples& lost, const perf_data::Record&) {
    losses_[lost.identity.cpu].add(lost);
  }
  void operator()(const perf_data::Throttle& throttle, const perf_data::Record&) {
    if (!throttle.is_end) ++tally_of(throttle.identity.cpu).throttled;
  }

  void finish(u64 unreadable) {
    if (unreadable != 0) tally_of(0).unreadable += unreadable;
    for (const auto& [core, losses] : losses_) lose(core, losses.of_rings(), losses.others(counts_losses_));
    for (const auto& [core, tally] : tallies_) capture_.tallies.push_back(tally);
  }

 private:
  raw::CoreTally& tally_of(u32 core) {
    if (last_ != nullptr && last_->core == core) return *last_;
    last_ = &tallies_[core];
    last_->core = core;
    return *last_;
  }
  // A number that no recording reaches comes from damage.
  void lose(u32 core, u64 of_rings, u64 others) {
    constexpr u64 kMost = u64{1} << 40;
    const u64 lost = std::min(of_rings, kMost) + std::min(others, kMost);
    raw::CoreTally& tally = tally_of(core);
    tally.taken += lost;
    tally.lost_ring_full += lost;
  }

  raw::SampleCapture& capture_;
  std::vector<u32> bits_;  // of the plan, by event of the file; 0: not of the plan
  bool counts_losses_;
  std::map<u32, raw::CoreTally> tallies_;
  std::map<u32, RecordedLosses> losses_;  // by core
  raw::CoreTally* last_ = nullptr;
};

// Events of one name are one event of the plan: on a machine with several kinds of cores each has one of its own. A
// file that names no events has them in the order of the plan.
std::vector<u32> bits_of(const perf_data::PerfFile& file, const std::vector<std::string>& names) {
  std::vector<u32> bits;
  for (usize i = 0; i < file.attrs().size(); ++i) {
    const std::string_view name = file.attrs()[i].name;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto number = found != names.end() ? static_cast<usize>(found - names.begin()) : i;
    const bool known = number < kMostCapturedEvents && number < names.size();
    bits.push_back(known ? u32{1} << number : 0);
  }
  return bits;
}

}  // namespace

raw::SampleCapture capture_of(const perf_data::PerfFile& file, const std::vector<std::string>& events) {
  raw::SampleCapture capture;
  Capturing capturing(capture, bits_of(file, events), counts_losses(file));
  const perf_data::Tally tally = file.for_each_record(capturing);
  capturing.finish(tally.all_damaged() + tally.of_unknown_event);
  return capture;
}

}  // namespace wperf::recording
