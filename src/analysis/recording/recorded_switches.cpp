// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_switches.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "analysis/recording/scheduler_events.h"
#include "analysis/recording/thread_ends.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/run_facts.h"
#include "formats/perf_data/visit.h"

namespace wperf::recording {
namespace {

using stacks::Leaving;
using Role = SchedulerRole;
using stacks::Switch;

u16 core_of(const perf_data::Identity& identity) {
  return identity.has(perf_data::kSampleCpu) ? static_cast<u16>(identity.cpu) : stacks::kUnknownCore;
}

class Reader {
 public:
  explicit Reader(const perf_data::PerfFile& file) : file_(file), events_(scheduler_events(file)) {
    const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
    if (run.has_value()) {
      out_.program = run->process;
      out_.recorder = run->recorder;
      out_.switch_cost_ns = run->switch_cost_ns;
    }
    argument_ = perf_data::first_argument_register(file.features().text(perf_data::Feature::architecture));
    const SchedulerEvent* const switched = events_.find(Role::switched);
    has_switches_ = switched != nullptr;
    out_.has_stacks = has_switches_ && switched->has_stacks;
    has_waking_ = events_.find(Role::waking) != nullptr;
    const SchedulerEvent* const left = events_.find(Role::left);
    stacks_of_left_ = left != nullptr && left->has_stacks;
  }

  diag::Result<RecordedSwitches> read() {
    file_.for_each_record(perf_data::Visitors{
        [&](const perf_data::Sample& sample, const perf_data::Record&) { take(sample); },
        [&](const perf_data::Switch& change, const perf_data::Record&) { take(change); },
        [&](const perf_data::Comm& comm, const perf_data::Record&) {
          const u64 time = comm.identity.time;
          put_in_process(comm.tid, comm.pid, time);
          name_thread(comm.tid, comm.name, time);
          const bool is_first = program_begin_ == 0 || time < program_begin_;
          if (comm.by_exec && comm.pid == out_.program && is_first) program_begin_ = time;
          if (comm.by_exec && comm.pid == comm.tid) ends_.execs.push_back({time, comm.pid});
        },
        [&](const perf_data::Task& task, const perf_data::Record&) {
          if (!task.is_exit && task.pid != task.parent_pid) out_.children.emplace_back(task.parent_pid, task.pid);
          if (!task.is_exit) {
            put_in_process(task.tid, task.pid, task.time);
            creations_.push_back({task.time, task.tid, task.parent_tid});
          }
          take(task);
        },
        [&](const perf_data::Lost& lost, const perf_data::Record&) { take(lost); },
    });
    if (out_.switches.empty()) return nothing();
    if (has_switches_ && !out_.of_whole_cores) forget_successors();
    inherit_names();
    // The records of a core are written to the file in batches, so a truncated file lacks the last records of each
    // core.
    if (file_.is_cut()) {
      for (usize core = 0; core < recorded_until_.size(); ++core) {
        if (recorded_until_[core] != 0) {
          out_.unrecorded.push_back({recorded_until_[core], ~u64{0}, static_cast<u16>(core)});
        }
      }
    }
    std::copy_if(thread_starts_.begin(), thread_starts_.end(), std::back_inserter(out_.switches),
                 [&](const Switch& one) { return one.time >= out_.begin; });
    const auto by_time = [](const Switch& a, const Switch& b) { return a.time < b.time; };
    std::stable_sort(out_.switches.begin(), out_.switches.end(), by_time);
    if (!said_again_.empty()) {
      std::stable_sort(said_again_.begin(), said_again_.end(), by_time);
      fill_gaps();
    }
    settle_ends();
    if (program_begin_ != 0) begin_at(program_begin_, out_);
    return std::move(out_);
  }

