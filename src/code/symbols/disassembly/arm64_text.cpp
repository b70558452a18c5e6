// SPDX-License-Identifier: BSD-3-Clause
// Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.
#include "code/symbols/disassembly/arm64_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace wperf::symbols {
namespace {

u32 field(u32 word, u32 low, u32 width) {
  return word >> low & ((1u << width) - 1);
}

bool bit(u32 word, u32 index) {
  return field(word, index, 1) != 0;
}

std::string reg(u32 number, bool wide, std::string_view name_of_31) {
  if (number == 31) return std::string(name_of_31);
  return fmt::format("{}{}", wide ? 'x' : 'w', number);
}

std::string value_reg(u32 number, bool wide) {
  return reg(number, wide, wide ? "xzr" : "wzr");
}

std::string base_reg(u32 word) {
  return reg(field(word, 5, 5), true, "sp");
}

std::string_view width_suffix(u32 size) {
  static constexpr std::string_view kSuffixes[] = {"b", "h", "", ""};
  return kSuffixes[size];
}

enum class Zero { hidden, shown };

std::string address_text(u32 word, int offset, Zero zero = Zero::hidden) {
  if (offset == 0 && zero == Zero::hidden) return fmt::format("[{}]", base_reg(word));
  return fmt::format("[{}, #{}0x{:x}]", base_reg(word), offset < 0 ? "-" : "", offset < 0 ? -offset : offset);
}

int sign_extended(u32 value, u32 bits) {
  return static_cast<int>(value << (32 - bits)) >> (32 - bits);
}

bool decode_compare_and_swap(u32 word, Decoded& out) {
  const u32 rs = field(word, 16, 5), rt = field(word, 0, 5);
  const std::string_view order_a = bit(word, 22) ? "a" : "", order_l = bit(word, 15) ? "l" : "";
  if ((word & 0x3fa07c00u) == 0x08a07c00u) {
    const u32 size = field(word, 30, 2);
    out.mnemonic = fmt::format("cas{}{}{}", order_a, order_l, width_suffix(size));
    out.operands = fmt::format("{}, {}, {}", value_reg(rs, size == 3), value_reg(rt, size == 3), address_text(word, 0));
    return true;
  }
  if ((word & 0xbfa07c00u) != 0x08207c00u || (rs & 1) != 0 || (rt & 1) != 0) return false;
  const bool wide = bit(word, 30);
  out.mnemonic = fmt::format("casp{}{}", order_a, order_l);
  out.operands = fmt::format("{}, {}, {}, {}, {}", value_reg(rs, wide), value_reg(rs + 1, wide), value_reg(rt, wide),
                             value_reg(rt + 1, wide), address_text(word, 0));
  return true;
}

bool decode_atomic(u32 word, Decoded& out) {
  if ((word & 0x3f200c00u) != 0x38200000u) return false;
  static constexpr std::string_view kOperations[] = {"add", "clr", "eor", "set", "smax", "smin", "umax", "umin"};
  const u32 size = field(word, 30, 2), rs = field(word, 16, 5), rt = field(word, 0, 5), operation = field(word, 12, 3);
  const bool wide = size == 3, acquire = bit(word, 23), release = bit(word, 22);
  const std::string_view order_a = acquire ? "a" : "", order_l = release ? "l" : "", suffix = width_suffix(size);
  const std::string address = address_text(word, 0);
  if (bit(word, 15)) {
    if (operation == 0) {
      out.mnemonic = fmt::format("swp{}{}{}", order_a, order_l, suffix);
      out.operands = fmt::format("{}, {}, {}", value_reg(rs, wide), value_reg(rt, wide), address);
      return true;
    }
    if (operation != 4 || !acquire || release || rs != 31) return false;
    out.mnemonic = fmt::format("ldapr{}", suffix);
    out.operands = fmt::format("{}, {}", value_reg(rt, wide), address);
    return true;
  }
  if (rt == 31 && !acquire) {
    out.mnemonic = fmt::format("st{}{}{}", kOperations[operation], order_l, suffix);
    out.operands = fmt::format("{}, {}", value_reg(rs, wide), address);
    return true;
  }
  out.mnemonic = fmt::format("ld{}{}{}{}", kOperations[operation], order_a, order_l, suffix);
  out.operands = fmt::format("{}, {}, {}", value_reg(rs, wide), value_reg(rt, wide), address);
  return true;
}

bool decode_unscaled_ordered(u32 word, Decoded& out) {
  if ((word & 0x3f200c00u) != 0x19000000u) return false;
  static constexpr std::string_view kNames[4][4] = {{"stlurb", "ldapurb", "ldapursb", "ldapursb"},
                                                    {"stlurh", "ldapurh", "ldapursh", "ldapursh"},
                                                    {"stlur", "ldapur", "ldapursw", ""},
                                                    {"stlur", "ldapur", "", ""}};
  const u32 size = field(word, 30, 2), operation = field(word, 22, 2);
  const std::string_view name = kNames[size][operation];
  if (name.empty()) return false;
  const bool wide = size == 3 || operation == 2;
  out.mnemonic = name;
  out.operands = fmt::format("{}, {}", value_reg(field(word, 0, 5), wide),
                             address_text(word, sign_extended(field(word, 12, 9), 9)));
  return true;
}

bool decode_authenticated_branch(u32 word, Decoded& out) {
  struct Plain {
    u32 word;
    std::string_view name;
  };
  static constexpr Plain kReturns[] = {
      {0xd65f0bffu, "retaa"}, {0xd65f0fffu, "retab"}, {0xd69f0bffu, "eretaa"}, {0xd69f0fffu, "eretab"}};
  for (const Plain& plain : kReturns) {
    if (word != plain.word) continue;
    out.mnemonic = plain.name;
    return true;
  }
  if ((word & 0xfedff800u) != 0xd61f0800u) return false;
  const bool two_registers = bit(word, 24);
  if (!two_registers && field(word, 0, 5) != 31) return false;
  out.mnemonic =
      fmt::format("{}{}{}", bit(word, 21) ? "blra" : "bra", bit(word, 10) ? "b" : "a", two_registers ? "" : "z");
  out.operands = value_reg(field(word, 5, 5), true);
  if (two_registers) out.operands += ", " + reg(field(word, 0, 5), true, "sp");
  return true;
}

bool decode_authentication(u32 word, Decoded& out) {
  static constexpr std::string_view kNames[] = {"pacia", "pacib", "pacda", "pacdb", "autia", "autib", "autda", "autdb"};
  const u32 rd = field(word, 0, 5), rn = field(word, 5, 5), operation = field(word, 10, 3);
  if ((word & 0xffffe000u) == 0xdac10000u) {
    out.mnemonic = kNames[operation];
    out.operands = fmt::format("{}, {}", value_reg(rd, true), reg(rn, true, "sp"));
    return true;
  }
  if ((word & 0xffffe3e0u) == 0xdac123e0u) {
    // pacia → paciza: the z is inserted before the last letter.
    out.mnemonic = fmt::format("{}z{}", kNames[operation].substr(0, 4), kNames[operation].back());
    out.operands = value_reg(rd, true);
    return true;
  }
  if ((word & 0xfffffbe0u) == 0xdac143e0u) {
    out.mnemonic = bit(word, 10) ? "xpacd" : "xpaci";
    out.operands = value_reg(rd, true);
    return true;
  }
  if ((word & 0xff200400u) != 0xf8200400u) return false;
  const int offset = sign_extended(field(word, 22, 1) << 9 | field(word, 12, 9), 10) * 8;
  out.mnemonic = bit(word, 23) ? "ldrab" : "ldraa";
  const bool writes_back = bit(word, 11);
  out.operands =
      fmt::format("{}, {}{}", value_reg(rd, true), address_text(word, offset, writes_back ? Zero::shown : Zero::hidden),
                  writes_back ? "!" : "");
  return true;
}

bool decode_dot_product(u32 word, Decoded& out) {
  const bool wide = bit(word, 30);
  const std::string_view sums = wide ? "4s" : "2s", bytes = wide ? "16b" : "8b";
  const u32 rd = field(word, 0, 5), rn = field(word, 5, 5);
  const bool vector = (word & 0x9fe0fc00u) == 0x0e809400u, element = (word & 0x9fc0f400u) == 0x0f80e000u;
  if (!vector && !element) return false;
  out.mnemonic = bit(word, 29) ? "udot" : "sdot";
  out.operands = fmt::format("v{}.{}, v{}.{}, v{}.", rd, sums, rn, bytes, field(word, 16, 5));
  if (vector) {
    out.operands += bytes;
  } else {
    out.operands += fmt::format("4b[{}]", field(word, 11, 1) << 1 | field(word, 21, 1));
  }
  return true;
}

// The hint space, and barriers that were added to Armv8 later.
bool decode_hint(u32 word, Decoded& out) {
  struct Hint {
    u32 word;
    std::string_view mnemonic, operands;
  };
  static constexpr Hint kHints[] = {
      {0xd50320ffu, "xpaclri", {}},   {0xd503211fu, "pacia1716", {}}, {0xd503215fu, "pacib1716", {}},
      {0xd503219fu, "autia1716", {}}, {0xd50321dfu, "autib1716", {}}, {0xd503221fu, "esb", {}},
      {0xd503223fu, "psb", "csync"},  {0xd503225fu, "tsb", "csync"},  {0xd503229fu, "csdb", {}},
      {0xd503231fu, "paciaz", {}},    {0xd503233fu, "paciasp", {}},   {0xd503235fu, "pacibz", {}},
      {0xd503237fu, "pacibsp", {}},   {0xd503239fu, "autiaz", {}},    {0xd50323bfu, "autiasp", {}},
      {0xd50323dfu, "autibz", {}},    {0xd50323ffu, "autibsp", {}},   {0xd503241fu, "bti", {}},
      {0xd503245fu, "bti", "c"},      {0xd503249fu, "bti", "j"},      {0xd50324dfu, "bti", "jc"},
      {0xd50330ffu, "sb", {}},        {0xd503309fu, "ssbb", {}},      {0xd503349fu, "pssbb", {}}};
  for (const Hint& hint : kHints) {
    if (word != hint.word) continue;
    out.mnemonic = hint.mnemonic;
    out.operands = hint.operands;
    return true;
  }
  if ((word & 0xffff0000u) != 0) return false;
  out.mnemonic = "udf";
  out.operands = fmt::format("#0x{:x}", word);
  return true;
}

}  // namespace

