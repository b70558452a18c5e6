// SPDX-License-Identifier: BSD-3-Clause
// A process without DLLs: one thread, a stack, and memory for arguments. Tests make its system calls by name.
#pragma once
#include <initializer_list>
#include <string_view>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

class TestProcess {
 public:
  static constexpr u64 kArguments = 0x20'0000'0000, kSize = 0x10000;

  TestProcess() : state(1, std::make_shared<System>(), std::make_shared<FileSystem>()) {
    Memory::ReserveOptions options;
    options.address = kArguments;
    options.size = kSize;
    (void)state.memory.reserve(options);
    (void)state.memory.commit(kArguments, kSize, kPageReadWrite);
    state.program = std::make_shared<ImageContents>();
    state.process_id = state.process_object->id = 1000;
    state.processor_count = 4;
    add_thread();
  }

  Thread& add_thread() {
    auto thread = std::make_unique<Thread>();
    thread->id = 1004 + kThreadIdsApart * static_cast<u32>(state.threads.size());
    thread->object = std::make_shared<ThreadObject>(thread->id);
    thread->registers.sp = kArguments + kSize - 0x1000 * (1 + state.threads.size());
    state.threads.push_back(std::move(thread));
    return *state.threads.back();
  }

  // Returns the answer, or kNoAnswer if the thread waits or its registers were set directly.
  u64 call(std::string_view name, std::initializer_list<u64> arguments, usize thread = 0) {
    ThreadState& registers = state.threads[thread]->registers;
    usize index = 0;
    for (const u64 argument : arguments) {
      if (index < 8) registers.x[index] = argument;
      if (index >= 8) state.space.write(registers.sp + (index - 8) * 8, &argument, sizeof argument);
      ++index;
    }
    const Service* service = find_service(name);
    if (service == nullptr) service = find_replaced(name);
    if (service == nullptr) return kNotImplemented;
    Call call(state, *state.threads[thread], name, now_ns);
    const u64 answer = service->handler(call);
    report_changes(state, now_ns);
    outcome = call.outcome();
    return call.failed() ? u64{kAccessViolation} : answer;
  }

  template <class T>
  u64 put(u64 offset, const T& value) {
    state.space.write(kArguments + offset, &value, sizeof value);
    return kArguments + offset;
  }
  template <class T = u64>
  T get(u64 offset) {
    T value{};
    state.space.read(kArguments + offset, &value, sizeof value);
    return value;
  }
  // Returns the address of OBJECT_ATTRIBUTES with this name, at `offset`. The UNICODE_STRING is 0x40 bytes after it,
  // and the text 0x100.
  u64 named(u64 offset, std::string_view name, u64 flags = 0) {
    const std::vector<u16> units = to_utf16(name);
    state.space.write(kArguments + offset + 0x100, units.data(), units.size() * 2);
    const u64 text[2] = {units.size() * 2 | units.size() * 2 << 16, kArguments + offset + 0x100};
    state.space.write(kArguments + offset + 0x40, text, sizeof text);
    const u64 attributes[6] = {48, 0, kArguments + offset + 0x40, flags, 0, 0};
    state.space.write(kArguments + offset, attributes, sizeof attributes);
    return kArguments + offset;
  }

  State state;
  u64 now_ns = 0;
  CallOutcome outcome = CallOutcome::resume;
};

}  // namespace wperf::sim::nt
