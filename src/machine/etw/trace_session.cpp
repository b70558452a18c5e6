// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/trace_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ground/text/unicode.h"
#include "machine/etw/system_state.h"
#include "machine/etw/trace_calls.h"
#include "machine/plan/counters.h"

namespace wperf::etw {
namespace {

constexpr u32 kBufferKb = 1024;
constexpr u32 kLeastBuffers = 64, kMostBuffers = 2048;
constexpr u64 kBytesOfSample = 40, kBytesOfStack = 24 + 8 * 40;

}  // namespace

u32 buffers_for(u32 cores, u64 samples_per_second, bool stacks) {
  constexpr u64 kSlackSeconds = 2;
  const u64 bytes = cores * samples_per_second * (kBytesOfSample + (stacks ? kBytesOfStack : 0)) * kSlackSeconds;
  return static_cast<u32>(
      std::clamp<u64>(bytes / (kBufferKb * 1024) + 1, std::max(kLeastBuffers, 2 * cores), kMostBuffers));
}

Session::Session(TraceApi& api, const SessionPlan& plan)
    : api_(api), plan_(plan), name_(session_name(api.own_process())), process_(api.own_process()) {}

Session::~Session() {
  if (runs_) {
    (void)stop();
  } else {
    if (changes_) put_back(api_, process_);
  }
}

diag::Result<std::unique_ptr<Session>> Session::start(TraceApi& api, const SessionPlan& plan) {
  std::unique_ptr<Session> session(new Session(api, plan));
  WPERF_CHECK_OK(session->open());
  return session;
}

diag::Result<void> Session::open() {
  const TraceApi::HostFacts machine = api_.machine();
  if (!machine.elevated) return refusal(kAccessDenied, "record all programs");
  const bool on_arm = !machine.core_midr.empty() && machine.core_midr.front() != 0;
  // Windows samples by counters or by the timer.
  const bool interrupts = !plan_.sources.empty() || !plan_.counted.empty();
  WPERF_CHECK_OK(plan::check_sampling_in_virtual_machine(machine.hypervisor && on_arm && interrupts, plan_.force));
  if (const WindowsError error = api_.enable_privilege(); error != kNoError) {
    return diag::Error{
        .text = "this user lacks the right to profile the system (SeSystemProfilePrivilege)",
        .hint = "administrators have it and can grant it: secpol.msc, Local Policies, User Rights Assignment",
        .code = diag::ExitCode::no_device};
  }
  for (CleanupResult& one : end_leftovers(api_)) remarks_.push_back(std::move(one.sentence));
  changes_ = true;
  put_back(api_, process_);
  {
    // Without this lock, another wperf could end before this session is visible, and would undo its changes.
    const SystemChanges alone(api_);
    WPERF_CHECK_OK(choose_sources());
    WPERF_CHECK_OK(set_intervals());
    WPERF_CHECK_OK(start_trace());
    runs_ = true;
  }
  return configure();
}

diag::Result<void> Session::choose_sources() {
  WPERF_TRY(numbers_, numbers_of(plan_.sources));
  WPERF_TRY(counted_, numbers_of(plan_.counted));
  return {};
}

diag::Result<std::vector<u32>> Session::numbers_of(const std::vector<WantedSource>& sources) {
  std::vector<u32> numbers;
  for (const WantedSource& source : sources) {
    if (source.number.has_value()) {
      numbers.push_back(*source.number);
      continue;
    }
    WPERF_TRY(const u32 number, add_source(source));
    numbers.push_back(number);
  }
  return numbers;
}

// A source that already exists under this name must not be removed afterwards.
diag::Result<u32> Session::add_source(const WantedSource& source) {
  const std::string number_text = source_name(source.event);
  const std::string name = number_text + " " + source.name;
  const auto find = [&]() -> diag::Result<std::optional<u32>> {
    WPERF_TRY(const std::vector<ProfileSource> sources, list_sources(api_));
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const ProfileSource& one) {
      return one.name == number_text || one.name.starts_with(number_text + " ");
    });
    return found != sources.end() ? std::optional(found->number) : std::nullopt;
  };
  WPERF_TRY(const std::optional<u32> known, find());
  if (known.has_value()) return *known;
  Bytes request = add_source_bytes({.event = source.event, .cpu = kAnyCpu, .interval = source.interval, .name = name});
  const u32 status = api_.set_performance(request);
  const diag::Error refused{
      .text = fmt::format("Windows does not accept {} (event 0x{:x}) as a sample source (status 0x{:08x})", source.name,
                          source.event, status),
      .hint =
          "`wperf list` shows the sources of this Windows; `wperf record --print-wprp` writes a profile for wpr.exe; "
          "wperf's driver can sample any event",
      .code = diag::ExitCode::no_device};
  if (status != 0) return refused;
  WPERF_TRY(const std::optional<u32> number, find());
  if (!number.has_value()) return refused;
  register_source(api_, *number, source.name);
  return *number;
}

