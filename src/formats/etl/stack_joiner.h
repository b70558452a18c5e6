// SPDX-License-Identifier: BSD-3-Clause
// A stack is a separate event after the event that it belongs to: it has frames, or a key that is defined even later.
// The kernel's part is written immediately. The user's part is written when the thread returns to user mode, and
// belongs to all events of the thread in between. This class joins the parts and keeps each distinct stack once.
#pragma once
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/etl/kernel_payloads.h"
#include "model/stacks/hash_slots.h"

namespace wperf::etl {

class StackJoiner {
 public:
  static constexpr u32 kNone = 0;
  struct JoinedStack {
    u32 kernel = kNone, user = kNone;  // arguments of frames()
  };
  struct Counts {
    u64 fragments = 0, kernel = 0, user = 0, mixed = 0, empty = 0;
    u64 key_references = 0, key_definitions = 0, resolved = 0;
  };

  // Adds an event that may have a stack. Events must come in order of time. Returns the event's number: 0, 1, …
  u32 add(u64 time, u32 thread);
  void take(const StackEvent& stack, u8 pointer_size);
  // Replaces the user's part of one event. Called after the last event.
  void replace_user(const StackEvent& stack, u8 pointer_size);

  u32 count() const { return static_cast<u32>(events_.size()); }
  u64 time_of(u32 event) const { return events_[event].time; }
  u32 thread_of(u32 event) const { return events_[event].thread; }

  const JoinedStack& joined(u32 event) const { return events_[event].stacks; }
  std::span<const u64> frames(u32 stack) const;  // innermost first; empty for kNone
  const Counts& counts() const { return counts_; }
  // Called after the last event. Returns the number of events whose stack key was never defined.
  u64 unexplained() const;

 private:
  struct Waiting {
    u64 time = 0;
    u32 thread = 0;
    JoinedStack stacks = {};
  };
  struct Key {
    u64 key = 0;
    bool kernel = false;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    usize operator()(const Key& key) const { return key.key * 0x9e3779b97f4a7c15 + key.kernel; }
  };

  u32 find_event(u64 time, u32 thread) const;
  // The events that a part belongs to: the named event and, for a user part, the events that waited for it.
  void assign(u32 event, u32 thread, u32 process, bool kernel, std::vector<u32>& events);
  u32 insert(Bytes frames, u8 pointer_size);
  void put(u32 event, bool kernel, u32 stack);

  std::vector<Waiting> events_;
  std::unordered_map<u32, std::vector<u32>> without_user_;  // keyed by thread: events that wait for their user part
  struct References {
    u64 count = 0;
    std::vector<u32> events = {};  // events that have this key instead of a part
  };
  std::unordered_map<Key, References, KeyHash> references_;
  std::vector<u64> frames_;
  std::vector<usize> begins_{0, 0};  // where each stack begins in frames_; stack 0 is empty
  // A stack is identified by a 64-bit hash, without comparisons, like a sample (model/stacks/sample_hash.h).
  stacks::HashSlots stack_of_hash_;
  std::vector<u32> checks_{0};  // for each stack, the other half of its hash
  std::vector<u32> found_;
  Counts counts_;
};

}  // namespace wperf::etl
