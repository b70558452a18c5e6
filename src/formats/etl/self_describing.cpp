// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/self_describing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "formats/etl/known_providers.h"
#include "formats/etl/trace_text.h"
#include "ground/bytes/hexadecimal.h"

namespace wperf::etl {
namespace {

using bytes::Reader;

constexpr Guid kDescriptions = guid(0xbbccf6c1, 0x6cd1, 0x48c4, {0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71});
constexpr u16 kSchemaItem = 11, kTraitsItem = 12;
constexpr usize kMostFields = 512;
constexpr u32 kMostSteps = 1 << 14;
constexpr u32 kDeepest = 8;

enum InType : u8 {
  nothing = 0,
  wide_text = 1,
  narrow_text = 2,
  int8 = 3,
  uint8 = 4,
  int16 = 5,
  uint16 = 6,
  int32 = 7,
  uint32 = 8,
  int64 = 9,
  uint64 = 10,
  float32 = 11,
  float64 = 12,
  bool32 = 13,
  binary = 14,
  guid_type = 15,
  file_time = 17,
  system_time = 18,
  sid = 19,
  hex32 = 20,
  hex64 = 21,
  counted_wide_text = 22,
  counted_narrow_text = 23,
  structure = 24,
  counted_binary = 25,
};

// Takes the text up to its zero, which must exist.
std::string_view take_name(Bytes& bytes) {
  const std::string_view text = bytes::text_in(bytes);
  bytes = bytes.subspan(std::min(bytes.size(), text.size() + 1));
  return text;
}

// The description of one field.
struct Description {
  std::string_view name;
  u8 type = 0, shown_as = 0;
  enum class Count : u8 { one, fixed, counted } count = Count::one;
  u16 fixed_count = 0;
};

// Returns false if there is no description, or if its kind is undocumented.
bool take_description(Bytes& bytes, Description& out) {
  constexpr u8 kTypeMask = 0x1f, kCountMask = 0x60, kFixed = 0x20, kCounted = 0x40, kMore = 0x80;
  if (bytes.empty()) return false;
  out = {.name = take_name(bytes)};
  Reader in(bytes);
  const u8 type = in.take<u8>();
  out.type = type & kTypeMask;
  if ((type & kMore) != 0) {
    u8 shown = in.take<u8>();
    out.shown_as = shown & 0x7f;
    while ((shown & kMore) != 0 && in.sound()) shown = in.take<u8>();  // tags
  }
  if ((type & kCountMask) == kFixed) {
    out.count = Description::Count::fixed;
    out.fixed_count = in.take<u16>();
  } else if ((type & kCountMask) == kCounted) {
    out.count = Description::Count::counted;
  } else if ((type & kCountMask) != 0) {
    return false;
  }
  if (!in.sound()) return false;
  bytes = in.rest();
  return true;
}

class FieldReader {
 public:
  explicit FieldReader(Bytes payload) : in_(payload) {}

  // Reads all fields in `description`, or the first `most` of them.
  bool read(Bytes& description, u32 most, const std::string& outer, u32 depth) {
    Description field;
    for (u32 i = 0; i < most && !description.empty(); ++i) {
      if (++steps_ > kMostSteps || !take_description(description, field)) return false;
      if (!read_field(field, description, outer + std::string(field.name), depth)) return false;
    }
    return true;
  }

  std::vector<DescribedField> fields;

 private:
  bool read_field(const Description& field, Bytes& description, const std::string& name, u32 depth) {
    if (field.count == Description::Count::one) return read_one(field, description, name, depth);
    const u32 count = field.count == Description::Count::fixed ? field.fixed_count : in_.take<u16>();
    if (!in_.sound()) return false;
    // All elements of an array of structures use the same descriptions; if the array is empty, the descriptions must be
    // skipped.
    Bytes after = description;
    if (field.type == structure && count == 0) return skip_descriptions(description, field.shown_as, depth);
    for (u32 i = 0; i < count; ++i) {
      after = description;
      if (++steps_ > kMostSteps || !read_one(field, after, fmt::format("{}[{}]", name, i), depth)) return false;
    }
    description = after;
    return true;
  }