bool decode_arm64_later(u32 word, Decoded& out) {
  out = {.size = 4, .mnemonic = {}, .operands = {}, .target = {}};
  return decode_compare_and_swap(word, out) || decode_atomic(word, out) || decode_unscaled_ordered(word, out) ||
         decode_authenticated_branch(word, out) || decode_authentication(word, out) || decode_dot_product(word, out) ||
         decode_hint(word, out);
}

namespace {

u64 offset_of(u32 word, u32 low, u32 width) {
  const u64 value = word >> low & ((u64{1} << width) - 1);
  const u64 sign = u64{1} << (width - 1);
  return ((value ^ sign) - sign) * 4;
}

// Literal loads, adr, adrp and branches: their last operand is an address.
bool ends_in_address(u32 word) {
  const bool literal = (word & 0x3b000000u) == 0x18000000u, adr = (word & 0x1f000000u) == 0x10000000u;
  return literal || adr || arm64_branch_target(word, 0).has_value();
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Shift amounts, bit positions and the step of a structure load are decimal; all other numbers are hexadecimal.
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
  usize length = 0;  // number of characters after the '#'; 0 if it is not an integer
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

// The constant that movz, movn or orr with the zero register loads.
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
    if (is_access && immediate.magnitude >> 63 != 0) {  // the library prints some negative steps as unsigned 64-bit
                                                        // numbers
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
