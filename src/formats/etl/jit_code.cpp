// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/jit_code.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "formats/etl/self_describing.h"
#include "formats/etl/trace_text.h"

namespace wperf::etl {
namespace {

using bytes::Reader;

constexpr Guid kDotNet = guid(0xe13c0d23, 0xccbc, 0x4e12, {0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4});
constexpr Guid kDotNetRundown = guid(0xa669021c, 0xc450, 0x4609, {0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf, 0x18});
constexpr Guid kPython = guid(0x99a10640, 0x320d, 0x4b37, {0x9e, 0x26, 0xc3, 0x11, 0xd8, 0x6d, 0xa7, 0xab});
constexpr Guid kJavaScript = guid(0x57277741, 0x3638, 0x4a4b, {0xbd, 0xba, 0x0a, 0xc6, 0xe4, 0x5d, 0xa5, 0x6c});

std::optional<JitCodeEvent> method_of_dot_net(const Event& event) {
  constexpr u16 kLoad = 143, kStartRundown = 143, kEndRundown = 144;
  const bool rundown = event.provider == kDotNetRundown;
  if (event.id != kLoad && !(rundown && (event.id == kStartRundown || event.id == kEndRundown))) return std::nullopt;
  Reader in(event.payload);
  in.skip(16);  // the ids of method and module
  JitCodeEvent out{.was_there = rundown, .begin = in.take<u64>(), .size = in.take<u32>(), .name = {}};
  in.skip(4);
  const u32 flags = in.take<u32>();
  // Code of a native image is ignored, because its module has the names. (Documentation of these events says 4;
  // runtimes set 8, and use 4 for shared generic code.)
  constexpr u32 kDynamic = 1, kJitted = 8;
  if (!in.sound() || (flags & (kDynamic | kJitted)) == 0) return std::nullopt;
  Bytes texts = in.rest();
  out.name = take_wide_text(texts);
  const std::string method = take_wide_text(texts);
  if (!out.name.empty() && !method.empty()) out.name += '.';
  out.name += method;
  return out;
}

std::optional<JitCodeEvent> function_of_java_script(const Event& event) {
  constexpr u16 kStartRundown = 5, kEndRundown = 6, kLoad = 9;
  if (event.id != kStartRundown && event.id != kEndRundown && event.id != kLoad) return std::nullopt;
  Reader in(event.payload);
  const auto pointer = [&] { return event.pointer_size == 4 ? in.take<u32>() : in.take<u64>(); };
  static_cast<void>(pointer());  // the script's context
  JitCodeEvent out{.was_there = event.id != kLoad, .name = {}};
  out.begin = pointer();
  out.size = in.take<u64>();
  in.skip(16);  // id, flags, number of the range, source
  const u32 line = in.take<u32>();
  in.skip(4);
  if (!in.sound()) return std::nullopt;
  Bytes texts = in.rest();
  out.name = take_wide_text(texts);
  if (line != 0) out.name += ':' + std::to_string(line);
  return out;
}

// Parses decimal digits, or hexadecimal digits after 0x.
std::optional<u64> number_in(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  u64 number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// The tracer generates a small piece of machine code for each function. Its events describe themselves.
std::optional<JitCodeEvent> function_of_python(const Event& event) {
  const auto names = event_names(event);
  if (!names.has_value() || names->event != "PythonFunction") return std::nullopt;
  DescribedFields described = described_fields(*names, event);
  const auto field = [&](std::string_view name) {
    const auto found = std::ranges::find(described.fields, name, &DescribedField::name);
    return found != described.fields.end() ? std::move(found->value) : std::string();
  };
  const auto begin = number_in(field("BeginAddress")), end = number_in(field("EndAddress"));
  if (!begin.has_value() || !end.has_value() || *end <= *begin) return std::nullopt;
  return JitCodeEvent{.begin = *begin, .size = *end - *begin, .name = field("Name"), .file = field("SourceFile")};
}

}  // namespace

std::optional<JitCodeEvent> jit_code_event(const Event& event) {
  if (event.form != EventForm::manifest) return std::nullopt;
  if (event.provider == kDotNet || event.provider == kDotNetRundown) return method_of_dot_net(event);
  if (event.provider == kJavaScript) return function_of_java_script(event);
  if (event.provider == kPython) return function_of_python(event);
  return std::nullopt;
}

}  // namespace wperf::etl
