// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/stack_joiner.h"

#include <algorithm>
#include <cstring>

namespace wperf::etl {
namespace {

constexpr u32 kNoEvent = ~u32{0};
// Threads of these processes never return to user code.
constexpr u32 kIdleProcess = 0, kSystemProcess = 4;

u64 address_at(Bytes frames, u8 pointer_size, usize index) {
  if (pointer_size == 8) {
    u64 address = 0;
    std::memcpy(&address, frames.data() + index * 8, 8);
    return address;
  }
  u32 address = 0;
  std::memcpy(&address, frames.data() + index * 4, 4);
  return address;
}

bool is_kernel(u64 address, u8 pointer_size) {
  return (address >> (pointer_size * 8 - 1) & 1) != 0;
}

}  // namespace

u32 StackJoiner::add(u64 time, u32 thread) {
  events_.push_back({.time = time, .thread = thread});
  return static_cast<u32>(events_.size() - 1);
}

// Most stacks belong to one of the most recent events.
u32 StackJoiner::find_event(u64 time, u32 thread) const {
  constexpr usize kLast = 32;
  auto first = events_.size() > kLast ? events_.end() - kLast : events_.begin();
  if (first != events_.end() && first->time >= time) first = events_.begin();
  auto at = std::lower_bound(first, events_.end(), time, [](const Waiting& one, u64 when) { return one.time < when; });
  for (; at != events_.end() && at->time == time; ++at) {
    if (at->thread == thread) return static_cast<u32>(at - events_.begin());
  }
  return kNoEvent;
}

void StackJoiner::assign(u32 event, u32 thread, u32 process, bool kernel, std::vector<u32>& events) {
  events.clear();
  if (event != kNoEvent) events.push_back(event);
  if (kernel) {
    if (event != kNoEvent && process != kIdleProcess && process != kSystemProcess) {
      without_user_[thread].push_back(event);
    }
    return;
  }
  const auto waiting = without_user_.find(thread);
  if (waiting == without_user_.end()) return;
  for (const u32 one : waiting->second) {
    if (one != event) events.push_back(one);
  }
  waiting->second.clear();
}

void StackJoiner::put(u32 event, bool kernel, u32 stack) {
  u32& place = kernel ? events_[event].stacks.kernel : events_[event].stacks.user;
  if (place == kNone) place = stack;
}

void StackJoiner::replace_user(const StackEvent& stack, u8 pointer_size) {
  const u32 event = find_event(stack.time, stack.thread);
  if (event != kNoEvent && !stack.frames.empty()) events_[event].stacks.user = insert(stack.frames, pointer_size);
}

u32 StackJoiner::insert(Bytes frames, u8 pointer_size) {
  const usize count = frames.size() / pointer_size;
  u64 hash = count;
  for (usize i = 0; i < count; ++i) {
    hash = (hash ^ address_at(frames, pointer_size, i)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  const auto place = static_cast<u32>(hash >> 32), check = static_cast<u32>(hash);
  const u32 known = stack_of_hash_.find(place, [&](u32 stack) { return checks_[stack] == check; });
  if (known != stacks::HashSlots::kNone) return known;
  const auto stack = static_cast<u32>(begins_.size() - 1);
  for (usize i = 0; i < count; ++i) frames_.push_back(address_at(frames, pointer_size, i));
  begins_.push_back(frames_.size());
  checks_.push_back(check);
  stack_of_hash_.add(place, stack);
  return stack;
}

std::span<const u64> StackJoiner::frames(u32 stack) const {
  return std::span(frames_).subspan(begins_[stack], begins_[stack + 1] - begins_[stack]);
}

u64 StackJoiner::unexplained() const {
  u64 events = 0;
  for (const auto& [key, waiting] : references_) events += waiting.events.size();
  return events;
}

void StackJoiner::take(const StackEvent& stack, u8 pointer_size) {
  if (stack.form == StackForm::key_definition) {
    ++counts_.key_definitions;
    if (stack.frames.empty()) return;
    const bool kernel = is_kernel(address_at(stack.frames, pointer_size, 0), pointer_size);
    const auto waiting = references_.find({stack.key, kernel});
    if (waiting == references_.end()) return;
    counts_.resolved += waiting->second.count;
    if (!waiting->second.events.empty()) {
      const u32 id = insert(stack.frames, pointer_size);
      for (const u32 event : waiting->second.events) put(event, kernel, id);
    }
    references_.erase(waiting);  // from now on the key may stand for another stack
    return;
  }
  const u32 event = find_event(stack.time, stack.thread);
  if (stack.form != StackForm::frames) {
    const bool kernel = stack.form == StackForm::kernel_key;
    ++counts_.key_references;
    ++(kernel ? counts_.kernel : counts_.user);
    assign(event, stack.thread, stack.process, kernel, found_);
    References& waiting = references_[{stack.key, kernel}];
    ++waiting.count;
    waiting.events.insert(waiting.events.end(), found_.begin(), found_.end());
    return;
  }
  ++counts_.fragments;
  const usize count = stack.frames.size() / pointer_size;
  if (count == 0) {
    ++counts_.empty;
    return;
  }
  // The kernel's frames are first.
  usize kernel_frames = 0;
  while (kernel_frames < count && is_kernel(address_at(stack.frames, pointer_size, kernel_frames), pointer_size)) {
    ++kernel_frames;
  }
  const bool has_kernel = kernel_frames != 0, has_user = kernel_frames != count;
  ++(has_kernel && has_user ? counts_.mixed : has_kernel ? counts_.kernel : counts_.user);
  if (has_kernel) {
    const u32 id = insert(stack.frames.first(kernel_frames * pointer_size), pointer_size);
    assign(event, stack.thread, has_user ? kSystemProcess : stack.process, true, found_);
    for (const u32 one : found_) put(one, true, id);
  }
  if (has_user) {
    const u32 id = insert(stack.frames.subspan(kernel_frames * pointer_size), pointer_size);
    assign(event, stack.thread, stack.process, false, found_);
    for (const u32 one : found_) put(one, false, id);
  }
}

}  // namespace wperf::etl
