// SPDX-License-Identifier: BSD-3-Clause
// The threads of fake_hal.h that walk their stacks when they continue after an interrupt: the shell's part of walks.
#pragma once
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "driver/core/stack_walker.h"
#include "driver/hal.h"

namespace wperf::driver {

struct FakeWalks {
  std::function<void(u32 ticket, const WalkedStack& stack)> on_walk;  // the answers of the shell
  std::function<void(u32 ticket)> on_lost;
  std::function<bool(u64 address, void* to, usize size)> read_memory;  // reads memory of the program that is walked
  StackRange stack_limits = {};                                        // limits of the walked threads
  std::map<u32, UserWalkStart> waiting;                                // by ticket
  std::set<u32> endless;                                               // tickets of earlier walks that have not ended
  void* placed = nullptr;                                              // its first word is the number of tickets
  bool refuse = false;

  // Lets the interrupted threads continue, and walks the stacks of threads with a pending walk. Reading memory may let
  // `now_ns` pass.
  void take(const std::atomic<u64>& now_ns) {
    answer([&](u32 ticket, const UserWalkStart& start) {
      WalkedStack stack = {};
      const u64 begin = now_ns;
      walk_user_stack(start, stack_limits, stack, [this](u64 address, u64(&record)[2]) {
        return read_memory && read_memory(address, record, sizeof record);
      });
      stack.spent_ns = now_ns - begin;
      on_walk(ticket, stack);
    });
  }
  // Lets the threads end without their walks.
  void lose() {
    answer([this](u32 ticket, const UserWalkStart&) { on_lost(ticket); });
  }

  // Returns the memory that was placed before; null if there was none.
  void* place(void* memory) {
    endless.clear();
    return std::exchange(placed, memory);
  }
  enum class Answer : u8 { accepted, refused, wrong_ticket };
  Answer ask(u32 ticket, const UserWalkStart& start) {
    const std::lock_guard guard(mutex_);
    u32 tickets = 0;
    if (placed != nullptr) {
      std::memcpy(&tickets, placed, sizeof tickets);
    }
    if (ticket >= tickets || waiting.count(ticket) != 0) {
      return Answer::wrong_ticket;
    }
    if (refuse || endless.count(ticket) != 0) {
      return Answer::refused;
    }
    waiting.emplace(ticket, start);
    return Answer::accepted;
  }
  // A thread that waits here is in a walk that does not end.
  void end() {
    const std::lock_guard guard(mutex_);
    for (const auto& [ticket, start] : waiting) {
      endless.insert(ticket);
    }
    waiting.clear();
  }

 private:
  void answer(const std::function<void(u32 ticket, const UserWalkStart& start)>& give) {
    for (;;) {
      u32 ticket = 0;
      UserWalkStart start = {};
      {
        const std::lock_guard guard(mutex_);
        if (waiting.empty()) {
          return;
        }
        ticket = waiting.begin()->first;
        start = waiting.begin()->second;
        waiting.erase(waiting.begin());
      }
      give(ticket, start);
    }
  }

  std::mutex mutex_;
};

}  // namespace wperf::driver
