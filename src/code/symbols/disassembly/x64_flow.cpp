// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/x64_flow.h"

#include <string_view>

namespace wperf::symbols {
namespace {

// The tables have a letter for each opcode:
//   0 nothing              m ModRM                   M ModRM and 8 bits
//   b 8 bits               z 32 bits (16 with 66)    Z ModRM and 32 bits (16 with 66)
//   v 32 bits (64 with REX.W, 16 with 66)
//   g ModRM, and 8 bits if it is a test              h ModRM, and 32 bits if it is a test
//   s ModRM with 0 in its field for the opcode, and 32 bits (16 with 66)
//   j jump by 8 bits       J jump by 32 bits         c call by 32 bits
//   r return               t trap
//   f group 5: inc, dec, call, jump, push
//   . other instructions, prefixes, and bytes that are not instructions
constexpr std::string_view kOneByte =
    "mmmmbz..mmmmbz.."
    "mmmmbz..mmmmbz.."
    "mmmmbz..mmmmbz.."
    "mmmmbz..mmmmbz.."
    "................"
    "0000000000000000"
    "...m....zZbM...."
    "jjjjjjjjjjjjjjjj"
    "MZ.Mmmmmmmmm.m.."
    "0000000000......"
    "....0000bz000000"
    "bbbbbbbbvvvvvvvv"
    "MM.r..Ms.0..t..."
    "mmmm............"
    "........cJ.j...."
    "......gh......mf";
constexpr std::string_view kAfter0f =
    ".....0.....t...."
    "mmmmmmmmmmmmmmmm"
    "........mmmmmmmm"
    "................"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "MMMMmmm0....mmmm"
    "JJJJJJJJJJJJJJJJ"
    "mmmmmmmmmmmmmmmm"
    "..0mMm.....mMm.m"
    "mm.m..mm..Mmmmmm"
    "mmM.MMM.00000000"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmm.";
static_assert(kOneByte.size() == 256 && kAfter0f.size() == 256);

bool is_prefix(u8 byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> code) : code_(code) {}

  u8 peek() const { return at_ < code_.size() ? static_cast<u8>(code_[at_]) : u8{0}; }
  u8 next() {
    const u8 byte = peek();
    ++at_;
    return byte;
  }
  void skip(usize bytes) { at_ += bytes; }
  // A number of 8 or 32 bits with its sign extended to 64.
  u64 number(usize bytes) {
    u64 value = 0;
    for (usize i = 0; i < bytes; ++i) value |= u64{next()} << 8 * i;
    const u64 sign = u64{1} << (8 * bytes - 1);
    return (value ^ sign) - sign;
  }
  // ModRM with its SIB and displacement. Returns the field that extends the opcode.
  u32 operand() {
    const u8 byte = next();
    const u32 mode = byte >> 6, base = byte & 7;
    if (mode == 3) return byte >> 3 & 7;
    const u32 indexed = base == 4 ? next() & 7 : base;
    if (mode == 1) skip(1);
    if (mode == 2 || (mode == 0 && indexed == 5)) skip(4);
    return byte >> 3 & 7;
  }
  usize at() const { return at_; }
  bool is_inside() const { return at_ <= code_.size(); }

 private:
  std::span<const std::byte> code_;
  usize at_ = 0;
};

struct Prefixes {
  bool is_wide = false, is_short = false, repeats = false;  // REX.W, 66, F2 or F3
  usize number_bytes() const { return is_short && !is_wide ? 2 : 4; }
};

Prefixes read_prefixes(Reader& in) {
  Prefixes out;
  for (; is_prefix(in.peek()); in.skip(1)) {
    out.is_short = out.is_short || in.peek() == 0x66;
    out.repeats = out.repeats || in.peek() >= 0xf2;
  }
  if ((in.peek() & 0xf0) == 0x40) out.is_wide = (in.next() & 8) != 0;
  return out;
}

// Skips the operands of instructions that are neither jumps nor calls. Returns false for other kinds.
bool skip_operands(char kind, const Prefixes& prefixes, Reader& in) {
  switch (kind) {
    case 'M':
    case 'Z':
    case 'm':
      in.operand();
      break;
    case 'g':
    case 'h':
      if (in.operand() > 1) return true;
      break;
    case 's':
      if (in.operand() != 0) return false;
      break;
    case '0':
    case 'b':
    case 'z':
    case 'v':
      break;
    default:
      return false;
  }
  if (kind == 'b' || kind == 'M' || kind == 'g') in.skip(1);
  if (kind == 'z' || kind == 'Z' || kind == 'h' || kind == 's') in.skip(prefixes.number_bytes());
  if (kind == 'v') in.skip(prefixes.is_wide ? 8 : prefixes.number_bytes());
  return true;
}

}  // namespace

std::optional<InstructionFlow> common_x64_flow(std::span<const std::byte> code, u64 address) {
  constexpr usize kLongest = 15;
  constexpr u8 kJumpNear = 0xe9, kJumpShort = 0xeb;
  Reader in(code);
  const Prefixes prefixes = read_prefixes(in);
  if (prefixes.is_short && prefixes.repeats) return std::nullopt;  // one of the two prefixes may belong to the opcode
  const u8 opcode = in.next();
  const char kind = opcode == 0x0f ? kAfter0f[in.next()] : kOneByte[opcode];
  InstructionFlow flow;
  if (!skip_operands(kind, prefixes, in)) {
    // On jumps these prefixes have other meanings.
    if (kind == '.' || kind == 's' || prefixes.is_short || (prefixes.repeats && kind != 'r')) return std::nullopt;
    if (kind == 'f') {
      const u32 which = in.operand();
      if (which == 3 || which == 5 || which == 7) return std::nullopt;
      flow.ends_block = flow.is_indirect = which == 4;
      flow.is_branch = which == 2 || which == 4;
    } else {
      flow.ends_block = kind != 'c';
      flow.is_branch = kind != 't';
    }
    const bool always = opcode == kJumpNear || opcode == kJumpShort || kind == 'r' || kind == 't';
    flow.falls_through = !always && !flow.is_indirect;
    if (kind == 'j' || kind == 'J' || kind == 'c') {
      const u64 distance = in.number(kind == 'j' ? 1 : 4);
      flow.target = address + in.at() + distance;
    }
  }
  if (!in.is_inside() || in.at() > kLongest) return std::nullopt;
  flow.size = static_cast<u32>(in.at());
  return flow;
}

}  // namespace wperf::symbols
