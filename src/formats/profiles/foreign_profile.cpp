// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/foreign_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/profiles/fleet_profile.h"
#include "ground/text/json_reader.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {
namespace {

// Firefox Profiler has its version in meta. The other formats name their schema, or have a unique member.
Format json_format(Bytes file) {
  text::JsonReader json(file);
  if (json.kind() == text::JsonReader::Kind::array) return Format::other_json;
  if (json.kind() != text::JsonReader::Kind::object) return Format::none;
  Format format = Format::other_json;
  bool has_frames = false, has_profiles = false;
  // Members that identify the format may be at the end of a long file; the search ends as soon as the format is clear.
  json.for_each_member([&](std::string_view key) {
    if (key == "$schema") {
      if (json.string().find("speedscope") != std::string_view::npos) format = Format::speedscope;
    } else if (key == "meta") {
      json.for_each_member([&](std::string_view about) {
        if (about == "preprocessedProfileVersion") format = Format::firefox;
      });
    } else if (key == "shared") {
      json.for_each_member([&](std::string_view table) { has_frames = has_frames || table == "frames"; });
    } else if (key == "profiles") {
      has_profiles = true;
    } else if (key == "traceEvents") {
      format = Format::chrome;
    }
    if (has_frames && has_profiles) format = Format::speedscope;
    if (format != Format::other_json) json.stop();
  });
  return format;
}

// A file that contains only packets is Perfetto's; a pprof file has strings, and its first string is empty.
struct ProtobufShape {
  bool has_strings = false, only_packets = true, is_none = false;
  bool may_go_on = false;  // the end of the file may be missing, but there is no other fault
  u64 fields = 0;
};
ProtobufShape look_at_fields(Bytes file) {
  constexpr u32 kLastOfPprof = 15, kStrings = 6;
  ProtobufShape look;
  text::ProtobufReader in(file);
  while (!look.is_none && in.next()) {
    ++look.fields;
    look.only_packets = look.only_packets && in.field() == 1 && in.is_bytes();
    const bool is_first_string = in.field() == kStrings && !look.has_strings;
    look.is_none = in.field() > kLastOfPprof || (is_first_string && (!in.is_bytes() || !in.bytes().empty()));
    look.has_strings = look.has_strings || is_first_string;
  }
  look.may_go_on = !look.is_none && (in.sound() || in.is_cut());
  return look;
}

Format protobuf_format(Bytes file) {
  const ProtobufShape look = look_at_fields(file);
  if (look.is_none) return Format::none;
  if (look.has_strings) return Format::pprof;
  if (!look.only_packets || look.fields == 0) return Format::none;
  // Packets must have fields, too.
  text::ProtobufReader packets(file);
  static_cast<void>(packets.next());
  text::ProtobufReader first(packets.bytes());
  while (first.next()) {
  }
  return first.sound() ? Format::perfetto : Format::none;
}

// The first lines decide: text, a semicolon somewhere, and a number after the last blank.
bool looks_folded(std::string_view file) {
  constexpr usize kEnough = 64 << 10, kMostLines = 50;
  const bool is_whole = file.size() <= kEnough;
  std::string_view rest = file.substr(0, kEnough);
  usize good = 0, seen = 0;
  bool has_frames = false;
  while (!rest.empty() && seen < kMostLines) {
    const usize end = rest.find('\n');
    if (end == std::string_view::npos && !is_whole) break;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    ++seen;
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<u8>(c) < ' ' && c != '\t'; }))
      return false;
    const usize blank = line.find_last_of(" \t");
    has_frames = has_frames || line.find(';') != std::string_view::npos;
    good += blank != std::string_view::npos && blank != 0 && blank + 1 < line.size() &&
            line.find_first_not_of("0123456789", blank + 1) == std::string_view::npos;
  }
  return has_frames && good * 2 > seen;
}

}  // namespace

Format format_of(Bytes file) {
  const std::string_view text = text::text_of(file);
  const usize first = text.substr(0, 4096).find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (first == std::string_view::npos) return Format::none;
  if (text[first] == '{' || text[first] == '[') {
    const Format format = json_format(file);
    if (format != Format::other_json || !looks_folded(text)) return format;
  }
  if (const Format format = protobuf_format(file); format != Format::none) return format;
  return looks_folded(text) ? Format::folded : Format::none;
}

bool may_begin_profile(Bytes beginning) {
  return format_of(beginning) != Format::none || look_at_fields(beginning).may_go_on;
}

std::string_view format_name(Format format) {
  switch (format) {
    case Format::none:
      return "unknown";
    case Format::pprof:
      return "pprof";
    case Format::folded:
      return "folded stacks";
    case Format::speedscope:
      return "speedscope";
    case Format::firefox:
      return "Firefox Profiler";
    case Format::perfetto:
      return "Perfetto";
    case Format::chrome:
      return "Chrome trace";
    case Format::other_json:
      return "JSON";
    case Format::fleet:
      return "profiles of a fleet";
  }
  return {};
}

diag::Error damaged_profile(std::string text) {
  return {.text = std::move(text), .hint = {}, .code = diag::ExitCode::damaged_input};
}

ForeignProfile finish_profile(ProfileBuilder& builder, std::vector<std::string> warnings) {
  builder.finish();
  if (builder.too_large() != 0) {
    warnings.push_back(
        fmt::format("{} samples are left out because their counts do not fit into 64 bits", builder.too_large()));
  }
  const bool has_times = builder.has_times();
  return {.profile = builder.take(),
          .moments = builder.take_moments(),
          .warnings = std::move(warnings),
          .has_times = has_times};
}

diag::Result<ForeignProfile> read_foreign_profile(Bytes file, Format format, const ProfileReadOptions& options,
                                                  const ProgressCallback& passed) {
  switch (format) {
    case Format::pprof:
      return read_pprof(file, options, passed);
    case Format::folded:
      return read_folded(file, options, passed);
    case Format::speedscope:
      return read_speedscope(file, options, passed);
    case Format::firefox:
      return read_firefox(file, options, passed);
    case Format::perfetto:
      return read_perfetto(file, options, passed);
    case Format::fleet: {
      WPERF_TRY(FleetProfile read, read_fleet(file, options, passed));
      return std::move(read.whole);
    }
    case Format::chrome:
    case Format::other_json:
    case Format::none:
      break;
  }
  return damaged_profile("not a profile that wperf can read");
}

}  // namespace wperf::profiles
