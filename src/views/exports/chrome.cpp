// SPDX-License-Identifier: BSD-3-Clause
// Chrome's trace event format: stack frames, samples, thread states as complete events, counters, marks.
#include <fmt/format.h>

#include <iterator>

#include "ground/text/json_writer.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

class ChromeWriter {
 public:
  ChromeWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), moments_(source.moments), names_(source.profile), out_(take) {}

  void write() {
    out_.text += "{\"otherData\":{\"tool\":" + quoted(source_.tool) + ",\"file\":" + quoted(profile_.file) + "},\n";
    write_frames();
    write_samples();
    write_events();
    out_.flush();
  }

 private:
  static std::string quoted(std::string_view text) {
    std::string out;
    text::JsonWriter(out).string(text);
    return out;
  }
  // Microseconds since the beginning of the profile.
  void append_time(u64 time) { out_.decimal(time > moments_.begin_ns ? time - moments_.begin_ns : 0, 3); }

  void write_frames() {
    std::vector<std::string> names, modules;
    for (u32 i = 0; i < profile_.functions.size(); ++i) names.push_back(quoted(names_.marked_function(i)));
    for (const stacks::StackModule& module : profile_.modules) modules.push_back(quoted(module.name));
    out_.text += "\"stackFrames\":{";
    for (u32 node = 0; node < profile_.nodes.size(); ++node) {
      const stacks::StackNode& one = profile_.nodes[node];
      if (one.place == kNothing) continue;
      const u32 function = profile_.places[one.place].function;
      fmt::format_to(std::back_inserter(out_.text), "{}\n\"{}\":{{\"name\":{},\"category\":{}", is_first_ ? "" : ",",
                     node, names[function], modules[profile_.functions[function].module]);
      is_first_ = false;
      if (profile_.nodes[one.parent].place != kNothing) {
        fmt::format_to(std::back_inserter(out_.text), ",\"parent\":\"{}\"", one.parent);
      }
      out_.text += '}';
      out_.flush_if_long();
    }
    out_.text += "},\n";
  }

  void write_samples() {
    std::vector<std::string> events;
    for (const stacks::StackEvent& event : profile_.events) events.push_back(quoted(event.name));
    out_.text += "\"samples\":[";
    bool is_first = true;
    for_each_moment(source_, [&](u32 moment, u32 row, u64 count, u64) {
      const stacks::StackSample& sample = profile_.samples[row];
      out_.text += is_first ? "\n{" : ",\n{";
      is_first = false;
      if (sample.core != kNothing) {
        out_.text += "\"cpu\":";
        out_.number(sample.core);
        out_.text += ',';
      }
      // Without a thread, the reader of this format shows no samples.
      out_.text += "\"tid\":";
      const u32 tid = profile_.tasks[sample.task].tid;
      out_.number(tid != kNothing ? tid : 0);
      out_.text += ",\"ts\":";
      append_time(moment != kNothing ? moments_.samples.times_ns[moment] : 0);
      out_.text += ",\"name\":";
      out_.text += events[sample.event];
      out_.text += ",\"sf\":\"";
      out_.number(sample.node);
      out_.text += "\",\"weight\":";
      out_.number(count);
      out_.text += '}';
      out_.flush_if_long();
    });
    out_.text += "],\n";
  }

  // The reader requires both ids; 0 stands for an unknown one.
  void begin_event(char phase, std::string_view name, u32 pid, u32 tid, u64 time) {
    const auto known = [](u32 id) { return id != kNothing ? id : 0; };
    fmt::format_to(std::back_inserter(out_.text),
                   "{}\n{{\"ph\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":", is_first_ ? "" : ",", phase,
                   quoted(name), known(pid), known(tid));
    is_first_ = false;
    append_time(time);
  }
  void end_event() {
    out_.text += '}';
    out_.flush_if_long();
  }

  void write_events() {
    out_.text += "\"traceEvents\":[";
    is_first_ = true;
    for (u32 i = 0; i < profile_.tasks.size(); ++i) {
      const stacks::StackTask& task = profile_.tasks[i];
      for (const std::string_view kind : {"process_name", "thread_name"}) {
        if (task.tid == kNothing || (kind == "process_name" && task.pid != task.tid)) continue;
        begin_event('M', kind, task.pid, task.tid, 0);
        out_.text += ",\"args\":{\"name\":" + quoted(names_.thread(i)) + "}";
        end_event();
      }
    }
    for (const stacks::ThreadState& state : moments_.states) write_state(state);
    for (const stacks::CounterTrack& track : moments_.counters) {
      const std::string name = track_name(track);
      for (const stacks::CounterPoint& point : track.points) {
        begin_event('C', name, 0, 0, point.time_ns);
        fmt::format_to(std::back_inserter(out_.text), ",\"args\":{{\"value\":{}}}", point.value);
        end_event();
      }
    }
    for (const stacks::Mark& mark : moments_.marks) {
      std::string name(mark_name(mark.kind));
      if (mark.kind == stacks::MarkKind::program_begins) name += ' ';
      begin_event('i', name + mark.text, mark.pid, mark.tid, mark.time_ns);
      out_.text += ",\"s\":\"t\"";
      end_event();
    }
    for (const stacks::TimedLoss& loss : moments_.losses) {
      begin_event('i', fmt::format("lost: {} {}", loss.count, loss.what), 0, 0, loss.begin_ns);
      out_.text += ",\"s\":\"g\"";
      end_event();
    }
    out_.text += "]}\n";
  }

  void write_state(const stacks::ThreadState& state) {
    const stacks::StackTask& task = profile_.tasks[state.task];
    const bool waits = state.doing == stacks::ThreadDoing::waiting;
    begin_event('X', state_name(moments_, state), task.pid, task.tid, state.begin_ns);
    const u64 length = state.end_ns - state.begin_ns;
    fmt::format_to(std::back_inserter(out_.text), ",\"cat\":\"state\",\"dur\":{}.{:03}", length / 1000, length % 1000);
    if (waits && state.node != kNothing && profile_.nodes[state.node].place != kNothing) {
      fmt::format_to(std::back_inserter(out_.text), ",\"sf\":\"{}\"", state.node);
    }
    if (state.waker != kNothing) {
      fmt::format_to(std::back_inserter(out_.text), ",\"args\":{{\"woken by\":{}}}",
                     quoted(names_.numbered_thread(state.waker)));
    }
    end_event();
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  const stacks::Moments& moments_;
  Names names_;
  Collected out_;
  bool is_first_ = true;
};

}  // namespace

void write_chrome(const Source& source, const TakeBytes& take) {
  ChromeWriter(source, take).write();
}

}  // namespace wperf::exports
