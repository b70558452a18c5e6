// SPDX-License-Identifier: BSD-3-Clause
// Text functions of the C runtime beyond those of win32_crt.cpp. There is one locale, "C"; a function that gets another
// one uses "C", too.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u32 kUpper = 1, kLower = 2, kDigit = 4, kSpace = 8, kPunctuation = 0x10, kControl = 0x20, kBlank = 0x40,
              kHexadecimal = 0x80, kAlphabetic = 0x100;

u32 class_of(Win32Call& call, u32 character) {
  u16 bits = 0;
  if (character < 0x100)
    (void)call.state.memory.read(call.state.crt.data + kCrtClassTable + (character + 1) * sizeof bits, &bits,
                                 sizeof bits);
  return bits;
}

template <u32 mask>
u64 has_class(Win32Call& call) {
  return class_of(call, call.argument32(0)) & mask;
}

u64 has_classes(Win32Call& call) {
  return class_of(call, call.argument32(0)) & call.argument32(1);
}

u64 to_lower(Win32Call& call) {
  const u32 character = call.argument32(0);
  return character >= 'A' && character <= 'Z' ? character + 32 : character;
}
u64 to_upper(Win32Call& call) {
  const u32 character = call.argument32(0);
  return character >= 'a' && character <= 'z' ? character - 32 : character;
}

// Reads two texts, for functions that search one for the other.
bool two_texts(Win32Call& call, std::string& left, std::string& right) {
  auto first = text_at(call, call.argument(0));
  auto second = first ? text_at(call, call.argument(1)) : std::nullopt;
  if (!second) return false;
  left = std::move(*first);
  right = std::move(*second);
  return true;
}

u64 place_of(Win32Call& call, usize index) {
  return index == std::string::npos ? 0 : call.argument(0) + index;
}

u64 find_text(Win32Call& call) {
  std::string text, wanted;
  return two_texts(call, text, wanted) ? place_of(call, text.find(wanted)) : 0;
}
u64 find_one_of(Win32Call& call) {
  std::string text, set;
  return two_texts(call, text, set) ? place_of(call, text.find_first_of(set)) : 0;
}
u64 length_of_set(Win32Call& call) {
  std::string text, set;
  return two_texts(call, text, set) ? std::min(text.find_first_not_of(set), text.size()) : 0;
}
u64 length_until_set(Win32Call& call) {
  std::string text, set;
  return two_texts(call, text, set) ? std::min(text.find_first_of(set), text.size()) : 0;
}

u64 sign_of(int order) {
  return order < 0 ? int_result(-1) : order > 0 ? 1 : 0;
}

u64 collate(Win32Call& call) {
  std::string left, right;
  return two_texts(call, left, right) ? sign_of(left.compare(right)) : 0;
}

void make_lower(std::string& text) {
  for (char& character : text)
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character + 32);
}

u64 compare_ignoring_case(Win32Call& call, usize limit) {
  std::string left, right;
  if (!two_texts(call, left, right)) return 0;
  left.resize(std::min(left.size(), limit));
  right.resize(std::min(right.size(), limit));
  make_lower(left);
  make_lower(right);
  return sign_of(left.compare(right));
}

u64 compare_any_case(Win32Call& call) {
  return compare_ignoring_case(call, std::string::npos);
}
u64 compare_any_case_part(Win32Call& call) {
  return compare_ignoring_case(call, call.argument(2));
}

u64 copy_part(Win32Call& call) {
  const u64 limit = call.argument(2);
  std::string text;
  for (char unit = 0; text.size() < limit; text += unit) {
    if (!call.read_value(call.argument(1) + text.size(), unit)) return 0;
    if (unit == 0) break;
  }
  if (!call.write(call.argument(0), text.data(), text.size())) return 0;
  if (call.state.memory.fill(call.argument(0) + text.size(), 0, limit - text.size())) return call.argument(0);
  return call.crash("cannot fill " + std::to_string(limit) + " bytes at " + hex(call.argument(0)));
}

u64 append_part(Win32Call& call) {
  const auto before = text_at(call, call.argument(0));
  const auto text = before ? text_at(call, call.argument(1)) : std::nullopt;
  if (!text) return 0;
  const std::string part = text->substr(0, call.argument(2));
  return call.write(call.argument(0) + before->size(), part.c_str(), part.size() + 1) ? call.argument(0) : 0;
}

u64 duplicate(Win32Call& call) {
  const auto text = text_at(call, call.argument(0));
  if (!text) return 0;
  const u64 copy = call.state.heaps[call.state.process_heap].allocate(call.state.virtual_memory, text->size() + 1);
  if (copy == 0) return fail_with(call, kNoMemory, 0);
  return call.write(copy, text->c_str(), text->size() + 1) ? copy : 0;
}

// strxfrm: in this locale texts compare as they are.
u64 transform(Win32Call& call) {
  const auto text = text_at(call, call.argument(1));
  if (!text) return 0;
  if (call.argument(2) > text->size()) (void)call.write(call.argument(0), text->c_str(), text->size() + 1);
  return text->size();
}

u64 error_text(Win32Call& call) {
  const std::string text(errno_text(call.argument32(0)));
  const u64 place = call.state.current->teb + kTebText;
  return call.write(place, text.c_str(), std::min(text.size() + 1, kTebTextBytes)) ? place : 0;
}

