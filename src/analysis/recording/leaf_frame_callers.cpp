// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/leaf_frame_callers.h"

#include <algorithm>

#include "analysis/recording/mapped_code.h"

namespace wperf::recording {
namespace {

using code::CallerPlace;

constexpr u64 kLinkRegister = 30, kFramePointer = 29, kCallSize = 4;
constexpr u64 kLinkBit = u64{1} << kLinkRegister;
// The bits of a user address. The bits above contain a pointer authentication code if return addresses are signed.
constexpr u64 kAddressBits = (u64{1} << 48) - 1;

const unwind::RegisterRule* rule_of(const unwind::FrameRow& row, u64 number) {
  const auto rule = std::find_if(row.rules.begin(), row.rules.end(),
                                 [&](const unwind::RegisterRule& one) { return one.number == number; });
  return rule == row.rules.end() ? nullptr : &*rule;
}

// Compilers that address frames by the stack pointer do not describe when x29 points to the frame.
CallerPlace caller_place(const unwind::FrameRow& row) {
  if (rule_of(row, kLinkRegister) == nullptr) return CallerPlace::link_register;
  const bool is_framed = row.cfa_register == kFramePointer && row.cfa_expression.empty();
  return is_framed || row.is_outermost || row.is_signal_frame ? CallerPlace::frame_record : CallerPlace::stack;
}

bool is_in_function(const modules::CodeFile& file, u64 address, u64 other) {
  const symbols::SymbolizedAddress function = file.function_at(address, true);
  return other >= function.begin && other < function.end;
}

}  // namespace

std::optional<u64> link_register(const perf_data::Sample& sample) {
  const std::optional<u64> value = sample.user_registers.value_of(kLinkRegister);
  if (!value.has_value()) return std::nullopt;
  return *value & kAddressBits;
}

bool LeafFrameCallers::has_perf_call_chains(const perf_data::PerfFile& file) {
  const std::string_view machine = file.features().text(perf_data::Feature::architecture);
  if (!machine.empty() && machine != "aarch64" && machine != "arm64") return false;
  return std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    const perf_data::EventAttributes& attributes = event.attributes;
    return attributes.has(perf_data::kSampleCallchain) && !attributes.has(perf_data::kSampleUserStack) &&
           (attributes.user_registers & kLinkBit) != 0;
  });
}

void LeafFrameCallers::open(Code& code, const perf_data::MappedCode& mapped) const {
  code.is_open = true;
  if (of_windows_) {
    if (!mapped.is_anonymous) code.file = load_recorded_image(file_, mapped, {});
    return;
  }
  if (mapped.is_anonymous && mapped.path != modules::kVdsoPath) return;
  code.file = modules::CodeFile(load_mapped_elf(file_, history_, mapped, search_));
  if (code.file.elf() != nullptr) code.frames.emplace(unwind::eh_frame_of(*code.file.elf()));
}

LeafFrameCallers::Place LeafFrameCallers::place_of(u32 space, u64 address) {
  const perf_data::CodePlace place = history_.place_in(space, address);
  if (place.code == perf_data::kNoCode) return {};
  Code& code = codes_[place.code];
  const perf_data::MappedCode& mapped = history_.codes()[place.code];
  if (!code.is_open) open(code, mapped);
  const bool has_code = of_windows_ ? code.file.is_image() : code.file.elf() != nullptr;
  const u64 offset = mapped.is_anonymous && !of_windows_ ? address - place.mapped_from : place.offset;
  const auto linked = has_code ? code.file.address_of_offset(offset) : std::nullopt;
  return linked.has_value() ? Place{&code, *linked} : Place{};
}

LinkUse LeafFrameCallers::decide(u32 space, u64 pc, u64 link, bool has_chain) {
  if (link < kCallSize) return LinkUse::other;
  const Place here = place_of(space, pc), call = place_of(space, link - kCallSize);
  if (call.code == nullptr) return LinkUse::other;
  // Some code of the system has no file. There, a function without a frame record is assumed to be a leaf function.
  const auto if_call = [&](bool wanted) {
    return wanted && call.code->file.is_call(call.address) ? LinkUse::maybe_recorded : LinkUse::other;
  };
  if (here.code == nullptr) return if_call(has_chain);
  std::optional<CallerPlace> place = here.code->file.caller_place(here.address);
  std::optional<unwind::FunctionEntry> described;
  if (here.code->frames.has_value()) {
    const unwind::FrameRow* row = here.code->frames->row_at(here.address);
    if (row != nullptr) place = caller_place(*row);
    described = here.code->frames->function_at(here.address);
  }
  if (place == CallerPlace::link_register) return LinkUse::caller;
  if (has_chain && place == CallerPlace::frame_record) return LinkUse::other;
  const bool is_described = described.has_value() && call.address >= described->begin && call.address < described->end;
  const bool own =
      call.code == here.code && (is_described || is_in_function(here.code->file, here.address, call.address));
  return if_call(!own);
}

LinkUse LeafFrameCallers::use_of(u32 space, u64 pc, u64 link, bool has_chain) {
  const auto [entry, is_new] = known_.try_emplace({space, {pc, link}}, LinkUse::other);
  if (is_new) entry->second = decide(space, pc, link, has_chain);
  return entry->second;
}

}  // namespace wperf::recording
