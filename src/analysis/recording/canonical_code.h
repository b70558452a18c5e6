// SPDX-License-Identifier: BSD-3-Clause
// Gives each place in a file one address, the same in all processes, so that a function is one row in SPE's tables,
// which count by address. A file keeps the address of its first mapping; if this would overlap another file, it gets a
// free address.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "formats/perf_data/process_history.h"

namespace wperf::recording {

struct CanonicalFile {
  u32 code = 0;   // number of the mapped code in the history
  u64 first = 0;  // file offset of its first byte: 0, except for memory without a file, which is divided into parts
  u64 size = 0;   // less than 4 GiB
  u64 base = 0;   // the address of its first byte
};

class CanonicalCode {
 public:
  explicit CanonicalCode(const perf_data::ProcessHistory& history);

  const perf_data::ProcessHistory& history() const { return history_; }
  const std::vector<CanonicalFile>& files() const { return files_; }
  // Null if it has no canonical address.
  const CanonicalFile* find(const perf_data::CodePlace& place) const;
  // This bit marks user addresses without a mapping; no file has such an address.
  static constexpr u64 kNowhere = u64{1} << 55;

 private:
  void place(CanonicalFile file, u64 wanted);

  const perf_data::ProcessHistory& history_;
  std::vector<CanonicalFile> files_;
  std::map<std::pair<u32, u64>, u32> numbers_;  // keyed by code and part
  std::map<u64, u64> taken_;                    // begin → end
  u64 spare_;
};

// Fast if successive addresses are mostly near each other. Each thread needs a separate object.
class CanonicalAddresses {
 public:
  explicit CanonicalAddresses(const CanonicalCode& code) : code_(code) {}

  // The canonical address of user code in an address space.
  u64 of(u32 space, u64 address) {
    // Most mappings are in a few parts of a space; each part is looked up as a whole.
    Known& known = known_[((address >> 21) + u64{space} * 29) & (kKnown - 1)];
    if (known.space != space || address < known.begin || address >= known.end) [[unlikely]]
      look_up(space, address, known);
    return address + known.move;
  }

 private:
  struct Known {
    u32 space = ~u32{0} - 1;
    u64 begin = 1, end = 0;
    u64 move = 0;  // modulo 2^64
  };
  static constexpr usize kKnown = 256;
  void look_up(u32 space, u64 address, Known& known) const;

  const CanonicalCode& code_;
  Known known_[kKnown];
};

}  // namespace wperf::recording
