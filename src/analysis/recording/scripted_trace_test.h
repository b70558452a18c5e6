// SPDX-License-Identifier: BSD-3-Clause
// A simulated Windows machine, and the trace that Windows would write. The script stores what each thread did, without
// deriving anything from the trace.
#pragma once
#include <algorithm>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/etl/etl_builder_test.h"
#include "model/stacks/switches.h"

namespace wperf::recording {

enum class ScriptedStacks : u8 { none, plain, keys_at_end, keys_used_again };

// How a trace differs from the simplest one.
struct TraceVariant {
  const char* name = "";
  u16 switch_version = 4;
  bool ready_events = true;
  bool dpcs = false;       // interrupts wake some threads
  bool lives = false;      // threads start and end while others wait
  bool ids_again = false;  // new threads get the numbers of threads that have ended
  ScriptedStacks stacks = ScriptedStacks::plain;
  bool late_user = false;    // the user part of a stack comes when the thread returns to user mode
  bool shared_user = false;  // one user part belongs to several system calls
  u16 cores = 4;
  u8 pointer = 8;
  bool lost_buffer = false, circular = false, cut = false, packed = false;
};

inline void PrintTo(const TraceVariant& variant, std::ostream* out) {
  *out << variant.name;
}

class ScriptedTrace {
 public:
  static constexpr u64 kBegin = 100'000, kTickNs = 100;
  static constexpr u32 kFirstThread = 1000, kProcess = 400;

  // In ticks.
  struct Times {
    u64 running = 0, ready = 0, waiting = 0;
    u64 switches = 0;
    bool operator==(const Times&) const = default;
  };
  struct CoreTimes {
    u64 busy = 0, idle = 0;
    bool operator==(const CoreTimes&) const = default;
  };
  struct Ended {
    u64 count = 0, waited = 0;
    bool operator==(const Ended&) const = default;
  };
  struct Place {
    u64 kernel = 0, user = 0;
    bool operator==(const Place&) const = default;
  };

  ScriptedTrace(const TraceVariant& variant, u32 seed) : variant_(variant), engine_(seed), on_(variant.cores) {
    streams_.resize(variant.cores);
    // A lost buffer has events of many threads. Only other threads have a complete history, so there must be more
    // threads.
    const u32 threads = 4 + variant.cores / 8 + random() % 8 + (variant.lost_buffer ? 80 : 0);
    for (u32 i = 0; i < threads; ++i) {
      const u32 thread = next_thread_++;
      threads_[thread] = {.is_known = variant.ready_events};  // false if it is unknown that the thread waited until it
                                                              // ran
      put_thread_event(3, thread);
    }
    const u32 steps = 1200 + variant.cores * 10u;
    for (u32 step = 0; step < steps; ++step) play();
    finish();
  }

  const std::string& file() const { return file_; }
  std::map<u32, Times> times;                        // by thread
  std::map<u16, CoreTimes> cores;                    // from their first switch on
  std::map<std::pair<u32, u32>, Ended> ended_waits;  // keyed by waiter and waker
  std::map<std::pair<u32, u64>, Place> places;       // waits with a stack, keyed by thread and the tick at which they
                                                     // begin
  u64 switches = 0, readies = 0;
  std::set<u32> in_lost_buffer;  // threads with events in the lost buffer

 private:
  using B = etl::TraceBuilder;
  enum class Is : u8 { unborn, running, ready, waiting, dead };
  enum class Ready : u8 { after_wait, preempted, first };
  struct Thread {
    Is is = Is::waiting;
    u64 since = kBegin;
    bool is_known = true;  // the time before its first event can be judged
    Ready ready = Ready::after_wait;
    u64 left = 0;    // time at which it left its core
    u32 number = 0;  // number of the switch with which it left
    bool waited = false;
  };
  struct OnCore {
    u32 thread = stacks::kIdleThread;
    u64 since = 0;
    bool is_recorded = false;
  };
  struct Stream {
    std::string records;
    std::set<u32> threads;
  };
  struct UserPart {
    u64 event = 0;
    u32 number = 0;
  };

  u32 random() { return static_cast<u32>(engine_()); }
  u64 begin() const { return first_event_ == 0 ? now_ : first_event_; }

