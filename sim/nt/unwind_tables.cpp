// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/unwind_tables.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/bits.h"

namespace wperf::sim {
namespace {

constexpr u64 kInstruction = 4;
constexpr u32 kFp = 29, kLr = 30, kFirstKept = 19, kFirstKeptVector = 8;

u32 field(u32 word, u32 low, u32 width) {
  return static_cast<u32>(bit_field(word, low, width));
}

// Undoes a prologue step by step. Fails if memory cannot be read, and for unknown codes.
class FrameUnwinder {
 public:
  FrameUnwinder(const GuestMemory& memory, ThreadState& registers) : memory_(memory), registers_(registers) {}

  void run_packed(u32 word);
  void run_codes(const std::vector<u8>& codes);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  usize run_code(const std::vector<u8>& codes, usize at);  // returns the code's length; 0 for the last code or an error
  usize run_high_code(u8 first, const std::vector<u8>& codes, usize at);
  u8 byte(const std::vector<u8>& codes, usize at) { return at < codes.size() ? codes[at] : u8{0xe4}; }
  // Restores consecutive registers from consecutive stack slots.
  void restore(u32 first, u32 count, u32 offset) {
    for (u32 i = 0; i < count; ++i) load(registers_.x[std::min(first + i, kLr)], offset + 8 * i);
  }
  void restore_vectors(u32 first, u32 count, u32 offset) {
    for (u32 i = 0; i < count; ++i) load(registers_.v[std::min(first + i, 31u)][0], offset + 8 * i);
  }
  void load(u64& out, u32 offset) {
    if (!memory_.read(registers_.sp + offset, &out, sizeof out)) failed_ = true;
  }
  // save_next: restores the pairs after the pair that the code names.
  u32 take_pairs() {
    const u32 pairs = 1 + next_pairs_;
    next_pairs_ = 0;
    return 2 * pairs;
  }

