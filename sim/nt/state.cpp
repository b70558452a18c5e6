// SPDX-License-Identifier: BSD-3-Clause
// Finds threads, processes and names in the state, and describes its numbers and addresses in words.
#include "sim/nt/state.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

std::string printable(std::string_view text) {
  std::string out(text.substr(0, 300));
  for (char& one : out)
    if (static_cast<u8>(one) < 0x20 || static_cast<u8>(one) >= 0x7f) one = '?';
  return out;
}

std::string hex(u64 value) {
  std::array<char, 24> text{};
  const int length = std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return {text.data(), static_cast<usize>(length)};
}

u64 all_processors(const State& state) {
  return state.processor_count >= 64 ? ~u64{0} : (u64{1} << state.processor_count) - 1;
}

usize count_living_threads(const State& state) {
  return static_cast<usize>(
      std::count_if(state.threads.begin(), state.threads.end(), [](const auto& one) { return !one->ended; }));
}

Thread* find_thread(const State& state, u32 id) {
  if (state.threads.empty() || id < state.threads.front()->id) return nullptr;
  const u32 distance = id - state.threads.front()->id;
  const usize index = distance / kThreadIdsApart;
  return distance % kThreadIdsApart == 0 && index < state.threads.size() ? state.threads[index].get() : nullptr;
}

bool keep_name(State& state, const std::string& key, const ObjectPointer& object) {
  constexpr usize kMost = 65536;
  if (state.system->names.size() >= kMost)
    std::erase_if(state.system->names, [](const auto& one) { return one.second.expired(); });
  if (state.system->names.size() >= kMost) return false;
  state.system->names[key] = object;
  return true;
}

ObjectPointer find_name(const System& system, std::string_view name, bool ignores_case) {
  const auto known = system.names.find(std::string(name));
  ObjectPointer object = known != system.names.end() ? known->second.lock() : nullptr;
  for (auto one = system.names.begin(); ignores_case && object == nullptr && one != system.names.end(); ++one)
    if (same_ignoring_case(one->first, name)) object = one->second.lock();
  return object;
}

State* find_process(const System& system, u32 id) {
  const auto found = std::ranges::find(system.processes, id, [](const State* one) { return one->process_id; });
  return found != system.processes.end() ? *found : nullptr;
}

const Module* module_at(const State& state, u64 address) {
  const auto found = std::ranges::find_if(
      state.modules, [address](const Module& module) { return address - module.base < module.size; });
  return found != state.modules.end() ? &*found : nullptr;
}

std::string describe_address(const State& state, u64 address) {
  const Module* const module = module_at(state, address);
  return module != nullptr ? module->name + "+" + hex(address - module->base) : hex(address);
}

}  // namespace wperf::sim::nt