  bool skip_descriptions(Bytes& description, u32 count, u32 depth) {
    if (depth > kDeepest) return false;
    Description inner;
    for (u32 i = 0; i < count; ++i) {
      if (!take_description(description, inner)) return false;
      if (inner.type == structure && !skip_descriptions(description, inner.shown_as, depth + 1)) return false;
    }
    return true;
  }

  bool read_one(const Description& field, Bytes& description, const std::string& name, u32 depth) {
    if (depth > kDeepest || fields.size() >= kMostFields) return false;
    if (field.type == structure) {
      return field.shown_as != 0 && read(description, field.shown_as, name + ".", depth + 1);
    }
    DescribedField out{.name = name, .value = {}};
    if (!read_value(field, out) || !in_.sound()) return false;
    fields.push_back(std::move(out));
    return true;
  }

  template <class T>
  void number(DescribedField& out, u8 shown_as) {
    constexpr u8 kBoolean = 3, kHexadecimal = 4;
    const T value = in_.take<T>();
    if (shown_as == kHexadecimal) {
      out.value = fmt::format("{:#x}", static_cast<std::make_unsigned_t<T>>(value));
    } else if (shown_as == kBoolean) {
      out.value = value != 0 ? "true" : "false";
    } else {
      out.value = fmt::format("{}", +value);
      out.is_number = true;
    }
  }

  bool read_number(const Description& field, DescribedField& out) {
    constexpr u8 kHexadecimal = 4;
    switch (field.type) {
      case int8:
        return number<std::int8_t>(out, field.shown_as), true;
      case uint8:
        return number<u8>(out, field.shown_as), true;
      case int16:
        return number<std::int16_t>(out, field.shown_as), true;
      case uint16:
        return number<u16>(out, field.shown_as), true;
      case int32:
        return number<std::int32_t>(out, field.shown_as), true;
      case uint32:
        return number<u32>(out, field.shown_as), true;
      case int64:
        return number<std::int64_t>(out, field.shown_as), true;
      case uint64:
        return number<u64>(out, field.shown_as), true;
      case hex32:
        return number<u32>(out, kHexadecimal), true;
      case hex64:
        return number<u64>(out, kHexadecimal), true;
      case bool32:
        out.value = in_.take<u32>() != 0 ? "true" : "false";
        return true;
      case float32:
        out.value = fmt::format("{}", std::bit_cast<float>(in_.take<u32>()));
        return true;
      case float64:
        out.value = fmt::format("{}", std::bit_cast<double>(in_.take<u64>()));
        return true;
      default:
        return false;
    }
  }

  bool read_value(const Description& field, DescribedField& out) {
    switch (field.type) {
      case nothing:
        return true;
      case wide_text:
        return take_text(out, take_wide_text);
      case narrow_text:
        return take_text(out, take_narrow);
      case counted_wide_text: {
        Bytes text = in_.bytes(in_.take<u16>());
        out.value = take_wide_text(text);
        return true;
      }
      case counted_narrow_text: {
        Bytes text = in_.bytes(in_.take<u16>());
        out.value = take_narrow(text);
        return true;
      }
      case binary:
      case counted_binary:
        return take_hexadecimal(in_.bytes(in_.take<u16>()), out);
      case sid: {
        Reader ahead(in_);
        ahead.skip(1);
        return take_hexadecimal(in_.bytes(8 + u64{4} * ahead.take<u8>()), out);
      }
      case guid_type: {
        Guid id;
        const Bytes bytes = in_.bytes(id.bytes.size());
        if (bytes.size() == id.bytes.size()) std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
        out.value = guid_text(id);
        return true;
      }
      case file_time:
        out.value = fmt::format("{}", in_.take<u64>());
        out.is_number = true;
        return true;
      case system_time: {
        u16 parts[8] = {};  // year, month, day of the week, day, hour, minute, second, millisecond
        for (u16& part : parts) part = in_.take<u16>();
        out.value = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", parts[0], parts[1], parts[3], parts[4],
                                parts[5], parts[6], parts[7]);
        return true;
      }
      default:
        return read_number(field, out);
    }
  }

