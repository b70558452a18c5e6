// SPDX-License-Identifier: BSD-3-Clause
#include "app/live/waits_reader.h"

#include <algorithm>
#include <utility>

#include "analysis/recording/trace_recording.h"
#include "analysis/waits/wait_names.h"
#include "machine/plan/kernel_words.h"
#include "model/readings/samples.h"

namespace wperf::live {

void remove_switch_events(stacks::StackProfile& profile) {
  const auto found = std::find_if(profile.events.begin(), profile.events.end(), [](const stacks::StackEvent& one) {
    return one.name == plan::kSwitchesForWaits || one.name == recording::kTraceSwitches;
  });
  if (found == profile.events.end()) return;
  const u32 left_out = static_cast<u32>(found - profile.events.begin());
  stacks::GrowingArray<stacks::StackSample> others;
  for (stacks::StackSample one : profile.samples) {
    if (one.event == left_out) continue;
    if (one.event > left_out) --one.event;
    others.push_back(one);
  }
  profile.samples = std::move(others);
  profile.events.erase(found);
}

u32 LiveWaitNames::number_of(Place place) {
  const auto [known, is_new] = numbers_.try_emplace(std::move(place), static_cast<u32>(places_.size()));
  if (is_new) places_.push_back(known->first);
  return known->second;
}

void LiveWaitNames::name(std::vector<waits::WaitPart>& parts, const perf_data::PerfFile& file,
                         recording::ReadOptions wanted, const recording::RecordedSwitches& switches) {
  std::vector<u64> named(switches.samples);
  for (const waits::WaitPart& part : parts) {
    if (part.sample < named.size()) named[part.sample] = 1;
  }
  wanted.callers = wanted.rows = true;
  wanted.weights = &named;
  const recording::RecordedSamples recorded = recording::read_recorded_samples(file, wanted);
  waits::WaitNames names(switches, recorded);
  for (waits::WaitPart& part : parts) {
    if (part.place != waits::kNoPlace) continue;
    const waits::WaitPlace place = names.place_of(part.sample, part.reason);
    part.place = number_of({std::string(place.function), std::string(place.module), place.wait});
  }
}

namespace {

// Keeps only the waits of the program and its children, because a trace covers the whole machine.
void keep_program(u32 program, const recording::RecordedSwitches& switches, std::vector<waits::WaitPart>& parts) {
  const std::set<u32> processes = readings::with_children(program, switches.children);
  std::erase_if(parts, [&](const waits::WaitPart& part) {
    const auto thread = switches.threads.find(part.thread);
    return thread == switches.threads.end() || !processes.contains(thread->second.process);
  });
}

}  // namespace

diag::Result<std::vector<waits::FunctionWaits>> LiveWaitNames::take(const Look& look,
                                                                    const recording::ReadOptions& wanted) {
  // Threads may have changed their state while nothing was recorded.
  if (look.times.unseen_ns != 0) live_.forget();
  recording::RecordedSwitches read;
  u64 begin = look.times.begin_ns, end = look.times.end_ns;
  if (look.switches != nullptr) {
    // On the trace's own clock.
    begin = look.switches->begin;
    end = look.switches->end;
  } else if (auto of_file = recording::read_switches(look.file); of_file.has_value()) {
    read = std::move(of_file).value();
  } else if (of_file.error().code == diag::ExitCode::damaged_input) {
    return of_file.error();
  }  // otherwise there was no switch, so waiting threads still wait
  const recording::RecordedSwitches& switches = look.switches != nullptr ? *look.switches : read;
  std::vector<waits::WaitPart> parts = live_.take(switches.switches, begin, end);
  if (look.program != 0) keep_program(look.program, switches, parts);
  name(parts, look.file, wanted, switches);
  live_.keep(parts);
  std::map<u32, waits::FunctionWaits> by_place;
  for (const waits::WaitPart& part : parts) {
    waits::FunctionWaits& sum = by_place[part.place];
    sum.begun += part.begins ? 1 : 0;
    sum.waited += part.length;
  }
  std::vector<waits::FunctionWaits> rows;
  for (auto& [number, sum] : by_place) {
    std::tie(sum.function, sum.module, sum.wait) = places_[number];
    rows.push_back(std::move(sum));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const waits::FunctionWaits& a, const waits::FunctionWaits& b) { return a.waited > b.waited; });
  return rows;
}

}  // namespace wperf::live
