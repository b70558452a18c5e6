// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/unfinished_files.h"

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace wperf::os {
namespace {

enum class Use : unsigned char { none, in_the_making, known };

// Slots are never freed: a signal may come at any time.
struct Slot {
  std::atomic<Use> use{Use::none};
  std::array<char, unfinished_files::kLongestPath> path{};
};
static_assert(std::atomic<Use>::is_always_lock_free, "touched by a signal handler");
constinit std::array<Slot, kMostUnfinishedFiles> slots{};

}  // namespace

UnfinishedFile::UnfinishedFile(std::string_view path) {
  if (path.empty() || path.size() >= unfinished_files::kLongestPath) return;
  for (int i = 0; i < kMostUnfinishedFiles; ++i) {
    Slot& slot = slots[static_cast<unsigned>(i)];
    Use free = Use::none;
    if (!slot.use.compare_exchange_strong(free, Use::in_the_making)) continue;
    std::memcpy(slot.path.data(), path.data(), path.size());
    slot.path[path.size()] = '\0';
    slot.use.store(Use::known);
    number_ = i;
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : number_(std::exchange(other.number_, kNone)) {}

void UnfinishedFile::forget() {
  if (number_ != kNone) slots[static_cast<unsigned>(std::exchange(number_, kNone))].use.store(Use::none);
}

void remove_unfinished_files() {
  for (const Slot& slot : slots) {
    if (slot.use.load() == Use::known) unfinished_files::remove(slot.path.data());
  }
}

}  // namespace wperf::os
