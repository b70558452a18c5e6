// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/scenarios/measured_program.h"

#include "tests/nthost/check.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

constexpr u64 kSettlingNs = 200'000;  // time for the starting thread to go to sleep

}  // namespace

MeasuredProgram::MeasuredProgram(u32 id, const Person& person, u64 base)
    : id_(id), base_(base), process_(create_process(id, person)) {
  CHECK(map_user_code(*process_, base_, known_work_begin, offset_in(known_work_begin, endless_work_end)));
}

MeasuredProgram::~MeasuredProgram() {
  end_process(*process_);
}

Workload* MeasuredProgram::start_known_work(u32 cpu, u64 iterations) {
  return start_user_work(cpu, *process_, base_, iterations);
}

u32 MeasuredProgram::run_known_work(u32 cpu, u64 iterations) {
  struct Run {
    MeasuredProgram& program;
    u32 cpu;
    u64 iterations;
    u64 sum;
    u32 thread;
  } run = {*this, cpu, iterations, 0, 0};
  run_on_cpu(
      cpu,
      [](void* context) {
        Run& asked = *static_cast<Run*>(context);
        sleep_ns(kSettlingNs);
        Workload* work = asked.program.start_known_work(asked.cpu, asked.iterations);
        asked.thread = thread_id(*work);
        asked.sum = finish(work);
      },
      &run);
  CHECK_EQUAL(run.sum, iterations);
  return run.thread;
}

Workload* MeasuredProgram::start_endless_work(u32 cpu, u64 n) {
  return start_user_work(cpu, *process_, at(endless_work_begin), n);
}

Workload* MeasuredProgram::start_deep_work(u32 cpu, u32 depth) {
  return start_user_work(cpu, *process_, at(deep_work_begin), depth);
}

Workload* MeasuredProgram::start_framed_work(u32 cpu, u64 frame_pointer) {
  return start_user_work(cpu, *process_, at(framed_work_begin), frame_pointer);
}

bool MeasuredProgram::in_known_loop(u64 pc) const {
  return pc >= at(known_loop_begin) && pc < at(known_loop_end);
}

bool MeasuredProgram::in_known_work(u64 pc) const {
  return pc >= at(known_work_begin) && pc < at(known_work_end);
}

u64 MeasuredProgram::known_loop_caller_address() const {
  return at(known_loop_caller);
}

bool MeasuredProgram::in_deep_loop(u64 pc) const {
  return pc >= at(deep_loop_begin) && pc < at(deep_loop_end);
}

u64 MeasuredProgram::deep_caller_address() const {
  return at(deep_caller);
}

bool MeasuredProgram::in_framed_loop(u64 pc) const {
  return pc >= at(framed_loop_begin) && pc < at(framed_work_end);
}

bool MeasuredProgram::in_hot_part(u64 pc) const {
  return pc >= at(endless_hot) && pc < at(endless_cold);
}

bool MeasuredProgram::in_cold_part(u64 pc) const {
  return pc >= at(endless_cold) && pc < at(endless_cold_end);
}

bool MeasuredProgram::in_endless_work(u64 pc) const {
  return pc >= at(endless_work_begin) && pc < at(endless_work_end);
}

}  // namespace wperf::nthost
