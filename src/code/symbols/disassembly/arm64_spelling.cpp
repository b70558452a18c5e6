// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/arm64_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace wperf::symbols {
namespace {

u64 offset_of(u32 word, u32 low, u32 width) {
  const u64 value = word >> low & ((u64{1} << width) - 1);
  const u64 sign = u64{1} << (width - 1);
  return ((value ^ sign) - sign) * 4;
}

// Loads of a literal, adr and adrp, and branches: their last operand is an address.
bool ends_in_address(u32 word) {
  const bool literal = (word & 0x3b000000u) == 0x18000000u, adr = (word & 0x1f000000u) == 0x10000000u;
  return literal || adr || arm64_branch_target(word, 0).has_value();
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Shift amounts, bit positions and the step of a structure load are decimal; all other numbers are not.
bool counts_in_decimal(std::string_view mnemonic) {
  if (mnemonic.starts_with("ld") || mnemonic.starts_with("st")) {
    return mnemonic.size() >= 3 && mnemonic[2] >= '1' && mnemonic[2] <= '4';
  }
  return is_one_of(
      mnemonic, {"lsl", "lsr", "asr", "ror", "ubfx", "sbfx", "ubfiz", "sbfiz", "bfi", "bfxil", "bfc", "shll", "shll2"});
}

bool follows_shift(std::string_view before) {
  if (!before.ends_with(' ')) return false;
  before.remove_suffix(1);
  before.remove_prefix(std::min(before.size(), before.find_last_of(" ,[") + 1));
  return is_one_of(before,
                   {"lsl", "lsr", "asr", "ror", "msl", "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"});
}

struct Immediate {
  u64 magnitude = 0;
  bool negative = false;
  usize length = 0;  // characters after the '#'; 0 if it is not an integer
};

Immediate parse_immediate(std::string_view text) {
  Immediate immediate;
  usize at = 0;
  if (text.starts_with('-')) {
    immediate.negative = true;
    at = 1;
  }
  const bool hexadecimal = text.substr(at).starts_with("0x");
  if (hexadecimal) at += 2;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + at, end, immediate.magnitude, hexadecimal ? 16 : 10);
  const bool real = parsed.ptr != end && *parsed.ptr == '.';
  if (parsed.ec == std::errc() && !real) immediate.length = static_cast<usize>(parsed.ptr - text.data());
  return immediate;
}

std::string signed_hex(u64 value, bool wide) {
  const u64 sign = wide ? value >> 63 : value >> 31 & 1;
  const u64 magnitude = sign != 0 ? ~value + 1 : value;
  return fmt::format("#{}0x{:x}", sign != 0 ? "-" : "", wide ? magnitude : magnitude & 0xffffffffu);
}

// The constant that movz, movn or orr with the zero register brings.
std::optional<u64> moved_constant(u32 word, std::string_view operands) {
  const u32 shift = (word >> 21 & 3) * 16;
  const u64 immediate = word >> 5 & 0xffffu;
  const bool plain = immediate != 0 || shift == 0;
  if ((word & 0x7f800000u) == 0x52800000u && plain) return immediate << shift;
  if ((word & 0x7f800000u) == 0x12800000u && plain) return ~(immediate << shift);
  if ((word & 0x7f8003e0u) != 0x320003e0u) return {};
  const Immediate mask = parse_immediate(operands.substr(operands.rfind('#') + 1));
  return mask.negative ? ~mask.magnitude + 1 : mask.magnitude;
}

std::string respelled_operands(u32 word, std::string_view mnemonic, std::string_view operands) {
  const bool decimal = counts_in_decimal(mnemonic), address_last = ends_in_address(word);
  const bool is_access = mnemonic.starts_with("ld") || mnemonic.starts_with("st");
  const usize last = operands.rfind('#');
  std::string out;
  for (usize at = 0; at < operands.size(); ++at) {
    const char c = operands[at];
    if (c == '{') {
      out += "{ ";
      continue;
    }
    if (c == '}') {
      out += " }";
      continue;
    }
    Immediate immediate = c == '#' ? parse_immediate(operands.substr(at + 1)) : Immediate{};
    if (immediate.length == 0) {
      out += c;
      continue;
    }
    if (is_access && immediate.magnitude >> 63 != 0) {  // the library prints some negative steps as 64 bits
      immediate.magnitude = ~immediate.magnitude + 1;
      immediate.negative = true;
    }
    const std::string_view sign = immediate.negative ? "-" : "";
    if (address_last && at == last) {
      out += fmt::format("0x{:x}", immediate.magnitude);
    } else if (decimal || follows_shift(out)) {
      out += fmt::format("#{}{}", sign, immediate.magnitude);
    } else {
      out += fmt::format("#{}0x{:x}", sign, immediate.magnitude);
    }
    at += immediate.length;
  }
  return out;
}

}  // namespace

std::optional<u64> arm64_branch_target(u32 word, u64 address) {
  if ((word & 0x7c000000u) == 0x14000000u) return address + offset_of(word, 0, 26);  // b, bl
  if ((word & 0xff000000u) == 0x54000000u) return address + offset_of(word, 5, 19);  // b.cond
  if ((word & 0x7e000000u) == 0x34000000u) return address + offset_of(word, 5, 19);  // cbz, cbnz
  if ((word & 0x7e000000u) == 0x36000000u) return address + offset_of(word, 5, 14);  // tbz, tbnz
  return {};
}

void respell_arm64(u32 word, Decoded& decoded) {
  if (const std::optional<u64> constant = moved_constant(word, decoded.operands); constant.has_value()) {
    decoded.mnemonic = "mov";
    decoded.operands.resize(decoded.operands.find(',') + 1);
    decoded.operands += ' ' + signed_hex(*constant, word >> 31 != 0);
    return;
  }
  decoded.operands = respelled_operands(word, decoded.mnemonic, decoded.operands);
  if (decoded.mnemonic == "ins") decoded.mnemonic = "mov";
}

}  // namespace wperf::symbols