  static std::string take_narrow(Bytes& bytes) { return take_utf8_text(bytes); }

  bool take_text(DescribedField& out, std::string (*take)(Bytes&)) {
    Bytes rest = in_.rest();
    out.value = take(rest);
    in_ = Reader(rest);
    return true;
  }

  static bool take_hexadecimal(Bytes bytes, DescribedField& out) {
    out.value += bytes::hexadecimal(bytes);
    return true;
  }

  Reader in_;
  u32 steps_ = 0;  // a separate limit, because lists of empty lists produce no fields
};

// The UTF-16 text at `offset`; offset 0 means no text.
std::string text_at(Bytes bytes, u32 offset) {
  if (offset == 0 || offset >= bytes.size()) return {};
  Bytes rest = bytes.subspan(offset);
  std::string text = take_wide_text(rest);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

std::optional<EventNames> event_names(const Event& event) {
  if (event.form != EventForm::manifest || event.items.empty()) return std::nullopt;
  std::optional<EventNames> names;
  std::string_view provider;
  Bytes items = event.items;
  ExtendedItem item;
  while (take_item(items, item)) {
    if (item.data.size() < 3) continue;
    Bytes rest = item.data.subspan(2);  // the data after its size
    if (item.type == kTraitsItem) provider = take_name(rest);
    if (item.type != kSchemaItem) continue;
    constexpr auto kMore = std::byte{0x80};
    while (!rest.empty() && (rest.front() & kMore) != std::byte{0}) rest = rest.subspan(1);  // tags
    if (rest.empty()) continue;
    rest = rest.subspan(1);
    names.emplace();
    names->event = take_name(rest);
    names->fields = rest;
  }
  if (names.has_value()) names->provider = provider;
  return names;
}

DescribedFields described_fields(const EventNames& names, const Event& event) {
  FieldReader reader(event.payload);
  Bytes description = names.fields;
  const bool whole = reader.read(description, ~u32{0}, {}, 0);
  return {.fields = std::move(reader.fields), .is_cut = !whole};
}

std::optional<DescribedNames> described_names(const Event& event) {
  // TRACE_EVENT_INFO
  constexpr u8 kEventInfo = 32;
  if (event.form != EventForm::classic || event.provider != kDescriptions || event.opcode != kEventInfo) {
    return std::nullopt;
  }
  constexpr u32 kByClasses = 1;
  DescribedNames out;
  Reader in(event.payload);
  const Bytes provider = in.bytes(out.provider.bytes.size());
  const Bytes of_event = in.bytes(out.provider.bytes.size());
  out.id = in.take<u16>();
  out.version = in.take<u8>();
  in.skip(2);
  const u8 opcode = in.take<u8>();
  in.skip(10);  // task, keyword
  const u32 source = in.take<u32>(), provider_name = in.take<u32>();
  in.skip(12);
  const u32 task = in.take<u32>(), operation = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  out.is_classic = source == kByClasses;
  if (out.is_classic) out.id = opcode;
  const Bytes id = out.is_classic ? of_event : provider;
  std::copy(id.begin(), id.end(), out.provider.bytes.begin());
  out.provider_name = text_at(event.payload, provider_name);
  out.event_name = text_at(event.payload, task);
  const std::string what = text_at(event.payload, operation);
  if (!what.empty()) out.event_name += (out.event_name.empty() ? "" : "/") + what;
  return out;
}

std::string manifest_provider_name(const Event& event) {
  constexpr u16 kManifest = 0xfffe;
  if (event.form != EventForm::manifest || event.id != kManifest) return {};
  const std::string_view text(reinterpret_cast<const char*>(event.payload.data()), event.payload.size());
  const usize element = text.find("<provider ");
  if (element == std::string_view::npos) return {};
  const std::string_view attributes = text.substr(element, text.find('>', element) - element);
  constexpr std::string_view kName = " name=\"";
  const usize name = attributes.find(kName);
  if (name == std::string_view::npos) return {};
  const std::string_view value = attributes.substr(name + kName.size());
  return std::string(value.substr(0, value.find('"')));
}

}  // namespace wperf::etl
