// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_python.h"

#include <algorithm>

#include "app/measure/python_host.h"

namespace wperf::measure {
namespace {

using recording::PythonProcess;

constexpr u64 kLookAgainTicks = 25'000;  // a millisecond

}  // namespace

SpePython::SpePython(request::PythonFrames frames, device::Programs& programs, const perf_data::TimeConversion& time)
    : keeps_native_(frames == request::PythonFrames::native),
      programs_(programs),
      time_(time),
      host_(make_python_host(programs)) {
  programs_.watch_samples(this);
}

PythonProcess* SpePython::process_of(const Moment& moment) {
  Program& program = known_[moment.process];
  const bool may_look = !program.was_looked_at || moment.ticks - program.looked_ticks >= kLookAgainTicks;
  if (program.process == nullptr && may_look) {
    program.was_looked_at = true;
    program.looked_ticks = moment.ticks;
    program.process = PythonProcess::open(*host_, moment.process);
    if (program.process != nullptr) versions_ |= u32{1} << (program.process->minor_version() & 31);
  }
  return program.process.get();
}

void SpePython::see(const Moment& moment) {
  if (moment.ticks == 0) return;  // not an SPE record
  PythonProcess* const process = process_of(moment);
  if (process == nullptr) return;
  const u64 time_ns = time_.to_perf_ns(moment.ticks);
  switch (process->copy_frames(moment.thread, time_ns, frames_)) {
    case PythonProcess::Copied::no_python_thread:
    case PythonProcess::Copied::no_frames:
      ++samples_.outside;
      return;
    case PythonProcess::Copied::unreadable:
      ++samples_.unread;
      return;
    case PythonProcess::Copied::yes:
      break;
  }
  if (!frames_.innermost().has_value()) {
    ++samples_.changed;
    return;
  }
  if (!collect_stack(*process, time_ns, made_.try_emplace(moment.process, moment.process).first->second)) {
    ++samples_.unread;
    return;
  }
  ++samples_.joined;
  const auto number = numbers_.try_emplace(stack_, static_cast<u32>(stacks_.stacks.size()));
  if (number.second) stacks_.stacks.push_back(stack_);
  const bool replaces = !keeps_native_ && process->evaluates_at(moment.pc);
  stacks_.records.push_back(
      {.ticks = moment.ticks, .core = moment.core, .stack = number.first->second, .replaces = replaces});
}

bool SpePython::collect_stack(PythonProcess& process, u64 time_ns, symbols::JitDumpWriter& made) {
  stack_.clear();
  const auto frames = frames_.from(frames_.begin_of(*frames_.innermost()), room_);
  for (const PythonProcess::Frame& frame : frames) {
    if (!frame.has_function) continue;
    const auto& function = frame.function;
    if (!function.has_value() || function->end <= function->begin) return false;
    process.note_use(*function, time_ns, made);
    stack_.push_back(std::clamp(frame.instruction, function->begin, function->end - 1));
  }
  if (stack_.empty()) return false;
  if (frames.back().is_last_read) ++samples_.cut;
  return true;
}

stacks::PythonSamples SpePython::samples() const {
  stacks::PythonSamples out = samples_;
  out.versions = recording::python_versions(versions_);
  return out;
}

}  // namespace wperf::measure
