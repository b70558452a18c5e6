// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/tracepoint_formats.h"

#include <charconv>

namespace wperf::perf_data {
namespace {

constexpr std::string_view kMagic("\x17\x08\x44tracing", 10);

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view take_text(Reader& reader) {
  Bytes rest = reader.rest();
  const std::string_view text = text_in(rest);
  if (text.size() == rest.size()) {
    reader.fail();
    return {};
  }
  reader = Reader(rest.subspan(text.size() + 1));
  return text;
}

Bytes take_sized(Reader& reader) {
  const u64 size = reader.word();
  return reader.bytes(size);
}

// The number after `key` in `text`.
u64 number_behind(std::string_view text, std::string_view key) {
  const usize at = text.find(key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + key.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  u64 number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view line_at(std::string_view& text) {
  const usize end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;"
TracepointField field_of(std::string_view line) {
  std::string_view declaration = line.substr(line.find(':') + 1);
  declaration = declaration.substr(0, declaration.find(';'));
  if (const usize array = declaration.find('['); array != std::string_view::npos) {
    declaration = declaration.substr(0, array);
  }
  TracepointField field;
  field.name = declaration.substr(declaration.find_last_of(" *") + 1);
  field.offset = static_cast<u32>(number_behind(line, "offset:"));
  field.size = static_cast<u32>(number_behind(line, "size:"));
  return field;
}

TracepointFormat format_of(std::string_view system, std::string_view text) {
  TracepointFormat format{.system = system, .name = {}, .fields = {}};
  while (!text.empty()) {
    const std::string_view line = line_at(text);
    constexpr std::string_view kName = "name: ";
    if (line.starts_with(kName)) format.name = line.substr(kName.size());
    if (line.starts_with("ID:")) format.id = number_behind(line, "ID:");
    if (line.starts_with("\tfield")) format.fields.push_back(field_of(line));
  }
  return format;
}

}  // namespace

u64 TracepointField::value(Bytes raw) const {
  u64 value = 0;
  const Bytes bytes = slice(raw, offset, size);
  if (bytes.size() == size && size <= sizeof value && size != 0) std::memcpy(&value, bytes.data(), size);
  return value;
}

TracepointField TracepointFormat::field(std::string_view wanted) const {
  for (const TracepointField& one : fields) {
    if (one.name == wanted) return one;
  }
  return {};
}

std::vector<TracepointFormat> read_tracepoint_formats(Bytes section, std::string_view system) {
  std::vector<TracepointFormat> formats;
  Reader reader(section);
  if (text_of(reader.bytes(kMagic.size())) != kMagic) return formats;
  take_text(reader);                           // version
  if (reader.take<u8>() != 0) return formats;  // the section has the other byte order
  reader.skip(1 + sizeof(u32));                // size of a long, size of a page
  for (u32 i = 0; i < 2; ++i) {                // header_page, header_event
    take_text(reader);
    take_sized(reader);
  }
  const u32 of_ftrace = reader.take<u32>();
  for (u32 i = 0; i < of_ftrace && reader.sound(); ++i) take_sized(reader);
  const u32 systems = reader.take<u32>();
  for (u32 i = 0; i < systems && reader.sound(); ++i) {
    const std::string_view name = take_text(reader);
    const u32 count = reader.take<u32>();
    for (u32 k = 0; k < count && reader.sound(); ++k) {
      const std::string_view text = text_of(take_sized(reader));
      if (reader.sound() && (system.empty() || system == name)) formats.push_back(format_of(name, text));
    }
  }
  return formats;
}

}  // namespace wperf::perf_data