  const GuestMemory& memory_;
  ThreadState& registers_;
  u32 next_pairs_ = 0;
  bool failed_ = false;
};

// The word describes one fixed prologue:
//   31      23 22 21  20  19  16 15  13 12           2 1    0
//  | FrameSize|  CR  | H | RegI | RegF | FunctionLength | Flag |
void FrameUnwinder::run_packed(u32 word) {
  constexpr u32 kSavesLr = 1, kChained = 2;
  const u32 chain = field(word, 21, 2), saved = field(word, 16, 4), reg_f = field(word, 13, 3);
  const u32 vectors = reg_f == 0 ? 0 : reg_f + 1;
  const u32 whole_bytes = 8 * (saved + (chain == kSavesLr ? 1 : 0));
  const u32 homes = field(word, 20, 1) != 0 ? 64 : 0;
  const u32 area = (whole_bytes + 8 * vectors + homes + 15) & ~15u;
  const u32 frame = 16 * field(word, 23, 9);
  if (chain >= kChained) {
    registers_.sp = registers_.x[kFp];
    restore(kFp, 2, 0);
  }
  registers_.sp += frame > area ? frame - area : 0;
  restore_vectors(kFirstKeptVector, vectors, whole_bytes);
  if (chain == kSavesLr) restore(kLr, 1, whole_bytes - 8);
  restore(kFirstKept, saved, 0);
  registers_.sp += area;
}

void FrameUnwinder::run_codes(const std::vector<u8>& codes) {
  for (usize at = 0, length = 1; at < codes.size() && length != 0; at += length) length = run_code(codes, at);
}

usize FrameUnwinder::run_code(const std::vector<u8>& codes, usize at) {
  const u8 first = byte(codes, at);
  const u32 both = u32{first} << 8 | byte(codes, at + 1);
  const u32 short_bytes = 8 * field(both, 0, 6), single_moves = 8 * (field(both, 0, 5) + 1);
  if (first < 0x20) {  // alloc_s
    registers_.sp += 16 * field(first, 0, 5);
    return 1;
  }
  if (first < 0x40) {  // save_r19r20_x
    restore(kFirstKept, take_pairs(), 0);
    registers_.sp += 8 * field(first, 0, 5);
    return 1;
  }
  if (first < 0x80) {  // save_fplr
    restore(kFp, 2, 8 * field(first, 0, 6));
    return 1;
  }
  if (first < 0xc0) {  // save_fplr_x
    restore(kFp, 2, 0);
    registers_.sp += 8 * (field(first, 0, 6) + 1);
    return 1;
  }
  if (first < 0xc8) {  // alloc_m
    registers_.sp += 16 * field(both, 0, 11);
  } else if (first < 0xcc) {  // save_regp
    restore(kFirstKept + field(both, 6, 4), take_pairs(), short_bytes);
  } else if (first < 0xd0) {  // save_regp_x
    restore(kFirstKept + field(both, 6, 4), take_pairs(), 0);
    registers_.sp += short_bytes + 8;
  } else if (first < 0xd4) {  // save_reg
    restore(kFirstKept + field(both, 6, 4), 1, short_bytes);
  } else if (first < 0xd6) {  // save_reg_x
    restore(kFirstKept + field(both, 5, 4), 1, 0);
    registers_.sp += single_moves;
  } else if (first < 0xd8) {  // save_lrpair
    restore(kFirstKept + 2 * field(both, 6, 3), 1, short_bytes);
    restore(kLr, 1, short_bytes + 8);
  } else if (first < 0xda) {  // save_fregp
    restore_vectors(kFirstKeptVector + field(both, 6, 3), take_pairs(), short_bytes);
  } else if (first < 0xdc) {  // save_fregp_x
    restore_vectors(kFirstKeptVector + field(both, 6, 3), take_pairs(), 0);
    registers_.sp += short_bytes + 8;
  } else if (first < 0xde) {  // save_freg
    restore_vectors(kFirstKeptVector + field(both, 6, 3), 1, short_bytes);
  } else if (first == 0xde) {  // save_freg_x
    restore_vectors(kFirstKeptVector + field(both, 5, 3), 1, 0);
    registers_.sp += single_moves;
  } else {
    return run_high_code(first, codes, at);
  }
  return 2;
}

usize FrameUnwinder::run_high_code(u8 first, const std::vector<u8>& codes, usize at) {
  switch (first) {
    case 0xe0:  // alloc_l
      registers_.sp += 16 * (u64{byte(codes, at + 1)} << 16 | u64{byte(codes, at + 2)} << 8 | u64{byte(codes, at + 3)});
      return 4;
    case 0xe1:  // set_fp
      registers_.sp = registers_.x[kFp];
      return 1;
    case 0xe2:  // add_fp
      registers_.sp = registers_.x[kFp] - u64{8} * byte(codes, at + 1);
      return 2;
    case 0xe3:  // nop
    case 0xe5:  // end_c: the codes after it describe the main part's prologue
    case 0xfc:  // pac_sign_lr: these cores do not sign
      return 1;
    case 0xe4:  // end
      return 0;
    case 0xe6:  // save_next
      ++next_pairs_;
      return 1;
    default:
      failed_ = true;
      return 0;
  }
}

// .xdata: a header of one or two words, a word for each epilogue, and the codes.
//   31        27 26         22  21  20 19  18 17             0
//  | CodeWords | EpilogCount | E | X | Vers | FunctionLength |
std::optional<std::vector<u8>> read_codes(const GuestMemory& memory, u64 at) {
  u32 header = 0;
  if (!memory.read(at, &header, sizeof header)) return std::nullopt;
  at += sizeof header;
  u32 epilogues = field(header, 22, 5), words = field(header, 27, 5);
  if (epilogues == 0 && words == 0) {
    u32 extension = 0;
    if (!memory.read(at, &extension, sizeof extension)) return std::nullopt;
    at += sizeof extension;
    epilogues = field(extension, 0, 16);
    words = field(extension, 16, 8);
  }
  const bool is_single = field(header, 21, 1) != 0;
  if (!is_single) at += u64{4} * epilogues;
  std::vector<u8> codes(usize{4} * words);
  if (!memory.read(at, codes.data(), codes.size())) return std::nullopt;
  return codes;
}

// .pdata according to the image's header: its address and its number of entries.
struct PdataRange {
  u64 begin = 0;
  u64 entries = 0;
};
PdataRange pdata_of(const GuestMemory& memory, const Module& module) {
  constexpr u64 kHeaderAt = 0x3c, kDirectories = 24 + 112, kException = 3;
  u32 header = 0;
  struct {
    u32 rva, size;
  } directory{};
  if (!memory.read(module.base + kHeaderAt, &header, sizeof header)) return {};
  if (!memory.read(module.base + header + kDirectories + kException * sizeof directory, &directory, sizeof directory))
    return {};
  return {module.base + directory.rva, directory.size / 8};
}

struct FunctionEntry {
  u32 begin = 0;   // relative to the image
  u32 unwind = 0;  // the packed codes, or the address of .xdata
};
constexpr u32 kXdata = 0, kReserved = 3;
u32 kind_of(const FunctionEntry& entry) {
  return field(entry.unwind, 0, 2);
}

std::optional<FunctionEntry> find_function_entry(const GuestMemory& memory, const Module& module, u64 pc) {
  const PdataRange pdata = pdata_of(memory, module);
  u64 low = 0, high = pdata.entries;  // the last entry that begins at pc or before
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    u32 begin = 0;
    if (!memory.read(pdata.begin + 8 * middle, &begin, sizeof begin)) return std::nullopt;
    if (begin <= pc - module.base) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  FunctionEntry entry;
  if (low == 0 || !memory.read(pdata.begin + 8 * (low - 1), &entry, sizeof entry)) return std::nullopt;
  u32 length = field(entry.unwind, 2, 11);
  if (kind_of(entry) == kXdata) {
    if (!memory.read(module.base + entry.unwind, &length, sizeof length)) return std::nullopt;
    length = field(length, 0, 18);
  }
  if (pc - module.base - entry.begin >= u64{4} * length) return std::nullopt;
  return entry;
}

}  // namespace

bool unwind_frame(const GuestMemory& memory, std::span<const Module> modules, ThreadState& registers) {
  const u64 call = registers.pc - kInstruction;
  const auto module =
      std::ranges::find_if(modules, [&](const Module& one) { return call - one.base < one.size && !one.path.empty(); });
  if (module == modules.end()) return false;
  const auto entry = find_function_entry(memory, *module, call);
  if (!entry.has_value() || kind_of(*entry) == kReserved) return false;
  FrameUnwinder unwinder(memory, registers);
  if (kind_of(*entry) == kXdata) {
    const auto codes = read_codes(memory, module->base + entry->unwind);
    if (!codes.has_value()) return false;
    unwinder.run_codes(*codes);
  } else {
    unwinder.run_packed(entry->unwind);
  }
  registers.pc = registers.x[kLr];
  return !unwinder.failed();
}

}  // namespace wperf::sim
