// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/kernel_list.h"

#include <array>
#include <charconv>

namespace wperf::symbols {
namespace {

constexpr std::string_view kFirstWords = "wperf kernel list 1 ";
constexpr usize kDigits = 16;
// Distances to earlier functions wrap around below 0. Adding kMiddle to each distance makes them ascend.
constexpr u64 kMiddle = u64{1} << 63;
constexpr usize kFirstStep = 256;  // in bytes

using Digits = std::array<char, kDigits>;

Digits hex_of(u64 value) {
  Digits digits;
  for (usize i = kDigits; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

void append_hex(std::string& out, u64 value) {
  const Digits digits = hex_of(value);
  out.append(digits.data(), digits.size());
}

std::optional<u64> hex_at(std::string_view text) {
  if (text.size() < kDigits) return {};
  u64 value = 0;
  const char* const begin = text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage): it has kDigits
  const auto [end, error] = std::from_chars(begin, begin + kDigits, value, 16);
  if (error != std::errc() || end != begin + kDigits) return {};
  return value;
}

}  // namespace

std::string KernelList::write(const ListedSymbols& symbols, std::string_view reference_name, u64 reference) {
  std::string lines;
  u64 end = 0;
  for (const ListedSymbol& one : symbols.all()) {
    if (!one.module.empty()) continue;
    append_hex(lines, one.begin - reference + kMiddle);
    lines.append(1, ' ').append(one.name).append(1, '\n');
    end = one.end - reference + kMiddle;
  }
  std::string out(kFirstWords);
  append_hex(out, lines.size());
  out += ' ';
  append_hex(out, end);
  out.append(1, ' ').append(reference_name).append(1, '\n');
  return out + lines;
}

std::optional<KernelList> KernelList::open(std::span<const std::byte> bytes, std::string_view reference_name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const usize first_line = text.substr(0, 256).find('\n');
  if (!text.starts_with(kFirstWords) || first_line == std::string_view::npos) return {};
  std::string_view words = text.substr(kFirstWords.size(), first_line - kFirstWords.size());
  const auto size = hex_at(words);
  const auto end = words.size() > kDigits + 1 ? hex_at(words.substr(kDigits + 1)) : std::nullopt;
  KernelList list;
  list.lines_ = text.substr(first_line + 1);
  const usize name_at = 2 * (kDigits + 1);
  if (!end.has_value() || *size != list.lines_.size() || words.size() < name_at ||
      words.substr(name_at) != reference_name || !list.lines_.ends_with('\n')) {
    return {};
  }
  list.end_ = *end;
  return list;
}

// Numbers of equal length sort like their digits, so only the line that was found is parsed as a number.
std::optional<KernelList::Found> KernelList::find(u64 distance, usize from) const {
  const u64 wanted = distance + kMiddle;
  if (wanted >= end_) return {};
  const Digits digits = hex_of(wanted);
  const std::string_view wanted_text(digits.data(), digits.size());
  // Lines begin at both positions. The wanted line, if it exists, is at `low` or later, and before `high`.
  usize low = from < lines_.size() ? from : 0, high = lines_.size();
  for (usize step = kFirstStep; step < high - low; step *= 2) {
    const usize line = begin_of_line(low, low + step);
    if (line != low && lines_.substr(line, kDigits) > wanted_text) {
      high = line;
    } else {
      low = line;
    }
  }
  while (true) {
    const usize middle = low + (high - low) / 2;
    const usize line = begin_of_line(low, middle);
    if (line != low && lines_.substr(line, kDigits) > wanted_text) {
      high = line;
      continue;
    }
    const usize next = lines_.find('\n', middle) + 1;  // the last line also ends with '\n'
    if (next < high && lines_.substr(next, kDigits) <= wanted_text) {
      low = next;
      continue;
    }
    return line_at(line, next, wanted);
  }
}

usize KernelList::begin_of_line(usize low, usize at) const {
  const usize before = lines_.substr(low, at - low).rfind('\n');
  return before == std::string_view::npos ? low : low + before + 1;
}

std::optional<KernelList::Found> KernelList::line_at(usize line, usize next, u64 wanted) const {
  const auto begin = hex_at(lines_.substr(line));
  const auto end = next < lines_.size() ? hex_at(lines_.substr(next)) : end_;
  const usize name = line + kDigits + 1;
  if (!begin.has_value() || !end.has_value() || wanted < *begin || wanted >= *end || name >= next) return {};
  return Found{*begin - kMiddle, *end - kMiddle, lines_.substr(name, next - 1 - name), line};
}

}  // namespace wperf::symbols