  // The time since its last change belongs to its current state. If a thread waited before the first event, the wait is
  // known only from that event on.
  void note(u32 number) {
    Thread& thread = threads_[number];
    const u64 since = std::max(thread.since, begin());
    const u64 length = now_ - since;
    if (thread.is_known) {
      Times& one = times[number];
      const bool as_waiting = !variant_.ready_events && thread.ready == Ready::after_wait;
      if (thread.is == Is::running) one.running += length;
      if (thread.is == Is::waiting || (thread.is == Is::ready && as_waiting)) one.waiting += length;
      if (thread.is == Is::ready && !as_waiting) one.ready += length;
    }
    thread.since = now_;
  }

  void put(u16 core, const std::string& record, u32 thread, u32 other = 0) {
    Stream& stream = streams_[core];
    if (stream.records.size() + record.size() > B::kBufferSize - B::kHeader) flush(core);
    stream.records += record;
    stream.threads.insert(thread);
    stream.threads.insert(other);
  }
  std::string kernel(u8 group, u8 opcode, u16 version, const std::string& payload, u64 time) const {
    return B::kernel(group, opcode, version, time, payload, variant_.pointer == 8 ? 0x11 : 0x10);
  }
  void put_thread_event(u8 opcode, u32 thread) {
    std::string payload;
    B::put(payload, kProcess);
    B::put(payload, thread);
    payload.resize(payload.size() + 7 * variant_.pointer + 8);
    put(0, kernel(5, opcode, 3, payload, now_), thread);
  }
  void put_address(std::string& payload, u64 address) const {
    if (variant_.pointer == 8) {
      B::put(payload, address);
    } else {
      B::put(payload, static_cast<u32>(address));
    }
  }
  Place place_of(u32 number) const {
    const u64 base = variant_.pointer == 8 ? 0xffff'f800'0000'0000 : 0x8000'0000;
    return {.kernel = base + number * u64{16}, .user = 0x1000'0000 + number * u64{16}};
  }

  // Writes the part of a stack that belongs to the switch at `event`.
  void put_stack(u16 core, u64 event, u32 thread, u32 number, bool is_user) {
    const Place place = place_of(number);
    const u64 address = is_user ? place.user : place.kernel;
    std::string head;
    B::put(head, event);
    B::put(head, kProcess);
    B::put(head, thread);
    std::string frames;
    put_address(frames, address);
    put_address(frames, address + 4);
    if (variant_.stacks == ScriptedStacks::plain) {
      put(core, kernel(0x18, 32, 2, head + frames, now_), thread);
      return;
    }
    const bool again = variant_.stacks == ScriptedStacks::keys_used_again;
    std::string key;
    put_address(key, again ? 1 + number % 5 : number + u64{1});
    put(core, kernel(0x18, is_user ? 38 : 37, 2, head + key, now_), thread);
    if (again) {
      put(core, kernel(0x18, 35, 2, key + frames, now_), thread);
    } else {
      definitions_.push_back(key + frames);
    }
  }
  void put_user_part(u16 core, u32 thread) {
    const auto waiting = user_parts_.find(thread);
    if (waiting == user_parts_.end()) return;
    for (const UserPart& part : waiting->second)
      shown_[part.number].user = place_of(waiting->second.back().number).user;
    put_stack(core, waiting->second.back().event, thread, waiting->second.back().number, true);
    user_parts_.erase(waiting);
  }

  void play() {
    now_ += 1 + random() % 300;
    const u16 core = static_cast<u16>(random() % variant_.cores);
    auto chosen = threads_.begin();
    std::advance(chosen, random() % threads_.size());
    const u32 thread = chosen->first;
    switch (chosen->second.is) {
      case Is::waiting:
      case Is::unborn:
        return make_ready(core, thread);
      case Is::ready:
        return change(core, thread);
      case Is::running:
        if (variant_.lives && random() % 4 == 0) return start(core);
        if (on_[core].thread != stacks::kIdleThread) change(core, stacks::kIdleThread);
        return;
      case Is::dead:
        return;
    }
  }

  void note_event() {
    if (first_event_ == 0) first_event_ = now_;
    last_event_ = now_;
  }

  void make_ready(u16 core, u32 number) {
    Thread& thread = threads_[number];
    if (thread.is == Is::unborn) {
      thread.ready = Ready::first;
      thread.is_known = variant_.ready_events;
    } else {
      thread.ready = Ready::after_wait;
    }
    const bool by_dpc = variant_.dpcs && random() % 2 == 0;
    if (variant_.ready_events) {
      note_event();
      ++readies;
      std::string payload;
      B::put(payload, number);
      B::put(payload, u16{0});
      B::put(payload, static_cast<u8>(by_dpc ? 1 : 0));
      B::put(payload, u8{0});
      put(core, kernel(5, 50, 2, payload, now_), number);
      if (thread.is == Is::waiting) {
        const bool known = on_[core].is_recorded;
        const u32 waker = by_dpc ? stacks::kNobody : !known ? stacks::kUnknown : on_[core].thread;
        Ended& one = ended_waits[{number, waker == stacks::kIdleThread ? stacks::kNobody : waker}];
        ++one.count;
        one.waited += now_ - std::max(thread.since, begin());
      }
    }
    note(number);
    thread.is = Is::ready;
  }

  void start(u16 core) {
    u32 number = next_thread_;
    if (variant_.ids_again) {
      const auto dead =
          std::find_if(threads_.begin(), threads_.end(), [](const auto& one) { return one.second.is == Is::dead; });
      if (dead != threads_.end()) number = dead->first;
    }
    if (number == next_thread_) ++next_thread_;
    threads_[number] = {.is = Is::unborn, .since = now_, .is_known = false};
    std::string payload;
    B::put(payload, kProcess);
    B::put(payload, number);
    payload.resize(payload.size() + 7 * variant_.pointer + 8);
    put(core, kernel(5, 1, 3, payload, now_), number);
  }

  void change(u16 core, u32 comes) {
    OnCore& here = on_[core];
    if (here.thread == comes) return;
    note_event();
    ++switches;
    const u32 leaves = here.thread;
    u8 state = 2;  // of the idle thread
    if (leaves != stacks::kIdleThread) {
      if (!variant_.shared_user || random() % 3 != 0) put_user_part(core, leaves);
      state = leave(leaves);
    }
    put_change(core, leaves, comes, state);
    (leaves == stacks::kIdleThread ? cores[core].idle : cores[core].busy) += now_ - std::max(here.since, first_event_);
    here = {.thread = comes, .since = now_, .is_recorded = true};
    if (comes != stacks::kIdleThread) come(core, comes);
  }

  u8 leave(u32 number) {
    static constexpr u8 kPreempted[] = {1, 3, 7};
    note(number);
    Thread& thread = threads_[number];
    thread.left = now_;
    thread.number = ++leavings_;
    const bool ends = variant_.lives && random() % 12 == 0;
    const bool waits = !ends && random() % 3 != 0;
    thread.waited = waits;
    thread.ready = Ready::preempted;
    thread.is = ends ? Is::dead : waits ? Is::waiting : Is::ready;
    if (ends) user_parts_.erase(number);
    return ends ? 4 : waits ? 5 : kPreempted[random() % 3];
  }

  void come(u16 core, u32 number) {
    note(number);
    Thread& thread = threads_[number];
    thread.is = Is::running;
    thread.is_known = true;
    ++times[number].switches;
    if (variant_.stacks == ScriptedStacks::none || thread.left == 0) return;
    put_stack(core, now_, number, thread.number, false);
    shown_[thread.number].kernel = place_of(thread.number).kernel;
    if (thread.waited) wait_of_[{number, thread.left}] = thread.number;
    user_parts_[number].push_back({now_, thread.number});
    if (!variant_.late_user && !variant_.shared_user) put_user_part(core, number);
  }

  void put_change(u16 core, u32 leaves, u32 comes, u8 state) {
    std::string payload;
    B::put(payload, comes);
    B::put(payload, leaves);
    B::put(payload, u32{0x00000808});
    B::put(payload, static_cast<u8>(state == 5 ? 6 + random() % 2 : 0));
    B::put(payload, u8{1});
    B::put(payload, state);
    B::put(payload, u8{0});
    if (variant_.switch_version > 1) B::put(payload, u64{7});
    put(core, kernel(5, 36, variant_.switch_version, payload, now_), leaves, comes);
  }

  void finish() {
    now_ = last_event_;
    for (const auto& [number, thread] : threads_) {
      if (thread.is != Is::dead && thread.is != Is::unborn) note(number);
    }
    for (u16 core = 0; core < variant_.cores; ++core) {
      const OnCore& here = on_[core];
      if (here.is_recorded) {
        (here.thread == stacks::kIdleThread ? cores[core].idle : cores[core].busy) += now_ - here.since;
      }
      if (here.thread != stacks::kIdleThread) put_user_part(core, here.thread);
    }
    ++now_;  // the definitions of stack keys come after all events that use them
    for (const std::string& definition : definitions_) put(0, kernel(0x18, 36, 2, definition, now_), 0);
    for (const auto& [wait, number] : wait_of_) places[wait] = shown_[number];
    for (u16 core = 0; core < variant_.cores; ++core) flush(core);
    write_file();
  }

  void flush(u16 core) {
    Stream& stream = streams_[core];
    if (stream.records.empty()) return;
    buffers_.push_back({.bytes = buffer_of(stream.records, core), .threads = std::move(stream.threads)});
    stream = {};
  }

  std::string buffer_of(const std::string& records, u16 core) {
    constexpr u16 kPacked = 0x40;
    const u64 sequence = ++sequence_;
    std::string plain = B::buffer(records, core, sequence, variant_.packed ? kPacked : 0);
    if (!variant_.packed) return plain;
    std::string out = plain.substr(0, B::kHeader) + packed(records);
    const u32 size = static_cast<u32>(out.size());
    std::memcpy(out.data(), &size, sizeof size);
    return out;
  }

  // Bytes equal to the previous one become matches; all others are literals.
  static std::string packed(const std::string& bytes) {
    std::string out;
    usize at = 0, flags_at = 0;
    u32 flags = 0, bits = 32;
    const auto finish_flags = [&] {
      if (!out.empty()) std::memcpy(out.data() + flags_at, &flags, sizeof flags);
    };
    while (at < bytes.size()) {
      if (bits == 32) {
        finish_flags();
        flags_at = out.size();
        B::put(out, u32{0});
        flags = bits = 0;
      }
      usize length = 0;
      while (at > 0 && length < 9 && at + length < bytes.size() && bytes[at + length] == bytes[at - 1]) ++length;
      if (length >= 3) {
        flags |= 0x8000'0000u >> bits;
        B::put(out, static_cast<u16>(length - 3));
        at += length;
      } else {
        out += bytes[at++];
      }
      ++bits;
    }
    // The bits after the end count as matches.
    if (bits < 32) flags |= 0xffff'ffffu >> bits;
    finish_flags();
    return out;
  }

  void write_file() {
    constexpr u32 kSequential = 1, kCircular = 2, kCompressed = 0x0400'0000;
    file_ = B::header(kBegin - 1, (variant_.circular ? kCircular : kSequential) | (variant_.packed ? kCompressed : 0));
    if (variant_.lost_buffer) {
      const auto lost = buffers_.begin() + static_cast<std::ptrdiff_t>(buffers_.size() / 2);
      in_lost_buffer = lost->threads;
      buffers_.erase(lost);
    }
    if (variant_.circular) {
      std::rotate(buffers_.begin(), buffers_.begin() + static_cast<std::ptrdiff_t>(buffers_.size() / 3),
                  buffers_.end());
    }
    for (const Buffer& buffer : buffers_) file_ += buffer.bytes;
    // Cuts into the filler of the last buffer.
    if (variant_.cut) file_.resize(file_.find_last_not_of('\xff') + 1 + 8);
  }

  struct Buffer {
    std::string bytes;
    std::set<u32> threads;
  };

  const TraceVariant variant_;
  std::mt19937 engine_;
  u64 now_ = kBegin, first_event_ = 0, last_event_ = 0;
  u32 next_thread_ = kFirstThread, leavings_ = 0;
  u64 sequence_ = 0;
  std::map<u32, Thread> threads_;
  std::vector<OnCore> on_;
  std::vector<Stream> streams_;
  std::vector<Buffer> buffers_;
  std::map<u32, std::vector<UserPart>> user_parts_;  // user parts that come later, by thread
  std::map<u32, Place> shown_;                       // places in the trace, by number of the leaving switch
  std::map<std::pair<u32, u64>, u32> wait_of_;       // number of the leaving switch, by thread and tick
  std::vector<std::string> definitions_;
  std::string file_;
};

}  // namespace wperf::recording