diag::Result<void> Session::set_intervals() {
  for (usize i = 0; i < numbers_.size(); ++i) {
    const SourceInterval wanted{numbers_[i], plan_.sources[i].interval};
    const std::optional<SourceInterval> before = interval_now(api_, wanted.source);
    if (before.has_value() && before->interval == wanted.interval) continue;
    if (before.has_value() && before->interval != 0) register_interval(api_, *before);
    WPERF_CHECK_OK(checked(api_.set(0, TraceClass::sampling_interval, interval_bytes(wanted)),
                           fmt::format("sample {} each {}", plan_.sources[i].name, wanted.interval)));
  }
  return {};
}

diag::Result<void> Session::start_trace() {
  u64 rate = 0;
  for (usize i = 0; i < numbers_.size(); ++i) {
    constexpr u64 kTicksPerSecond = 10'000'000, kEventsPerSecond = 1'000'000'000;  // estimates, chosen rather high
    const u64 interval = std::max<u64>(plan_.sources[i].interval, 1);
    rate += (numbers_[i] == kTimer ? kTicksPerSecond : kEventsPerSecond) / interval;
  }
  // For a busy machine; there is a wake-up for each switch.
  constexpr u64 kSwitchesPerSecond = 5000;
  if (watches_switches()) rate += (plan_.switches ? 2 : 1) * kSwitchesPerSecond;
  SessionProperties properties{.buffer_kb = kBufferKb,
                               .log_file_mode = kSequential | kSystemLogger,
                               .enable_flags = kProcesses | kThreads | kImages,
                               .file = plan_.file};
  properties.least_buffers = buffers_for(plan_.cores, rate, plan_.stacks);
  properties.most_buffers = properties.least_buffers * 2;
  constexpr u64 kMb = 1 << 20;
  // A full disk would disturb all programs.
  if (const u64 free = api_.free_bytes(plan_.file); free != 0)
    most_mb_ = static_cast<u32>(std::clamp<u64>(free / kMb * 9 / 10, 1, kMostTraceMb));
  properties.most_mb = most_mb_;
  Bytes bytes = properties_bytes(properties);
  remarks_.push_back(fmt::format("{} to {} buffers of {} KB, and a file of {} MB at most", properties.least_buffers,
                                 properties.most_buffers, kBufferKb, most_mb_));
  WindowsError error = api_.start(handle_, name_, bytes);
  if (error == kNoSystemResources) {
    error = start_kernel_logger(properties);
    // The logger's owner is unknown, but `logman query` shows the path of its trace.
    if (error == kAlreadyExists) return refusal(kNoSystemResources, kStartSession);
  }
  if (error == kAlreadyExists) {
    return diag::Error{.text = fmt::format("a trace session named \"{}\" already exists", text::utf8_of(name_)),
                       .hint = fmt::format("end it with logman stop \"{}\" -ets", text::utf8_of(name_)),
                       .code = diag::ExitCode::no_device};
  }
  return checked(error, kStartSession);
}

// Windows has eight sessions of the newer kind, and one kernel logger. The logger's owner is registered before the
// session exists, so that the next wperf can end it if this wperf is killed in between.
WindowsError Session::start_kernel_logger(SessionProperties properties) {
  const std::u16string name(kKernelLogger);
  Bytes there = properties_bytes({.asks_file = true});
  if (api_.control(0, name, there, ControlCode::query) == kNoError) return kAlreadyExists;  // its owner keeps it
  properties.session = kKernelLoggerSession;
  properties.log_file_mode = kSequential;
  Bytes bytes = properties_bytes(properties);
  register_kernel_logger(api_, process_, plan_.file);
  if (const WindowsError error = api_.start(handle_, name, bytes); error != kNoError) {
    forget_kernel_logger(api_);
    return error;
  }
  name_ = name;
  remarks_.emplace_back(
      "all system trace sessions are in use, so wperf uses the only \"NT Kernel Logger\"; until it ends, other tools "
      "cannot use it");
  return kNoError;
}

