// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/firefox_tables.h"

#include <algorithm>

namespace wperf::profiles {
namespace {

constexpr u64 kNoAddress = ~u64{0};
constexpr double kGreatestAddress = 9e15;  // the greatest that a double holds exactly

u32 at(const std::vector<u32>& column, u32 index) {
  return index < column.size() ? column[index] : kNothing;
}

std::string_view text_at(const std::vector<std::string>& texts, u32 index) {
  return index < texts.size() ? std::string_view(texts[index]) : std::string_view();
}

void read_addresses(text::JsonReader& json, std::vector<u64>& out) {
  json.for_each([&] {
    const double number = json.number(-1);
    out.push_back(number >= 0 && number < kGreatestAddress ? static_cast<u64>(number) : kNoAddress);
  });
}

void read_strings(text::JsonReader& json, std::vector<std::string>& out) {
  json.for_each([&] { out.emplace_back(json.string()); });
}

// Where no names are known, profilers give an address for one.
bool is_address(std::string_view name) {
  return name.starts_with("0x") && name.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

}  // namespace

void read_firefox_indices(text::JsonReader& json, std::vector<u32>& out) {
  json.for_each([&] {
    const double number = json.number(-1);
    out.push_back(number >= 0 && number < static_cast<double>(kNothing) ? static_cast<u32>(number) : kNothing);
  });
}

void read_firefox_libraries(text::JsonReader& json, std::vector<std::string>& out) {
  json.for_each([&] {
    std::string name, path;
    json.for_each_member([&](std::string_view key) {
      if (key == "name") name = json.string();
      if (key == "path") path = json.string();
    });
    out.push_back(path.empty() ? name : path);
  });
}

void FirefoxTables::read(text::JsonReader& json, std::string_view name) {
  if (name == "stringArray" || name == "stringTable") return read_strings(json, strings);
  struct Column {
    std::string_view table, name;
    std::vector<u32>* values;
  };
  const Column columns[] = {
      {"stackTable", "frame", &stack_frame},         {"stackTable", "prefix", &stack_prefix},
      {"stackTable", "prefixOffset", &stack_prefix}, {"frameTable", "func", &frame_function},
      {"frameTable", "line", &frame_line},           {"frameTable", "lib", &frame_library},
      {"funcTable", "name", &function_name},         {"funcTable", "resource", &function_resource},
      {"funcTable", "fileName", &function_file},     {"funcTable", "source", &function_source},
      {"resourceTable", "lib", &resource_library},   {"resourceTable", "name", &resource_name},
      {"sources", "filename", &source_file},
  };
  bool is_known = false;
  for (const Column& column : columns) is_known = is_known || column.table == name;
  if (!is_known) return;
  json.for_each_member([&](std::string_view key) {
    if (name == "frameTable" && key == "address") return read_addresses(json, frame_address);
    if (name == "stackTable" && key == "prefixOffset") has_offsets = true;
    for (const Column& column : columns) {
      if (column.table != name || column.name != key) continue;
      column.values->clear();
      return read_firefox_indices(json, *column.values);
    }
  });
}

u32 FirefoxTables::place_of(ProfileBuilder& builder, u32 frame, const std::vector<std::string>& libraries,
                            const std::vector<std::string>& texts) const {
  const u32 function = frame_function[frame];
  const u32 resource = at(function_resource, function);
  u32 library = at(frame_library, frame);
  if (library == kNothing) library = at(resource_library, resource);
  // Code of a page or an add-on, which is in no library, gets its name.
  const std::string_view path =
      library < libraries.size() ? text_at(libraries, library) : text_at(texts, at(resource_name, resource));
  const u32 module = builder.module(path);
  std::string_view name = text_at(texts, at(function_name, function));
  const u64 address = frame < frame_address.size() ? frame_address[frame] : kNoAddress;
  if (is_address(name) && address != kNoAddress) name = {};
  const u32 source = at(function_source, function);
  const u32 file = source != kNothing ? at(source_file, source) : at(function_file, function);
  const u32 line = at(frame_line, frame);
  return builder.place(builder.function(name, module, address == kNoAddress ? 0 : address), text_at(texts, file),
                       line == kNothing ? 0 : line);
}

std::vector<u32> FirefoxTables::make_nodes(ProfileBuilder& builder, const std::vector<std::string>& libraries,
                                           const std::vector<std::string>& others) const {
  const std::vector<std::string>& texts = strings.empty() ? others : strings;
  std::vector<u32> places(frame_function.size(), kNothing);
  std::vector<u32> nodes(stack_frame.size(), kNothing);
  for (u32 stack = 0; stack < nodes.size(); ++stack) {
    const u32 frame = stack_frame[stack];
    const u32 told = at(stack_prefix, stack);
    if (frame >= places.size()) continue;
    u32 parent = ProfileBuilder::kRoot;
    const bool is_root = has_offsets ? told == 0 : told == kNothing;
    if (!is_root) {
      const u32 prefix = has_offsets ? stack - std::min(told, stack + 1) : told;
      if (prefix >= stack || nodes[prefix] == kNothing) continue;  // callers come before their callees
      parent = nodes[prefix];
    }
    if (places[frame] == kNothing) places[frame] = place_of(builder, frame, libraries, texts);
    nodes[stack] = builder.node(parent, places[frame]);
  }
  return nodes;
}

}  // namespace wperf::profiles
