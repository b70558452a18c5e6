// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/live_sampling.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "app/measure/collecting.h"
#include "app/measure/count_profile_builder.h"
#include "app/measure/live_records.h"
#include "app/measure/recording_run.h"
#include "app/measure/sampling.h"
#include "app/measure/tool.h"

namespace wperf::measure {
namespace {

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// The position of the process id in a sample, if it is the same for all events; otherwise 0.
usize pid_offset_of(const perf_data::PerfFile& file) {
  constexpr usize kHeader = 8;
  if (file.attrs().empty()) return 0;
  const perf_data::EventAttributes& attributes = file.attrs().front().attributes;
  if (!attributes.has(perf_data::kSampleTid)) return 0;
  usize offset = kHeader;
  if (attributes.has(perf_data::kSampleIdentifier)) offset += sizeof(u64);
  if (attributes.has(perf_data::kSampleIp)) offset += sizeof(u64);
  return offset;
}

struct LiveRun {
  const MeasureOptions& options;
  plan::SamplePlan plan;
  const SampledProgram& sampled;
  OpenedMachine& machine;
  diag::Console& console;

  u64 now_ns() const { return machine.device->programs().now_ns(); }
};

// One session of the system's kernel, whose file is read while it grows.
class KernelLive final : public LiveSampling {
 public:
  explicit KernelLive(LiveRun run) : run_(std::move(run)) {
    const u32 pid = run_.sampled.pid;
    if (pid != 0 && !run_.options.wanted.sampling.whole_machine) run_.plan.process = pid;
  }

  diag::Result<void> open();
  diag::Result<LiveLook> next(u64 length_ms, const std::function<void()>& meanwhile) override;
  usize kept() const override { return records_.kept(); }
  diag::Result<std::vector<std::byte>> recording(usize looks, usize newest_left_out) override {
    return records_.file(looks, newest_left_out);
  }

 private:
  diag::Result<void> read_new();

  LiveRun run_;
  std::unique_ptr<device::RecordingSession> session_;
  LiveRecords records_;
  u64 read_ = 0;                  // bytes of the session's file
  u64 begin_ns_ = 0;              // start of the session
  u64 sampled_ns_ = 0;            // end of the time sampled so far
  stacks::PythonSamples python_;  // of the session
};

diag::Result<void> KernelLive::open() {
  session_.reset();
  device::RecordingTarget target{.file = {}, .tool_version = tool_version(), .arguments = run_.options.arguments};
  target.filter = live_filter(run_.options.wanted, run_.plan);
  WPERF_TRY(session_, run_.machine.device->open_recording(run_.plan, target));
  begin_ns_ = run_.now_ns();
  WPERF_CHECK_OK(session_->start());
  read_ = 0;
  python_ = {};
  return {};
}

diag::Result<void> KernelLive::read_new() {
  session_->carry_over();
  WPERF_TRY(const u64 written, session_->written());
  if (session_->error().has_value()) return *session_->error();
  if (written <= read_) return {};
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(session_->readable_path()));
  const auto bytes = mapped.bytes().first(static_cast<usize>(std::min<u64>(written, mapped.bytes().size())));
  if (read_ == 0) {
    WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(bytes));
    const usize records_begin = bytes.size() - file.record_bytes().size();
    records_.begin(bytes.first(records_begin), pid_offset_of(file), session_->facts());
    records_.begin_look(kMostLiveBytes);
    read_ = records_begin;
  }
  if (!records_.take(bytes.subspan(static_cast<usize>(read_)))) {
    return diag::Error{.text = "cannot read the kernel's records while they are recorded",
                       .hint = "use `wperf record`"};
  }
  read_ = bytes.size();
  records_.set_jit_code(session_->jit_code());
  return {};
}