 private:
  // Uses a repeated record if the first one is missing.
  void fill_gaps() {
    std::vector<Switch> whole;
    whole.reserve(out_.switches.size());
    std::vector<u32> runs;  // by core
    const auto runs_on = [&](u16 core) -> u32& {
      if (core >= runs.size()) runs.resize(core + usize{1}, stacks::kNobody);
      return runs[core];
    };
    auto again = said_again_.begin();
    const auto add_until = [&](u64 time) {
      for (; again != said_again_.end() && again->time < time; ++again) {
        if (again->core == stacks::kUnknownCore) continue;
        u32& on_core = runs_on(again->core);
        if (on_core == again->comes) continue;
        if (on_core != again->leaves) again->leaves = stacks::kNobody;
        on_core = again->comes;
        whole.push_back(*again);
      }
    };
    for (const Switch& one : out_.switches) {
      add_until(one.time);
      if (one.kind == stacks::Kind::switched) runs_on(one.core) = one.comes;
      whole.push_back(one);
    }
    add_until(~u64{0});
    out_.switches = std::move(whole);
  }

  void note_time(u64 time) {
    if (time == 0) return;
    if (out_.begin == 0 || time < out_.begin) out_.begin = time;
    out_.end = std::max(out_.end, time);
  }

  // Records of several cores are not in order of time, so the latest record about a thread counts.
  void put_in_process(u32 thread, u32 process, u64 time) {
    u64& since = named_at_[thread].process;
    if (time < since) return;
    since = time;
    out_.threads[thread].process = process;
  }
  void name_thread(u32 thread, std::string_view name, u64 time) {
    u64& since = named_at_[thread].name;
    if (time < since) return;
    since = time;
    SwitchedThread& known = out_.threads[thread];
    if (known.name != name) known.name = name;
  }
  // A thread without a name has the name that its creator had at that time. If the creator was renamed later, the name
  // is unknown.
  void inherit_names() {
    std::stable_sort(creations_.begin(), creations_.end(),
                     [](const Creation& a, const Creation& b) { return a.time < b.time; });
    for (const Creation& one : creations_) {
      const auto child = out_.threads.find(one.thread);
      const auto parent = out_.threads.find(one.parent);
      if (child == out_.threads.end() || parent == out_.threads.end()) continue;
      if (child->second.name.empty() && named_at_[one.parent].name <= one.time) {
        child->second.name = parent->second.name;
        named_at_[one.thread].name = named_at_[one.parent].name;
      }
    }
  }
  void name_thread(const perf_data::Sample& sample, const perf_data::TracepointField& thread,
                   const perf_data::TracepointField& name) {
    if (thread.size == 0 || name.size == 0) return;
    name_thread(static_cast<u32>(thread.value(sample.raw)),
                bytes::text_in(bytes::slice(sample.raw, name.offset, name.size)), sample.time);
  }

  void note_core(u16 core, u64 time) {
    if (time == 0 || core == stacks::kUnknownCore) return;
    if (core >= recorded_until_.size()) recorded_until_.resize(core + usize{1});
    recorded_until_[core] = std::max(recorded_until_[core], time);
  }

  // A LOST record is written as soon as there is space, so the loss is between the previous record of the core and this
  // one.
  void take(const perf_data::Lost& lost) {
    const perf_data::Identity& identity = lost.identity;
    if (!identity.has(perf_data::kSampleTime) || identity.time == 0) return;
    const bool has_core = identity.has(perf_data::kSampleCpu);
    const u16 core = has_core ? static_cast<u16>(identity.cpu) : stacks::kEveryCore;
    u64 before = out_.begin;
    if (has_core && core < recorded_until_.size() && recorded_until_[core] != 0) before = recorded_until_[core];
    out_.unrecorded.push_back({before, identity.time, core});
    if (has_core) note_core(core, identity.time);
  }

  bool has_core(const perf_data::Sample& sample) const {
    return sample.event < file_.attrs().size() && file_.attrs()[sample.event].attributes.has(perf_data::kSampleCpu);
  }