diag::Result<void> Session::configure() {
  std::vector<u32> counters;
  for (const u32 number : numbers_) {
    if (number != kTimer) counters.push_back(number);
  }
  const bool timer = counters.size() != numbers_.size();  // the sampling timer is used
  if (!counters.empty()) {
    WPERF_CHECK_OK(checked(api_.set(handle_, TraceClass::sampling_sources, sources_bytes(counters)),
                           "sample these events at once"));
  }
  if (!counted_.empty()) {
    const std::array<EventId, 1> carriers{kSwitch};
    WPERF_CHECK_OK(checked(api_.set(handle_, TraceClass::counters, sources_bytes(counted_)), "count these events"));
    WPERF_CHECK_OK(
        checked(api_.set(handle_, TraceClass::counter_events, event_ids_bytes(carriers)), "count at context switches"));
  }
  std::vector<EventId> events;
  if (timer) events.push_back(kTimerSample);
  if (!counters.empty()) events.push_back(kCounterSample);
  if (plan_.switches) events.insert(events.end(), {kSwitch, kReady});
  if (plan_.stacks && !events.empty()) {
    WPERF_CHECK_OK(checked(api_.set(handle_, TraceClass::stack_events, event_ids_bytes(events)), "take call stacks"));
  }
  // Done last, because Windows records events from this point on.
  GroupMasks masks{kProcesses | kThreads | kImages};
  masks[1] = (timer ? kProfileMask : 0) | (counters.empty() ? 0 : kCounterProfileMask) |
             (watches_switches() ? kSwitchMask : 0) | (plan_.switches ? kReadyMask : 0);
  WPERF_CHECK_OK(checked(api_.set(handle_, TraceClass::enable_flags, masks_bytes(masks)),
                         events.empty() ? "watch all cores" : "sample all cores"));
  // Without this, the time before a core's first switch and after its last one would belong to no thread.
  if (watches_switches()) api_.visit_cores();
  return {};
}

diag::Result<SessionState> Session::state() {
  Bytes properties = properties_bytes({});
  const WindowsError error = api_.control(handle_, name_, properties, ControlCode::query);
  if (error == kInstanceNotFound) {
    runs_ = false;
    if (is_at_limit(api_.file_bytes(plan_.file))) return limit_reached();
    return diag::Error{.text = "another program ended the trace session while it was recording",
                       .hint =
                           "the recording contains everything until then; another profiler or `logman stop` may have "
                           "ended the session"};
  }
  WPERF_CHECK_OK(checked(error, "query the trace session"));
  const SessionState state = session_state(properties);
  if (is_at_limit(u64{state.buffers_written} * kBufferKb * 1024)) return limit_reached();
  return state;
}

// Windows ends a session if the next buffer would exceed the limit.
bool Session::is_at_limit(u64 bytes) const {
  return bytes / 1024 + kBufferKb > u64{most_mb_} * 1024;
}

diag::Error Session::limit_reached() const {
  return {.text = fmt::format("the trace reached its limit of {} MB; later events are missing", most_mb_),
          .hint = most_mb_ < kMostTraceMb ? "use another disk with more space: -o D:\\x.etl"
                                          : "record for a shorter time, or sample less often"};
}

diag::Result<SessionState> Session::stop() {
  if (runs_ && watches_switches()) api_.visit_cores();
  Bytes properties = properties_bytes({});
  const WindowsError error = runs_ ? api_.control(handle_, name_, properties, ControlCode::stop) : kNoError;
  const bool ended_meanwhile = runs_ && error == kInstanceNotFound;
  runs_ = false;
  if (name_ == kKernelLogger) forget_kernel_logger(api_);
  put_back(api_, process_);
  // Another process ended the session; the earlier events are in the file.
  if (ended_meanwhile && is_at_limit(api_.file_bytes(plan_.file))) return limit_reached();
  if (error != kInstanceNotFound) WPERF_CHECK_OK(checked(error, "end the trace session"));
  return session_state(properties);
}

}  // namespace wperf::etw