diag::Result<LiveLook> KernelLive::next(u64 length_ms, const std::function<void()>& meanwhile) {
  LiveLook look;
  bool goes_on = false;
  // Starts a new session when there is too much data, so that the file and the records about ended programs do not grow
  // for days.
  if (session_ == nullptr || read_ > kMostLiveBytes || records_.sideband_bytes() > kMostLiveBytes) {
    WPERF_CHECK_OK(open());
    look.begin_ns = begin_ns_;
    if (sampled_ns_ != 0) look.unseen_ns = look.begin_ns - sampled_ns_;
  } else {
    look.begin_ns = sampled_ns_;
    goes_on = true;
  }
  // Opening the session took part of the time.
  const u64 gone_ms = (run_.now_ns() - look.begin_ns) / kNanosecondsPerMillisecond;
  const auto nothing = [&] -> diag::Result<Collected> {
    meanwhile();
    return Collected{};
  };
  WPERF_TRY(Collection collection,
            collect_samples(run_.machine, {std::max<u64>(length_ms, gone_ms + 1) - gone_ms, run_.sampled.pid},
                            {kSampleDrainNs, nothing}, run_.console));
  look.end = collection.end;
  look.error = std::move(collection.error);
  if (goes_on) records_.begin_look(kMostLiveBytes);
  WPERF_CHECK_OK(read_new());
  const stacks::PythonSamples python = session_->python();
  look.python = python.since(python_);
  python_ = python;
  sampled_ns_ = look.end_ns = run_.now_ns();
  return look;
}

// One session of a driver that returns samples.
class DriverLive final : public LiveSampling {
 public:
  explicit DriverLive(LiveRun run) : run_(std::move(run)) {}
  diag::Result<void> open();
  diag::Result<LiveLook> next(u64 length_ms, const std::function<void()>& meanwhile) override;
  usize kept() const override { return looks_.size(); }
  diag::Result<std::vector<std::byte>> recording(usize looks, usize newest_left_out) override;

 private:
  struct Look {
    readings::SampleCapture capture;  // without its samples
    SampleRecords records;
  };
  DriverPython* python() { return python_.has_value() ? &*python_ : nullptr; }
  void forget_oldest();
  void end_look(Look look);

  LiveRun run_;
  std::unique_ptr<device::SampleSession> session_;
  std::optional<DriverPython> python_;
  stacks::PythonSamples seen_python_;
  std::deque<Look> looks_;
  std::vector<readings::CoreStatistics> reported_statistics_;  // statistics of the session, up to the previous look
  u64 sampled_ns_ = 0;
};

diag::Result<void> DriverLive::open() {
  WPERF_CHECK_OK(adapt_intervals(run_.machine, run_.plan, run_.sampled.pid));
  const request::PythonFrames frames = run_.plan.call_stacks.python;
  if (frames != request::PythonFrames::none) python_.emplace(frames, run_.machine.device->programs());
  WPERF_TRY(session_, run_.machine.device->open_sampling(run_.plan));
  WPERF_CHECK_OK(session_->start());
  sampled_ns_ = run_.now_ns();
  return {};
}

void DriverLive::forget_oldest() {
  u64 bytes = 0;
  for (const Look& one : looks_) bytes += one.records.bytes().size();
  while (looks_.size() > 1 && bytes > kMostLiveBytes) {
    bytes -= looks_.front().records.bytes().size();
    looks_.pop_front();
  }
}

// The statistics grow from the start of the session. A look gets the increase since the previous look.
void DriverLive::end_look(Look look) {
  readings::SampleCapture& capture = look.capture;
  const std::vector<readings::CoreStatistics> now = capture.core_statistics;
  for (usize i = 0; i < capture.core_statistics.size() && i < reported_statistics_.size(); ++i) {
    readings::CoreStatistics& own = capture.core_statistics[i];
    for (u64 readings::CoreStatistics::* field :
         {&readings::CoreStatistics::taken, &readings::CoreStatistics::lost_ring_full,
          &readings::CoreStatistics::lost_filtered, &readings::CoreStatistics::held_back,
          &readings::CoreStatistics::throttled, &readings::CoreStatistics::unreadable,
          &readings::CoreStatistics::lost_stacks, &readings::CoreStatistics::cut_stacks,
          &readings::CoreStatistics::register_losses}) {
      own.*field -= std::min(own.*field, reported_statistics_[i].*field);
    }
  }
  reported_statistics_ = now;
  looks_.push_back(std::move(look));
  forget_oldest();
}