  void take(const perf_data::Sample& sample) {
    const u32 number = static_cast<u32>(out_.samples++);
    note_time(sample.time);
    const u16 core = has_core(sample) ? static_cast<u16>(sample.cpu) : stacks::kUnknownCore;
    note_core(core, sample.time);
    if (sample.tid != 0) put_in_process(sample.tid, sample.pid, sample.time);
    const SchedulerEvent& event = events_.of(sample);
    // Both tracepoints report the same wake-up, but only the earlier one was recorded in the thread that caused it.
    if (event.role == Role::wakeup && has_waking_) return;
    if (event.role == Role::switched || event.role == Role::left) take_argument(sample, number);
    if (event.role == Role::left) {
      left_[sample.tid] = number;
      return;
    }
    if (!event.is_of_scheduler()) {
      if (!event.is_tracepoint) take_running(sample, number);
      return;
    }
    name_thread(sample, event.from, event.from_name);
    name_thread(sample, event.to, event.to_name);
    Switch change = event.switch_in(sample);
    change.time = sample.time;
    change.sample = number;
    change.core = core;
    out_.has_wakeups = out_.has_wakeups || change.kind != stacks::Kind::switched;
    out_.switches.push_back(change);
  }

  void take_argument(const perf_data::Sample& sample, u32 number) {
    constexpr u64 k64Bit = 2;  // 32-bit programs pass the argument elsewhere
    if (!argument_.has_value() || sample.user_registers.abi != k64Bit) return;
    const std::optional<u64> value = sample.user_registers.value_of(*argument_);
    if (!value.has_value()) return;
    out_.has_arguments = true;
    out_.arguments.push_back({number, *value});
  }

  // If there are several events, only samples of the first event show where threads ran; otherwise time would count
  // twice.
  void take_running(const perf_data::Sample& sample, u32 number) {
    if (!out_.has_other_samples) running_event_ = sample.event;
    out_.has_other_samples = true;
    if (sample.event != running_event_ || sample.tid == 0) return;
    out_.running_samples.push_back(
        {.sample = number, .thread = sample.tid, .weight = std::max<u64>(sample.period, 1), .time = sample.time});
  }

  u32& ran_on(u16 core) {
    if (core >= ran_on_.size()) ran_on_.resize(core + usize{1}, stacks::kNobody);
    return ran_on_[core];
  }

  // If there are also tracepoints, these records repeat the same switches.
  void take(const perf_data::Switch& change) {
    note_time(change.identity.time);
    if (!change.identity.has(perf_data::kSampleTime)) return;
    note_core(core_of(change.identity), change.identity.time);
    const u32 thread = change.identity.tid;
    if (has_switches_ && !change.is_cpu_wide) {
      // Tracepoints of single threads show when a thread leaves its core; this record shows when it comes back.
      out_.of_whole_cores = false;
      if (change.is_out) return;
      out_.switches.push_back({.time = change.identity.time, .comes = thread, .core = core_of(change.identity)});
      return;
    }
    // If whole cores are recorded, each switch is recorded twice: by the thread that leaves and by the thread that
    // comes. The first record is missing if the kernel hides the thread; some kernels also lose the tracepoint after
    // idle. See fill_gaps().
    if (change.is_cpu_wide && !change.is_out) {
      said_again_.push_back({.time = change.identity.time,
                             .leaves = change.next_prev_tid,
                             .comes = thread,
                             .core = core_of(change.identity)});
      ran_on(core_of(change.identity)) = thread;
    }
    if (change.is_cpu_wide && (has_switches_ || !change.is_out)) return;
    const u32 next = change.is_cpu_wide ? change.next_prev_tid : stacks::kNobody;
    const bool has_core = change.identity.has(perf_data::kSampleCpu);
    out_.of_whole_cores = out_.of_whole_cores && change.is_cpu_wide && has_core;
    Switch one{.time = change.identity.time,
               .leaves = change.is_out ? thread : stacks::kNobody,
               .comes = change.is_out ? next : thread,
               .core = core_of(change.identity),
               .leaving = change.is_preempted ? Leaving::preempted : Leaving::waits};
    if (change.is_cpu_wide && has_core) {
      // After its end, a thread leaves the core without a number.
      if (one.leaves == stacks::kNobody) one.leaves = ran_on(one.core);
      ran_on(one.core) = next;
    }
    if (change.is_out) {
      // The sample of this switch came just before it.
      if (const auto sample = left_.find(thread); sample != left_.end()) {
        one.sample = sample->second;
        out_.has_stacks = out_.has_stacks || stacks_of_left_;
        left_.erase(sample);
      }
    }
    out_.switches.push_back(one);
  }

