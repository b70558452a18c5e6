// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kernel_functions.h"

#include <algorithm>
#include <charconv>

namespace wperf::pipeline {
namespace {

constexpr u64 kLastFunctionBytes = 4096;

}  // namespace

// "ffffffff81000000 T _stext", with a tab and "[module]" behind functions of modules.
KernelFunctions KernelFunctions::parse(std::string text) {
  KernelFunctions list;
  list.text_ = std::move(text);
  const std::string_view all = list.text_;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = all.substr(begin, end - begin);
    const size_t line_begin = begin;
    begin = end + 1;
    u64 address = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    const auto digits = static_cast<size_t>(read.ptr - line.data());
    if (read.ec != std::errc{} || digits + 3 >= line.size() || address == 0) continue;
    const char kind = line[digits + 1];
    if (kind != 't' && kind != 'T' && kind != 'w' && kind != 'W') continue;
    const size_t name_end = std::min(line.find_first_of("\t ", digits + 3), line.size());
    list.functions_.push_back({.address = address,
                               .begin = static_cast<u32>(line_begin + digits + 3),
                               .length = static_cast<u32>(name_end - digits - 3)});
  }
  std::sort(list.functions_.begin(), list.functions_.end(), [](const Function& a, const Function& b) {
    return a.address != b.address ? a.address < b.address : a.begin < b.begin;
  });
  return list;
}

u64 KernelFunctions::size() const {
  if (functions_.empty()) return 0;
  return std::min<u64>(functions_.back().address - base() + kLastFunctionBytes, ~u32{0});
}

std::vector<profile::AddressAnswer> KernelFunctions::answers_of(const std::vector<u32>& offsets) const {
  std::vector<profile::AddressAnswer> answers;
  for (const u32 offset : offsets) {
    const u64 address = base() + offset;
    auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                  [](u64 wanted, const Function& one) { return wanted < one.address; });
    if (after == functions_.begin()) continue;
    const u64 end = after != functions_.end() ? after->address : std::prev(after)->address + kLastFunctionBytes;
    // Of several names for one place the first stands.
    const u64 start = std::prev(after)->address;
    const auto found = std::lower_bound(functions_.begin(), after, start,
                                        [](const Function& one, u64 wanted) { return one.address < wanted; });
    profile::AddressAnswer& answer = answers.emplace_back();
    answer.rva = offset;
    answer.function = text_.substr(found->begin, found->length);
    answer.function_begin = static_cast<u32>(start - base());
    answer.function_end = static_cast<u32>(std::min<u64>(end - base(), ~u32{0}));
  }
  return answers;
}

}  // namespace wperf::pipeline