diag::Result<LiveLook> DriverLive::next(u64 length_ms, const std::function<void()>& meanwhile) {
  if (session_ == nullptr) WPERF_CHECK_OK(open());
  LiveLook look{.begin_ns = sampled_ns_};
  Look sampled;
  readings::SampleCapture& capture = sampled.capture;
  capture.start_ns = sampled_ns_;
  Collected collected{.in_bytes = false};
  const auto drain = [&]() -> diag::Result<Collected> {
    WPERF_CHECK_OK(session_->drain(capture));
    sampled.records.take(run_.plan, capture, python());
    collected.amount = sampled.records.samples();
    collected.next_ns = session_->drain_every_ns(kSampleDrainNs);
    meanwhile();
    return collected;
  };
  WPERF_TRY(Collection collection, collect_samples(run_.machine, {length_ms, run_.sampled.pid},
                                                   {session_->drain_every_ns(kSampleDrainNs), drain}, run_.console));
  if (collection.end != WaitEnd::time) WPERF_CHECK_OK(session_->stop());
  WPERF_CHECK_OK(session_->drain(capture));
  sampled.records.take(run_.plan, capture, python());
  if (python_.has_value()) {
    look.python = python_->samples().since(seen_python_);
    seen_python_ = python_->samples();
  }
  capture.end_ns = sampled_ns_ = look.end_ns = run_.now_ns();
  look.end = collection.end;
  look.error = std::move(collection.error);
  end_look(std::move(sampled));
  return look;
}

diag::Result<std::vector<std::byte>> DriverLive::recording(usize looks, usize newest_left_out) {
  Recording recording;
  WPERF_CHECK_OK(create_own_file(recording));
  SampleRecorder recorder(run_.plan, *recording.own_file, python());
  readings::SampleCapture all;
  const usize end = looks_.size() - std::min(newest_left_out, looks_.size());
  for (usize i = end - std::min(looks, end); i < end; ++i) {
    const readings::SampleCapture& one = looks_[i].capture;
    if (all.core_statistics.empty()) {
      all.start_ns = one.start_ns;
      all.core_statistics = one.core_statistics;
    } else {
      for (usize core = 0; core < all.core_statistics.size() && core < one.core_statistics.size(); ++core) {
        all.core_statistics[core].taken += one.core_statistics[core].taken;
        all.core_statistics[core].lost_ring_full += one.core_statistics[core].lost_ring_full;
        all.core_statistics[core].lost_filtered += one.core_statistics[core].lost_filtered;
        all.core_statistics[core].held_back += one.core_statistics[core].held_back;
        all.core_statistics[core].register_losses += one.core_statistics[core].register_losses;
      }
    }
    all.end_ns = one.end_ns;
    all.remark = one.remark;
    recorder.append(looks_[i].records);
  }
  all.processes = run_.machine.device->programs().processes();
  recorder.finish(all, run_.machine.capabilities, run_.options.arguments, run_.sampled);
  WPERF_CHECK_OK(finish_own_file(recording));
  return copy_of(recording.mapped->bytes());
}

// Windows tracing writes files, so there is one trace for each look.
class TraceLive final : public LiveSampling {
 public:
  explicit TraceLive(LiveRun run) : run_(std::move(run)) {}
  diag::Result<LiveLook> next(u64 length_ms, const std::function<void()>& meanwhile) override;
  usize kept() const override { return last_.has_value() ? 1 : 0; }
  diag::Result<std::vector<std::byte>> recording(usize looks, usize newest_left_out) override;
  const recording::RecordedSwitches* switches() const override {
    return run_.options.live_waits ? &switches_ : nullptr;
  }
  std::vector<std::pair<u32, u32>> children() const override {
    return last_.has_value() ? last_->trace_children : std::vector<std::pair<u32, u32>>();
  }

 private:
  LiveRun run_;
  std::optional<Recording> last_;
  recording::RecordedSwitches switches_;  // context switches of the session
  u64 sampled_ns_ = 0;
};

diag::Result<LiveLook> TraceLive::next(u64 length_ms, const std::function<void()>& /* during the look */) {
  LiveLook look{.begin_ns = run_.now_ns()};
  if (sampled_ns_ != 0) look.unseen_ns = look.begin_ns - sampled_ns_;
  MeasureOptions options = run_.options;
  options.wanted.timeout = request::Duration{length_ms};
  last_.reset();
  WPERF_TRY(Recording recorded, record_sampled(options, run_.plan, run_.sampled, run_.machine, run_.console));
  sampled_ns_ = look.end_ns = run_.now_ns();
  WPERF_TRY(switches_, read_trace(recorded, {.switches = options.live_waits}));
  look.end = recorded.end;
  look.error = recorded.error;
  if (recorded.trace_losses.has_value()) look.python = recorded.trace_losses->python;
  last_.emplace(std::move(recorded));
  return look;
}

diag::Result<std::vector<std::byte>> TraceLive::recording(usize /*looks*/, usize newest_left_out) {
  if (last_.has_value() && newest_left_out == 0) return copy_of(last_->mapped->bytes());
  return diag::Error{.text = "only the newest trace of Windows is kept", .hint = "resume the display first"};
}