u64 set_locale(Win32Call& call) {
  const u64 name = call.state.crt.data + kCrtTexts + 3;  // "C"
  if (call.argument(1) == 0) return name;
  const auto wanted = text_at(call, call.argument(1));
  return wanted && (wanted->empty() || *wanted == "C" || *wanted == "POSIX") ? name : 0;
}

u64 locale_facts(Win32Call& call) {
  return call.state.crt.data + kCrtLocaleFacts;
}

u64 create_locale(Win32Call& call) {
  return call.state.crt.data + kCrtLocale;
}

u64 locale_code_page(Win32Call&) {
  return 0;  // that of the locale "C"
}
u64 longest_character(Win32Call&) {
  return 1;
}
u64 forget_locale(Win32Call&) {
  return 0;
}

u64 to_wide_character(Win32Call& call) {
  const u64 from = call.argument(1);
  u8 byte = 0;
  if (from == 0 || call.argument(2) == 0) return 0;
  if (!call.read_value(from, byte)) return 0;
  if (call.argument(0) != 0 && !call.write_value(call.argument(0), static_cast<u16>(byte))) return 0;
  return byte != 0;
}

u64 from_wide_character(Win32Call& call) {  // wcrtomb_s: count, place, capacity, character, state
  const auto unit = static_cast<u16>(call.argument32(3));
  const bool fits = unit < 0x100;
  if (call.argument(0) != 0 && !call.write_value(call.argument(0), fits ? u64{1} : kMinusOne)) return 0;
  if (!fits) return fail_with(call, 42, 42);
  if (call.argument(1) != 0) (void)call.write_value(call.argument(1), static_cast<u8>(unit));
  return 0;
}

constexpr Win32Function kCrtText[] = {
    {"isalnum", kCrtDll, has_class<kAlphabetic | kDigit>},
    {"isalpha", kCrtDll, has_class<kAlphabetic>},
    {"iscntrl", kCrtDll, has_class<kControl>},
    {"isdigit", kCrtDll, has_class<kDigit>},
    {"isgraph", kCrtDll, has_class<kAlphabetic | kDigit | kPunctuation>},
    {"islower", kCrtDll, has_class<kLower>},
    {"isprint", kCrtDll, has_class<kAlphabetic | kDigit | kPunctuation | kBlank>},
    {"ispunct", kCrtDll, has_class<kPunctuation>},
    {"isspace", kCrtDll, has_class<kSpace>},
    {"isupper", kCrtDll, has_class<kUpper>},
    {"isxdigit", kCrtDll, has_class<kHexadecimal>},
    {"_isctype", kCrtDll, has_classes},
    {"_isctype_l", kCrtDll, has_classes},
    {"iswctype", kCrtDll, has_classes},
    {"_iswalpha_l", kCrtDll, has_class<kAlphabetic>},
    {"_iswcntrl_l", kCrtDll, has_class<kControl>},
    {"_iswdigit_l", kCrtDll, has_class<kDigit>},
    {"_iswlower_l", kCrtDll, has_class<kLower>},
    {"_iswprint_l", kCrtDll, has_class<kAlphabetic | kDigit | kPunctuation | kBlank>},
    {"_iswpunct_l", kCrtDll, has_class<kPunctuation>},
    {"_iswspace_l", kCrtDll, has_class<kSpace>},
    {"_iswupper_l", kCrtDll, has_class<kUpper>},
    {"_iswxdigit_l", kCrtDll, has_class<kHexadecimal>},
    {"tolower", kCrtDll, to_lower},
    {"_tolower_l", kCrtDll, to_lower},
    {"_towlower_l", kCrtDll, to_lower},
    {"toupper", kCrtDll, to_upper},
    {"_toupper_l", kCrtDll, to_upper},
    {"_towupper_l", kCrtDll, to_upper},
    {"strstr", kCrtDll, find_text},
    {"strpbrk", kCrtDll, find_one_of},
    {"strspn", kCrtDll, length_of_set},
    {"strcspn", kCrtDll, length_until_set},
    {"strcoll", kCrtDll, collate},
    {"_strcoll_l", kCrtDll, collate},
    {"_stricmp", kCrtDll, compare_any_case},
    {"_strnicmp", kCrtDll, compare_any_case_part},
    {"strncpy", kCrtDll, copy_part},
    {"strncat", kCrtDll, append_part},
    {"_strdup", kCrtDll, duplicate},
    {"strxfrm", kCrtDll, transform},
    {"_strxfrm_l", kCrtDll, transform},
    {"strerror", kCrtDll, error_text},
    {"setlocale", kCrtDll, set_locale},
    {"localeconv", kCrtDll, locale_facts},
    {"_create_locale", kCrtDll, create_locale},
    {"_free_locale", kCrtDll, forget_locale},
    {"___lc_codepage_func", kCrtDll, locale_code_page},
    {"___mb_cur_max_func", kCrtDll, longest_character},
    {"_mbtowc_l", kCrtDll, to_wide_character},
    {"wcrtomb_s", kCrtDll, from_wide_character},
};

}  // namespace

std::span<const Win32Function> crt_text_functions() {
  return kCrtText;
}

}  // namespace wperf::sim