  // Without tracepoints, this record shows which thread created another one, and when it ended.
  void take(const perf_data::Task& task) {
    const perf_data::Identity& identity = task.identity;
    if (!identity.has(perf_data::kSampleTime) || identity.time == 0) return;
    if (task.is_exit) {
      ends_.exits.push_back(
          {.time = identity.time, .leaves = task.tid, .core = core_of(identity), .leaving = Leaving::ended});
    } else if (!has_switches_) {
      thread_starts_.push_back(
          {.time = identity.time, .leaves = task.parent_tid, .comes = task.tid, .kind = stacks::Kind::created});
    }
  }

  // If only some threads were recorded, it is unknown which thread comes to a core when a recorded thread leaves. There
  // is a separate record when a recorded thread comes.
  void forget_successors() {
    for (Switch& one : out_.switches) {
      if (one.kind == stacks::Kind::switched && one.leaves != stacks::kNobody) one.comes = stacks::kNobody;
    }
  }

  // The recorder notices that a program ended, and may stop, before the program's last switch is recorded.
  void settle_ends() {
    ends_.of_whole_cores = out_.of_whole_cores;
    const auto process_of = [&](u32 thread) {
      const auto known = out_.threads.find(thread);
      return known != out_.threads.end() ? known->second.process : 0;
    };
    recording::settle_ends(std::move(ends_), process_of, out_.switches);
    note_time(out_.switches.front().time);
    note_time(out_.switches.back().time);
  }

  diag::Error nothing() const {
    if (events_.is_nameless) {
      return {.text = "the file does not describe the layout of the scheduler's events (tracing data)",
              .hint = "record it with `wperf waits -o FILE.data`, or `perf sched record`",
              .code = diag::ExitCode::damaged_input};
    }
    if (has_switches_ || events_.find(Role::left) != nullptr) {
      return {.text = "no context switches were recorded: each thread ran or waited all the time",
              .hint =
                  "record for longer (--timeout), or record the whole machine; for a hanging thread, "
                  "/proc/PID/task/TID/wchan names the kernel function it waits in"};
    }
    return {.text = "the recording has no context switches",
            .hint =
                "record them with `wperf waits -- PROGRAM`; with perf, `perf sched record -g` or `perf record "
                "--switch-events`"};
  }

  const perf_data::PerfFile& file_;
  SchedulerEvents events_;
  bool has_waking_ = false, has_switches_ = false;
  u64 program_begin_ = 0;
  u32 running_event_ = 0;
  bool stacks_of_left_ = false;
  std::unordered_map<u32, u32> left_;  // by thread: the sample of a switch; the record of the switch follows
  struct NamedAt {
    u64 name = 0, process = 0;
  };
  std::unordered_map<u32, NamedAt> named_at_;  // by thread
  std::vector<u64> recorded_until_;            // by core
  std::vector<u32> ran_on_;                    // by core
  std::vector<Switch> thread_starts_;
  ThreadEnds ends_;
  struct Creation {
    u64 time = 0;
    u32 thread = 0, parent = 0;
  };
  std::vector<Creation> creations_;
  std::vector<Switch> said_again_;
  std::optional<u32> argument_;  // number of the register
  RecordedSwitches out_;
};

}  // namespace

diag::Result<RecordedSwitches> read_switches(const perf_data::PerfFile& file) {
  return Reader(file).read();
}

void begin_at(u64 time, RecordedSwitches& switches) {
  const auto first = std::partition_point(switches.switches.begin(), switches.switches.end(),
                                          [&](const Switch& one) { return one.time < time; });
  switches.switches.erase(switches.switches.begin(), first);
  switches.begin = std::max(switches.begin, time);
  switches.end = std::max(switches.end, switches.begin);
}

}  // namespace wperf::recording
