// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/core_engine.h"

#include <algorithm>
#include <vector>

#include "sim/cpu/core_model.h"
#include "sim/cpu/profiler.h"
#include "sim/cpu/unicorn_core.h"

namespace wperf::sim {

struct CoreEngine::State {
  // A Unicorn CPU caches its translations, so each process of the core has a separate CPU. The least recently used CPU
  // is dropped first.
  struct Resident {
    u32 space_id = 0;
    std::unique_ptr<UnicornCore> cpu;
  };
  static constexpr usize kResidents = 4;

  State(const CoreConfig& config, SharedMemorySystem& shared) : model(config, shared), translates(config.translates) {}

  UnicornCore& cpu_for(const AddressSpace& space, const UnicornLibrary& library) {
    auto found = std::find_if(residents.begin(), residents.end(),
                              [&](const Resident& resident) { return resident.space_id == space.id(); });
    if (found == residents.end()) {
      if (residents.size() == kResidents) residents.pop_back();
      residents.push_back({space.id(), std::make_unique<UnicornCore>(library, model, truth, translates)});
      found = residents.end() - 1;
    }
    std::rotate(residents.begin(), found, found + 1);
    return *residents.front().cpu;
  }

  CoreModel model;
  bool translates;
  Truth truth;
  Profiler* profiler = nullptr;
  std::vector<Resident> residents;  // most recently used first
};

CoreEngine::CoreEngine(const CoreConfig& config, SharedMemorySystem& shared)
    : state_(std::make_unique<State>(config, shared)) {}
CoreEngine::~CoreEngine() = default;

Stop CoreEngine::run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches) {
  const UnicornLibrary* const library = unicorn();
  if (library == nullptr) {
    Stop result;
    result.reason = StopReason::fault;
    result.fault_address = thread.pc;
    result.text = unicorn_failure();
    return result;
  }
  return state_->cpu_for(space, *library).run(space, thread, cycle_budget, watches, state_->profiler);
}

void CoreEngine::run_kernel(KernelWork work) {
  Profiler* const profiler = state_->profiler;
  state_->model.run_kernel(work, profiler != nullptr && profiler->profiles(Level::kernel) ? profiler : nullptr);
}
void CoreEngine::set_profiler(Profiler* profiler) {
  state_->profiler = profiler;
}
void CoreEngine::keep_operations() {
  state_->truth.operations.keep();
}
const OperationTotals& CoreEngine::operations() const {
  return state_->truth.operations;
}
void CoreEngine::keep_callers() {
  state_->truth.callers.keep();
}
const TrueCallers& CoreEngine::callers() const {
  return state_->truth.callers;
}
void CoreEngine::keep_branches(u64 interval) {
  state_->truth.branches.keep(interval);
}
const BranchStacks& CoreEngine::branches() const {
  return state_->truth.branches;
}
void CoreEngine::keep_totals(std::span<const u16> events) {
  state_->truth.totals.keep(events, state_->model.signals());
}
const BlockTotals& CoreEngine::totals() const {
  return state_->truth.totals;
}
u64 CoreEngine::translated_cycles() const {
  u64 sum = 0;
  for (const State::Resident& resident : state_->residents) sum += resident.cpu->translated_cycles();
  return sum;
}
const SignalCounts& CoreEngine::signals() const {
  return state_->model.signals();
}
u64 CoreEngine::cycles() const {
  return state_->model.cycles();
}
std::string CoreEngine::unavailable() {
  return unicorn() != nullptr ? std::string() : unicorn_failure();
}

}  // namespace wperf::sim
