// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/win32_call.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/windows/win32_surface.h"

namespace wperf::sim {

u64 Win32Call::argument(u32 index) const {
  constexpr u32 kInRegisters = 8;
  const ThreadState& registers = state.current->registers;
  if (index < kInRegisters) return registers.x[index];
  u64 value = 0;
  return state.memory.read(registers.sp + (index - kInRegisters) * sizeof value, &value, sizeof value) ? value : 0;
}

bool Win32Call::read(u64 address, void* out, u64 size) {
  if (state.memory.read(address, out, size)) return true;
  crash("cannot read " + std::to_string(size) + " bytes at " + hex(address));
  state.exit_code = kStatusAccessViolation;
  return false;
}

bool Win32Call::write(u64 address, const void* in, u64 size) {
  if (state.memory.write(address, in, size)) return true;
  crash("cannot write " + std::to_string(size) + " bytes at " + hex(address));
  state.exit_code = kStatusAccessViolation;
  return false;
}

bool Win32Call::read_name(u64 address, bool wide, std::string& out) {
  if (wide ? state.memory.read_wide(address, out) : state.memory.read_text(address, out)) return true;
  crash("no readable text at " + hex(address));
  state.exit_code = kStatusAccessViolation;
  return false;
}

bool Win32Call::write_name(u64 address, bool wide, std::string_view text) {
  if (!wide) {
    const std::string terminated(text);
    return write(address, terminated.c_str(), terminated.size() + 1);
  }
  std::vector<u16> units;
  units.reserve(text.size() + 1);
  for (char character : text) units.push_back(static_cast<u8>(character));
  units.push_back(0);
  return write(address, units.data(), units.size() * sizeof(u16));
}

// The program may have unmapped or protected its TEB; then there is no place for the number.
void Win32Call::set_last_error(u32 error) {
  (void)state.memory.write(state.current->teb + kTebLastError, &error, sizeof error);
}

u32 Win32Call::last_error() const {
  u32 error = 0;
  return state.memory.read(state.current->teb + kTebLastError, &error, sizeof error) ? error : 0;
}

u64 Win32Call::fail(u32 error, u64 result) {
  set_last_error(error);
  return result;
}

u64 Win32Call::crash(const std::string& why) {
  constexpr u32 kStatusUnsuccessful = 0xc0000001;
  outcome_ = CallOutcome::crashed;
  state.exit_code = kStatusUnsuccessful;
  state.crash_text =
      std::string(function_) + ", called from " + describe_address(state, state.current->registers.x[30]) + ": " + why;
  return 0;
}

u64 Win32Call::end(u32 exit_code) {
  outcome_ = CallOutcome::ended;
  state.exit_code = exit_code;
  return exit_code;
}

u64 Win32Call::end_thread(u32 exit_code) {
  GuestThread& self = *state.current;
  if (is_alone()) {
    self.ended = true;
    self.exit_code = exit_code;
    return end(exit_code);
  }
  self.ended = true;
  self.exit_code = exit_code;
  self.sleep_until_ns = ~0ull;
  outcome_ = CallOutcome::thread_ended;
  for (const auto& thread : state.threads)
    if (thread->waits) thread->sleep_until_ns = now_ns;
  return exit_code;
}

u64 Win32Call::repeat_after(u64 ns) {
  state.current->sleep_until_ns = ns;
  state.current->registers.pc -= sizeof(u32);
  return argument(0);
}

u64 Win32Call::wait_for_lock(u64 address) {
  state.current->wanted_lock = address;
  return repeat_after(~0ull);
}

void Win32Call::wake_for_lock(u64 address) {
  for (const auto& thread : state.threads) {
    if (thread->wanted_lock != address || address == 0) continue;
    thread->wanted_lock = 0;
    thread->sleep_until_ns = now_ns;
  }
}

bool Win32Call::is_alone() const {
  return std::none_of(state.threads.begin(), state.threads.end(),
                      [&](const auto& thread) { return thread.get() != state.current && !thread->ended; });
}

u64 Win32Call::call_program(u64 function, std::initializer_list<u64> arguments, GuestCallback::Then then) {
  constexpr usize kDeepest = 1024;
  GuestThread& thread = *state.current;
  if (thread.callbacks.size() == kDeepest)
    return crash("the program's functions call each other through Windows endlessly");
  ThreadState& registers = thread.registers;
  thread.callbacks.push_back({registers.x[30], registers.sp, std::move(then)});
  usize index = 0;
  for (const u64 value : arguments) registers.x[index++] = value;
  registers.x[30] = state.system.stub(kCallbackReturnNumber);
  registers.pc = function;
  return registers.x[0];
}

u64 Win32Call::program_returned() {
  GuestThread& thread = *state.current;
  if (thread.callbacks.empty()) return crash("no function of the program was called");
  const GuestCallback callback = std::move(thread.callbacks.back());
  thread.callbacks.pop_back();
  thread.registers.x[30] = callback.return_address;
  return callback.then(*this);
}

void Win32Call::forget_callbacks(u64 stack) {
  auto& callbacks = state.current->callbacks;
  while (!callbacks.empty() && callbacks.back().stack <= stack) callbacks.pop_back();
}

std::string hex(u64 value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace wperf::sim
