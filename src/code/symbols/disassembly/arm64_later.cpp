// SPDX-License-Identifier: BSD-3-Clause
// Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.
#include "code/symbols/disassembly/arm64_later.h"

#include <fmt/format.h>

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
    // pacia → paciza: the z precedes the last letter.
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

// The hint space and the barriers that came later.
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

}  // namespace wperf::symbols
