// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/arm64_unwind.h"

#include <algorithm>

#include "base/bits.h"

namespace wperf::symbols {
namespace {

constexpr u32 kInstruction = 4;

// The lowest two bits of the word.
enum Flag : u32 { kXdata = 0, kPacked = 1, kPackedFragment = 2 };

// The packed form:
//   31      23 22 21  20  19  16 15  13 12           2 1    0
//  | FrameSize|  CR  | H | RegI | RegF | FunctionLength | Flag |
struct PackedUnwind {
  u32 flag, length, fp_registers, int_registers, chain, frame_bytes;
  bool homes_parameters;
};

enum Chain : u32 { kUnchained = 0, kUnchainedSavesLr = 1, kChainedSigned = 2, kChained = 3 };

PackedUnwind unpack(u32 word) {
  const auto field = [word](u32 low, u32 width) { return static_cast<u32>(bit_field(word, low, width)); };
  const u32 reg_f = field(13, 3);
  return {.flag = field(0, 2),
          .length = field(2, 11) * kInstruction,
          .fp_registers = reg_f == 0 ? 0 : reg_f + 1,
          .int_registers = field(16, 4),
          .chain = field(21, 2),
          .frame_bytes = field(23, 9) * 16,
          .homes_parameters = field(20, 1) != 0};
}

// The packed form stands for a fixed prologue and the mirrored epilogue. The members count instructions of the prologue
// and of the epilogue.
struct LrSlot {
  u32 saved_after;          // number of prologue instructions up to and including the one that saves lr
  u32 restored_before_end;  // number of epilogue instructions after the one that restores lr
};

LrSlot find_lr_slot(const PackedUnwind& packed) {
  constexpr u32 kReturn = 1;
  const u32 int_pairs = (packed.int_registers + 1) / 2;
  const u32 fp_pairs = (packed.fp_registers + 1) / 2;
  if (packed.chain == kUnchainedSavesLr) {
    // lr is stored together with the last unpaired register, or separately. The unwind codes have no "stp x19, lr, [sp,
    // #-n]!", so if only x19 is saved, another instruction must move sp.
    const u32 moves_sp = packed.int_registers == 1 ? 1 : 0;
    return {packed.int_registers / 2 + 1 + moves_sp, packed.int_registers / 2 + moves_sp + kReturn};
  }
  const u32 signs = packed.chain == kChainedSigned ? 1 : 0;
  const u32 saved_bytes = packed.int_registers * 8 + packed.fp_registers * 8 + (packed.homes_parameters ? 64 : 0);
  const u32 rounded = (saved_bytes + 15) & ~15u;
  const u32 locals = packed.frame_bytes > rounded ? packed.frame_bytes - rounded : 0;
  // An stp moves sp by at most 512 bytes and a sub by at most 4080.
  const u32 moves_sp = locals <= 512 ? 0 : locals <= 4080 ? 1 : 2;
  const u32 homes = packed.homes_parameters ? 4 : 0;
  return {signs + int_pairs + fp_pairs + homes + moves_sp + 1, moves_sp + fp_pairs + int_pairs + signs + kReturn};
}

bool packed_saved(const PackedUnwind& packed, u32 offset) {
  if (packed.chain == kUnchained) return false;
  if (packed.flag == kPackedFragment) return true;  // the prologue is in another fragment and has already run
  const LrSlot slot = find_lr_slot(packed);
  const u32 restored_bytes = slot.restored_before_end * kInstruction;
  return offset >= slot.saved_after * kInstruction &&
         (packed.length < restored_bytes || offset < packed.length - restored_bytes);
}

// .xdata: a header of one or two words, epilogue scopes of one word each, then unwind codes.
//   31        27 26         22  21  20 19  18 17             0
//  | CodeWords | EpilogCount | E | X | Vers | FunctionLength |
struct Xdata {
  u32 length = 0;
  bool single_epilogue = false;  // if true, `epilogues` is the index of its first code
  u32 epilogues = 0;
  Bytes scopes;
  Bytes codes;
};

std::optional<Xdata> read_xdata(const ImageBytes& image, u32 rva) {
  const Bytes bytes = image.from(rva);
  u32 header = 0;
  if (!bytes::read_at(bytes, 0, header)) return std::nullopt;
  Xdata out;
  out.length = static_cast<u32>(bit_field(header, 0, 18)) * kInstruction;
  out.single_epilogue = bit_field(header, 21, 1) != 0;
  out.epilogues = static_cast<u32>(bit_field(header, 22, 5));
  auto code_words = static_cast<u32>(bit_field(header, 27, 5));
  usize at = 4;
  if (out.epilogues == 0 && code_words == 0) {
    u32 extension = 0;
    if (!bytes::read_at(bytes, at, extension)) return std::nullopt;
    out.epilogues = static_cast<u32>(bit_field(extension, 0, 16));
    code_words = static_cast<u32>(bit_field(extension, 16, 8));
    at += 4;
  }
  const usize scope_bytes = out.single_epilogue ? 0 : usize{out.epilogues} * 4;
  const usize code_bytes = usize{code_words} * 4;
  if (bytes.size() < at + scope_bytes + code_bytes) return std::nullopt;
  out.scopes = bytes.subspan(at, scope_bytes);
  out.codes = bytes.subspan(at + scope_bytes, code_bytes);
  return out;
}

enum class Effect : u8 { other, sets_fp, saves_lr, saves_pair, saves_next_pair, no_instruction, end, end_of_fragment };

struct UnwindCode {
  u32 size = 1;
  Effect effect = Effect::other;
  u32 first_register = 0;  // for saves_pair: 19 to 30
};

constexpr u32 kLr = 30;

UnwindCode pair_code(u32 size, u32 first_register) {
  return {size, Effect::saves_pair, std::min(first_register, kLr)};
}

UnwindCode single_code(u32 size, u32 saved_register) {
  return {size, saved_register == kLr ? Effect::saves_lr : Effect::other};
}

// 0xe7: "save any register"; the second byte is 0pxrrrrr, and the top bits of the third are the kind of register.
UnwindCode any_register_code(u8 second, u8 third) {
  const bool integer = (third >> 6) == 0;
  const u32 saved_register = second & 0x1fu;
  const bool pair = (second & 0x40) != 0;
  const bool lr = integer && (saved_register == kLr || (pair && saved_register == kLr - 1));
  return {3, lr ? Effect::saves_lr : Effect::other};
}

UnwindCode decode_high(u8 first, u8 second, u8 third) {
  switch (first) {
    case 0xe0:
      return {4, Effect::other};  // alloc_l
    case 0xe1:
      return {1, Effect::sets_fp};
    case 0xe2:
      return {2, Effect::sets_fp};  // add_fp
    case 0xe4:
      return {1, Effect::end};
    case 0xe5:
      return {1, Effect::end_of_fragment};
    case 0xe6:
      return {1, Effect::saves_next_pair};
    case 0xe7:
      return any_register_code(second, third);
    // Frames made by the kernel: the codes describe the stack, but no instruction of the function created it.
    case 0xe8:
    case 0xe9:
    case 0xea:
    case 0xeb:
    case 0xec:
      return {1, Effect::no_instruction};
    case 0xf8:
      return {2, Effect::no_instruction};
    case 0xf9:
      return {3, Effect::no_instruction};
    case 0xfa:
      return {4, Effect::no_instruction};
    case 0xfb:
      return {5, Effect::no_instruction};
    default:
      return {1, Effect::other};  // nop, pac_sign_lr, and reserved codes
  }
}

UnwindCode decode_unwind_code(Bytes codes, usize at) {
  const auto byte = [&](usize index) { return index < codes.size() ? std::to_integer<u8>(codes[index]) : u8{0xe4}; };
  const u8 first = byte(at), second = byte(at + 1);
  const u32 both = u32{first} << 8 | second;
  if (first < 0x20) return {1, Effect::other};                                            // alloc_s
  if (first < 0x40) return pair_code(1, 19);                                              // save_r19r20_x
  if (first < 0xc0) return {1, Effect::saves_lr};                                         // save_fplr, save_fplr_x
  if (first < 0xc8) return {2, Effect::other};                                            // alloc_m
  if (first < 0xd0) return pair_code(2, 19 + static_cast<u32>(bit_field(both, 6, 4)));    // save_regp, save_regp_x
  if (first < 0xd4) return single_code(2, 19 + static_cast<u32>(bit_field(both, 6, 4)));  // save_reg
  if (first < 0xd6) return single_code(2, 19 + static_cast<u32>(bit_field(both, 5, 4)));  // save_reg_x
  if (first < 0xd8) return {2, Effect::saves_lr};                                         // save_lrpair
  if (first < 0xe0) return {2, Effect::other};                                            // the fp registers, alloc_z
  return decode_high(first, second, byte(at + 2));
}

// Counts the codes before an end code, and finds the code that saves (or restores) lr. Prologues list their codes in
// reverse order, epilogues in order.
struct CodeRun {
  u32 instructions = 0;
  std::optional<u32> lr;  // its index; last in the list, but run first in a prologue
  std::optional<u32> fp;  // index of the code that makes x29 point to the frame record
  usize end = 0;          // position of the codes after the end code
  bool fragment = false;  // the codes after the end code describe the prologue of the main part
};

CodeRun read_run(Bytes codes, usize at) {
  CodeRun run;
  u32 next_pairs = 0;  // number of consecutive save_next codes: pairs of registers after the pair in the next code
  while (at < codes.size()) {
    const UnwindCode code = decode_unwind_code(codes, at);
    at += code.size;
    if (code.effect == Effect::end || code.effect == Effect::end_of_fragment) {
      run.fragment = code.effect == Effect::end_of_fragment;
      break;
    }
    if (code.effect == Effect::no_instruction) continue;
    const u32 pairs_to_lr = (kLr - code.first_register) / 2;
    if (code.effect == Effect::saves_lr) {
      run.lr = run.instructions;
    } else if (code.effect == Effect::saves_pair && pairs_to_lr <= next_pairs) {
      run.lr = run.instructions - pairs_to_lr;
    }
    if (code.effect == Effect::sets_fp) run.fp = run.instructions;
    next_pairs = code.effect == Effect::saves_next_pair ? next_pairs + 1 : 0;
    ++run.instructions;
  }
  run.end = at;
  return run;
}

bool restored_in_epilogue(Bytes codes, usize first_code, u32 epilogue_offset, u32 offset) {
  if (offset < epilogue_offset) return false;
  const CodeRun run = read_run(codes, first_code);
  if (!run.lr.has_value()) return false;
  const u32 instruction = (offset - epilogue_offset) / kInstruction;
  return instruction > *run.lr && instruction <= run.instructions;  // the last instruction is the ret
}

bool xdata_saved(const Xdata& xdata, u32 offset) {
  const CodeRun prologue = read_run(xdata.codes, 0);
  const bool saved_before = prologue.fragment && read_run(xdata.codes, prologue.end).lr.has_value();
  if (!saved_before) {
    if (!prologue.lr.has_value()) return false;
    const u32 saving_instruction = prologue.instructions - 1 - *prologue.lr;
    if (offset / kInstruction <= saving_instruction) return false;
  }
  if (xdata.single_epilogue) {
    const u32 bytes = (read_run(xdata.codes, xdata.epilogues).instructions + 1) * kInstruction;
    return bytes > xdata.length || !restored_in_epilogue(xdata.codes, xdata.epilogues, xdata.length - bytes, offset);
  }
  for (usize at = 0; at < xdata.scopes.size(); at += 4) {
    u32 scope = 0;
    if (!bytes::read_at(xdata.scopes, at, scope)) break;
    const u32 epilogue_offset = static_cast<u32>(bit_field(scope, 0, 18)) * kInstruction;
    if (restored_in_epilogue(xdata.codes, bit_field(scope, 22, 10), epilogue_offset, offset)) return false;
  }
  return true;
}

}  // namespace

std::optional<u32> arm64_function_length(const ImageBytes& image, u32 unwind_word) {
  const PackedUnwind packed = unpack(unwind_word);
  if (packed.flag == kPacked || packed.flag == kPackedFragment) return packed.length;
  u32 header = 0;
  if (packed.flag != kXdata || !bytes::read_at(image.from(unwind_word), 0, header)) return std::nullopt;
  return static_cast<u32>(bit_field(header, 0, 18)) * kInstruction;
}

bool arm64_return_address_saved(const ImageBytes& image, u32 unwind_word, u32 offset) {
  const PackedUnwind packed = unpack(unwind_word);
  if (packed.flag == kPacked || packed.flag == kPackedFragment) return packed_saved(packed, offset);
  const std::optional<Xdata> xdata = packed.flag == kXdata ? read_xdata(image, unwind_word) : std::nullopt;
  return xdata.has_value() && xdata_saved(*xdata, offset);
}

// lr is saved in the frame record. No function is called between the save and the instruction that sets x29, so lr is
// still valid.
code::CallerPlace arm64_caller_place(const ImageBytes& image, u32 unwind_word, u32 offset) {
  if (!arm64_return_address_saved(image, unwind_word, offset)) return code::CallerPlace::link_register;
  const PackedUnwind packed = unpack(unwind_word);
  if (packed.flag == kPackedFragment) {
    return packed.chain == kUnchainedSavesLr ? code::CallerPlace::stack : code::CallerPlace::frame_record;
  }
  if (packed.flag == kPacked) {
    if (packed.chain == kUnchainedSavesLr) return code::CallerPlace::stack;
    const u32 sets_fp = find_lr_slot(packed).saved_after;
    return offset / kInstruction <= sets_fp ? code::CallerPlace::link_register : code::CallerPlace::frame_record;
  }
  const std::optional<Xdata> xdata = read_xdata(image, unwind_word);
  if (!xdata.has_value()) return code::CallerPlace::stack;
  const CodeRun prologue = read_run(xdata->codes, 0);
  if (prologue.fp.has_value()) {
    const u32 sets_fp = prologue.instructions - 1 - *prologue.fp;
    return offset / kInstruction <= sets_fp ? code::CallerPlace::link_register : code::CallerPlace::frame_record;
  }
  const bool set_before = prologue.fragment && read_run(xdata->codes, prologue.end).fp.has_value();
  return set_before ? code::CallerPlace::frame_record : code::CallerPlace::stack;
}

}  // namespace wperf::symbols
