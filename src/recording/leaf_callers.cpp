// SPDX-License-Identifier: BSD-3-Clause
#include "recording/leaf_callers.h"

#include <bit>

#include "recording/mapped_code.h"

namespace wperf::recording {
namespace {

constexpr u64 kLinkRegister = 30, kCallSize = 4;

}  // namespace

std::optional<u64> link_register(const perf_data::Sample& sample) {
  const perf_data::Registers& registers = sample.user_registers;
  constexpr u64 kBit = u64{1} << kLinkRegister;
  if (registers.abi == 0 || (registers.mask & kBit) == 0) return std::nullopt;
  const auto index = static_cast<usize>(std::popcount(registers.mask & (kBit - 1)));
  if (index >= registers.values.size()) return std::nullopt;
  return registers.values[index];
}

LeafCallers::Place LeafCallers::place_of(u32 space, u64 address) {
  const perf_data::CodePlace place = history_.place_in(space, address);
  if (place.code == perf_data::kNoCode) return {};
  if (!is_open_[place.code]) {
    is_open_[place.code] = true;
    const perf_data::MappedCode& code = history_.codes()[place.code];
    if (!code.is_anonymous) files_[place.code] = load_recorded_image(file_, code, {});
  }
  const modules::CodeFile& file = files_[place.code];
  const auto linked = file.is_image() ? file.address_of_offset(place.offset) : std::nullopt;
  return linked.has_value() ? Place{&file, *linked} : Place{};
}

LinkUse LeafCallers::decide(u32 space, u64 pc, u64 link, bool has_chain) {
  if (link < kCallSize) return LinkUse::other;
  const Place here = place_of(space, pc), call = place_of(space, link - kCallSize);
  if (call.file == nullptr) return LinkUse::other;
  // Of the system's own parts there is no file: without a frame record of their own they are leaves.
  const auto if_call = [&](bool wanted) {
    return wanted && call.file->is_call(call.address) ? LinkUse::maybe_recorded : LinkUse::other;
  };
  if (here.file == nullptr) return if_call(has_chain);
  const auto place = here.file->caller_place(here.address);
  if (place == symbols::CallerPlace::link_register) return LinkUse::caller;
  if (has_chain && place == symbols::CallerPlace::frame_record) return LinkUse::other;
  const symbols::SymbolizedAddress function = here.file->function_at(here.address, true);
  const bool own = call.file == here.file && call.address >= function.begin && call.address < function.end;
  return if_call(!own);
}

LinkUse LeafCallers::use_of(u32 space, u64 pc, u64 link, bool has_chain) {
  const auto [entry, is_new] = known_.try_emplace({space, {pc, link}}, LinkUse::other);
  if (is_new) entry->second = decide(space, pc, link, has_chain);
  return entry->second;
}

}  // namespace wperf::recording
