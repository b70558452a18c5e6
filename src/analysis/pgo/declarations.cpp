// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/declarations.h"

#include <utility>

#include "code/symbols/symbolizer.h"

namespace wperf::pgo {
namespace {

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "ns::list<int>::add" -> "add"
std::string_view last_part(std::string_view name) {
  if (const auto at = name.find('<', 1); at != name.npos && name.back() == '>') name = name.substr(0, at);
  usize begin = name.size();
  while (begin != 0 && is_of_name(name[begin - 1])) --begin;
  return name.substr(begin);
}

bool names(std::string_view line, std::string_view name) {
  for (usize at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    if (at != 0 && is_of_name(line[at - 1])) continue;
    const usize behind = line.find_first_not_of(" \t", at + name.size());
    if (behind != line.npos && line[behind] == '(') return true;
  }
  return false;
}

}  // namespace

Declarations::Source::Source(std::string text) : text_(std::move(text)) {
  begins_.push_back(0);
  for (usize i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') begins_.push_back(i + 1);
  }
  begins_.push_back(text_.size());
}

std::string_view Declarations::Source::line(u32 number) const {
  return std::string_view(text_).substr(begins_[number - 1], begins_[number] - begins_[number - 1]);
}

u32 Declarations::Source::find(std::string_view name, u32 line_of_code) const {
  if (name.empty() || line_of_code == 0 || line_of_code >= begins_.size()) return 0;
  for (u32 i = 0; i < kMostLines && i < line_of_code; ++i) {
    const u32 number = line_of_code - i;
    if (names(line(number), name)) return number;
    // The previous function ends on this line, so there is no declaration above.
    if (i != 0 && line(number).starts_with('}')) return 0;
  }
  return 0;
}

u32 Declarations::Source::guess(u32 line_of_code) const {
  if (line_of_code == 0 || line_of_code >= begins_.size()) return 0;
  for (u32 i = 0; i < kMostLines && i < line_of_code; ++i) {
    const std::string_view text = line(line_of_code - i);
    if (i != 0 && text.starts_with('}')) return 0;
    if (!text.empty() && is_of_name(text.front()) && text.contains('(')) return line_of_code - i;
  }
  return 0;
}

u32 Declarations::line_of(const symbols::SymbolizedFrame& frame) {
  return frame.is_first_line ? found(frame).line : frame.declared_line;
}

const Declarations::Found& Declarations::found(const symbols::SymbolizedFrame& frame) {
  const auto [known, is_new] = found_.try_emplace({frame.file, frame.function, frame.declared_line});
  if (!is_new) return known->second;
  const std::string file(frame.file);
  auto source = sources_.find(file);
  if (source == sources_.end())
    source = sources_.emplace(file, Source(modules::read_source(file, folders_).text)).first;
  const u32 line = source->second.find(last_part(symbols::undecorated(frame.function)), frame.declared_line);
  const u32 likely = line != 0 ? line : source->second.guess(frame.declared_line);
  known->second = {.line = likely != 0 ? likely : frame.declared_line, .is_guess = line == 0};
  return known->second;
}

}  // namespace wperf::pgo
