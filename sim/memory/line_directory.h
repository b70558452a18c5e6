// SPDX-License-Identifier: BSD-3-Clause
// Records which cores hold the lines of programs that run on several cores, and keeps their private caches coherent. A
// line has either any number of readers or one writer. Lines of other programs are never in the directory, and cost
// nothing. A core's cache calls it before it changes the state of a line.
#pragma once
#include <bitset>
#include <unordered_map>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

class LineDirectory;

// The private caches of one core, as seen by the others.
class SnoopedCaches {
 public:
  enum class Copy : u8 { none, clean, dirty };
  virtual Copy give_up(u64 line) = 0;  // drops the line; returns its previous state
  virtual Copy share(u64 line) = 0;    // keeps the line, but clean; returns its previous state
  // Passes all lines of an address space (the bits above kLineBits) to adopt().
  virtual void add_lines_to(u32 space, LineDirectory& directory) const = 0;

 protected:
  ~SnoopedCaches() = default;
};

class LineDirectory {
 public:
  static constexpr u32 kNobody = ~u32{0};

  explicit LineDirectory(u32 core_count) : caches_(core_count, nullptr) {}

  void attach(u32 core, SnoopedCaches* caches) {
    if (core < caches_.size()) caches_[core] = caches;
  }
  // The core is about to read or write the line. Returns the core that had it dirty, or kNobody.
  u32 read(u32 core, u64 line);
  u32 write(u32 core, u64 line, bool& others_had_it);
  // From here on the directory tracks the lines of the space.
  void begin(u32 space) {
    for (const SnoopedCaches* caches : caches_)
      if (caches != nullptr) caches->add_lines_to(space, *this);
  }
  void adopt(u32 core, u64 line, bool dirty) {
    Line& entry = lines_[line];
    entry.holders.set(core);
    if (dirty) entry.owner = core;
  }

 private:
  static constexpr usize kMostCores = 256;
  struct Line {
    std::bitset<kMostCores> holders;
    u32 owner = kNobody;  // may write without a call
  };
  std::vector<SnoopedCaches*> caches_;  // by core
  std::unordered_map<u64, Line> lines_;
};

}  // namespace wperf::sim
