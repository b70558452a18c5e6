// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/jit_dump_writer.h"

#include <algorithm>
#include <type_traits>

namespace wperf::symbols {
namespace {

constexpr usize kMostName = 16 << 10;

template <class Number>
void put(std::string& out, Number number) {
  using Bits = std::make_unsigned_t<Number>;
  for (usize i = 0; i < sizeof(Number); ++i) out += static_cast<char>(static_cast<Bits>(number) >> (8 * i));
}

std::string_view cut(std::string_view text) {
  return text.substr(0, std::min(text.find('\0'), kMostName));
}

}  // namespace

JitDumpWriter::JitDumpWriter(u32 process) : process_(process) {
  constexpr u32 kStart = 0x4a695444, kVersion = 1, kHeader = 40;
  for (const u32 word : {kStart, kVersion, kHeader, u32{0}, u32{0}, process}) put(bytes_, word);
  put(bytes_, u64{0});
  put(bytes_, u64{0});
}

void JitDumpWriter::add(const Function& function) {
  constexpr u32 kLoad = 0, kLoadBytes = 56;
  if (!function.lines.empty()) put_lines(function);
  const std::string_view name = cut(function.name);
  put(bytes_, kLoad);
  put(bytes_, static_cast<u32>(kLoadBytes + name.size() + 1));
  put(bytes_, function.since);
  put(bytes_, process_);
  put(bytes_, process_);
  put(bytes_, function.begin);
  put(bytes_, function.begin);
  put(bytes_, function.size);
  put(bytes_, functions_++);
  bytes_.append(name);
  bytes_ += '\0';
}

void JitDumpWriter::put_lines(const Function& function) {
  constexpr u32 kLines = 2, kLinesBytes = 32, kEntry = 16;
  constexpr std::string_view kSameFile("\xff\0", 2);
  const std::string_view file = cut(function.file);
  const usize count = function.lines.size();
  put(bytes_, kLines);
  put(bytes_, static_cast<u32>(kLinesBytes + count * (kEntry + kSameFile.size()) + file.size() + 1 - kSameFile.size()));
  put(bytes_, function.since);
  put(bytes_, function.begin);
  put(bytes_, static_cast<u64>(count));
  for (usize i = 0; i < count; ++i) {
    put(bytes_, function.lines[i].address);
    put(bytes_, function.lines[i].line);
    put(bytes_, u32{0});  // discriminator
    if (i != 0) {
      bytes_.append(kSameFile);
    } else {
      bytes_.append(file);
      bytes_ += '\0';
    }
  }
}

void JitDumpWriter::append_to(std::string& section) const {
  put(section, static_cast<u64>(bytes_.size()));
  section += bytes_;
}

}  // namespace wperf::symbols