// Converts the measurement to a request for counting.
request::Measurement counting(request::Measurement wanted, std::vector<request::CountItem> counters,
                              const SampledProgram& sampled) {
  wanted.command = request::Command::stat;
  wanted.items = std::move(counters);
  if (wanted.cores.empty()) wanted.cores = wanted.sampling.cores;
  if (!wanted.timeout.has_value()) wanted.timeout.emplace();
  wanted.program.reset();
  wanted.process.reset();
  if (sampled.pid != 0 && !wanted.sampling.whole_machine) wanted.process = sampled.pid;
  return wanted;
}

u64 grown(u64 now, u64 before) {
  return now - std::min(now, before);
}

readings::CountCapture difference(readings::CountCapture now, const readings::CountCapture& before) {
  now.start_ns = std::max(now.start_ns, before.end_ns);
  for (usize i = 0; i < now.units.size() && i < before.units.size(); ++i) {
    readings::UnitCounts& unit = now.units[i];
    const readings::UnitCounts& old = before.units[i];
    unit.enabled_ns = grown(unit.enabled_ns, old.enabled_ns);
    unit.cycles = grown(unit.cycles, old.cycles);
    unit.cycles_running_ns = grown(unit.cycles_running_ns, old.cycles_running_ns);
    unit.cycles_enabled_ns = grown(unit.cycles_enabled_ns, old.cycles_enabled_ns);
    for (usize entry = 0; entry < unit.entries.size() && entry < old.entries.size(); ++entry) {
      readings::CounterReading& reading = unit.entries[entry];
      reading.value = grown(reading.value, old.entries[entry].value);
      reading.running_ns = grown(reading.running_ns, old.entries[entry].running_ns);
      reading.enabled_ns = grown(reading.enabled_ns, old.entries[entry].enabled_ns);
    }
  }
  return now;
}

}  // namespace

diag::Result<std::unique_ptr<LiveSampling>> start_live_sampling(const MeasureOptions& options,
                                                                const plan::SamplePlan& plan,
                                                                const SampledProgram& sampled, OpenedMachine& machine,
                                                                diag::Console& console) {
  LiveRun run{.options = options, .plan = plan, .sampled = sampled, .machine = machine, .console = console};
  const auto& kernel = machine.capabilities.kernel;
  if (kernel == nullptr) return std::unique_ptr<LiveSampling>(std::make_unique<DriverLive>(std::move(run)));
  if (kernel->is_windows()) return std::unique_ptr<LiveSampling>(std::make_unique<TraceLive>(std::move(run)));
  return std::unique_ptr<LiveSampling>(std::make_unique<KernelLive>(std::move(run)));
}

diag::Result<std::unique_ptr<LiveCounts>> LiveCounts::open(request::Measurement wanted,
                                                           std::vector<request::CountItem> counters,
                                                           const SampledProgram& sampled, OpenedMachine& machine) {
  const auto& kernel = machine.capabilities.kernel;
  if (kernel == nullptr || kernel->is_windows()) {
    return diag::usage_error(
        kernel == nullptr ? "--counters needs the linux device: a driver cannot sample and count at the same time"
                          : "--counters needs the linux device: Windows traces give counts only at their end",
        "top shows the rates of the events of -e; for exact counts use `wperf stat -t`");
  }
  WPERF_TRY(plan::CountPlan plan, plan::make_count_plan(counting(std::move(wanted), std::move(counters), sampled),
                                                        machine.capabilities, machine.catalog));
  WPERF_TRY(std::unique_ptr<device::CountSession> session, machine.device->open_count(plan));
  WPERF_CHECK_OK(session->start());
  return std::unique_ptr<LiveCounts>(new LiveCounts(std::move(plan), std::move(session), machine));
}

diag::Result<std::vector<answers::CountRow>> LiveCounts::next() {
  WPERF_TRY(readings::CountCapture now, session_->read());
  const answers::CountProfile profile =
      build_count_profile(plan_, machine_.capabilities, machine_.catalog, difference(now, last_));
  last_ = std::move(now);
  const answers::ClassCounts& counts = profile.classes[index_of(EventClass::core)];
  std::vector<answers::CountRow> rows;
  for (const answers::CountUnit& unit : counts.units) answers::add_counts(rows, unit.rows);
  return rows;
}

}  // namespace wperf::measure
