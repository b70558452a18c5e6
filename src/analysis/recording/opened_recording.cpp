// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/opened_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/recording/packed_records.h"
#include "analysis/recording/trace_sources.h"
#include "analysis/recording/unpacked_file.h"
#include "formats/perf_data/byte_order.h"
#include "ground/packing/gzip_file.h"
#include "ground/text/utf16.h"

namespace wperf::recording {
namespace {

diag::Error with_way_out(diag::Error error) {
  if (error.system_error == ENOENT) error.hint = "make a recording with `wperf record -o perf.data -- PROGRAM`";
  if (error.system_error == EACCES)
    error.hint = "only the owner of a recording may read it by default; the owner can allow others with chmod";
  return error;
}

// Reports parts of the file that are missing or malformed.
void tell_damage(const perf_data::PerfFile& file, diag::Console& console) {
  if (file.is_cut()) console.warn("warning: the file is truncated; wperf shows the part that is there");
  if (file.is_unfinished()) console.warn("warning: the recording was not finished; wperf shows the part that is there");
}

void tell_shrunk(const request::Request& request, diag::Console& console) {
  console.warn("warning: " + *request.data_file + " became shorter while wperf read it; wperf shows the rest");
}

diag::Result<recording::RecordingInput> open_input(const std::string& path) {
  auto input = recording::RecordingInput::open(path);
  if (!input.has_value()) return with_way_out(std::move(input).error());
  return input;
}

diag::Result<void> use_trace(recording::RecordingInput first, const request::Request& request, diag::Console& console,
                             const RecordingUses& uses) {
  recording::TraceSources sources;
  WPERF_CHECK_OK(sources.add(std::move(first), *request.data_file));
  for (const std::string& path : request.further_files) {
    WPERF_TRY(recording::RecordingInput further, open_input(path));
    WPERF_CHECK_OK(sources.add(std::move(further), path));
  }
  for (const std::string& warning : sources.warnings()) console.warn("warning: " + warning);
  const u64 size = std::max<u64>(sources.size(), 1);
  u64 passed = 0;
  WPERF_TRY(const etl::Trace trace, sources.open([&](u64 bytes) {
    passed += bytes;
    if (console.progress_due()) {
      console.progress(fmt::format("reading {}: {} %", *request.data_file, 100 * std::min(passed, size) / size));
    }
  }));
  diag::Result<void> used = uses.of_trace(trace);
  if (sources.has_shrunk()) tell_shrunk(request, console);
  return used;
}

// Files of perf begin with its name; all others may be a profile.
bool is_of_perf(bytes::Span bytes) {
  const bytes::Span head = bytes::slice(bytes, 0, 8);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with("PERF") || text == "2ELIFREP";
}

constexpr const char* kWhatIsRead =
    "wperf reads perf.data, .etl, pprof, Firefox Profiler, speedscope, Perfetto and folded stacks";

// The error for a file of an unknown format.
diag::Error not_known(const std::string& file, bytes::Span bytes) {
  if (const u64 line = profiles::first_line_without_count(bytes); line != 0) {
    return {.text = fmt::format("{} is not a file of folded stacks: line {} does not end with a count", file, line),
            .hint = "each line must be OUTERMOST;...;INNERMOST COUNT",
            .code = diag::ExitCode::damaged_input};
  }
  return {.text = file + " is neither a recording nor a known profile format",
          .hint = kWhatIsRead,
          .code = diag::ExitCode::damaged_input};
}

// Whether it is the output of `record --json` or `report --json`.
bool is_own_report(bytes::Span bytes) {
  const bytes::Span head = bytes::slice(bytes, 0, 64);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with(R"({"recording":{)") || text.starts_with(R"({"sampling":{)");
}

diag::Error not_read(const std::string& file, profiles::Format format) {
  return {.text = fmt::format(
              "report cannot read {}: it is {}", file,
              format == profiles::Format::chrome ? "a trace in Chrome's format" : "JSON of an unknown kind"),
          .hint = kWhatIsRead,
          .code = diag::ExitCode::damaged_input};
}

diag::Result<void> use_profile(const OpenedProfile& profile, const request::Request& request,
                               const RecordingUses& uses) {
  if (profile.format == profiles::Format::other_json) {
    const auto counts = profiles::read_stat_counts(profile.bytes);
    if (counts.has_value() && uses.of_counts) return uses.of_counts(*counts);
    if (counts.has_value()) {
      return diag::Error{.text = *request.data_file + " contains counts of `wperf stat --json`, not a recording",
                         .hint = "compare such files with wperf diff BEFORE AFTER",
                         .code = diag::ExitCode::usage};
    }
  }
  if (profile.format == profiles::Format::other_json && is_own_report(profile.bytes)) {
    return diag::Error{
        .text = *request.data_file + " is a report that wperf wrote as JSON, not a recording",
        .hint = "keep the recording with `wperf record -o NAME.data`; `wperf report` then shows it in any view",
        .code = diag::ExitCode::usage};
  }
  if (profile.format == profiles::Format::chrome || profile.format == profiles::Format::other_json)
    return not_read(*request.data_file, profile.format);
  if (uses.of_profile) return uses.of_profile(profile);
  return diag::Error{
      .text = fmt::format("{} is a profile ({}): it has samples but not the context switches needed here",
                          *request.data_file, profiles::format_name(profile.format)),
      .hint = "show it with wperf report",
      .code = diag::ExitCode::usage};
}

// For a file of `size` bytes that is read from its beginning to its end, perhaps more than once.
profiles::TellPassed tell_passed(std::function<void(u64 begin, u64 end)> release, u64 size,
                                 const request::Request& request, diag::Console& console) {
  return [release = std::move(release), size, &request, &console, before = u64{0}](u64 end) mutable {
    if (end < before) before = 0;
    release(before, end);
    before = end;
    if (console.progress_due())
      console.progress(fmt::format("reading {}: {} %", *request.data_file, 100 * end / std::max<u64>(size, 1)));
  };
}

struct UnpackedProfile {
  recording::UnpackedFile file;
  packing::Unpacked outcome;
};

// Stops unpacking if the beginning is not that of any known profile.
diag::Result<UnpackedProfile> unpack_profile(const recording::RecordingInput& input) {
  constexpr usize kEnough = 64 << 10;
  packing::Unpacked outcome{};
  bool is_first = true;
  WPERF_TRY(recording::UnpackedFile file, recording::UnpackedFile::create([&](const packing::TakePiece& take) {
              outcome = packing::unpack_gzip(
                  input.bytes(), packing::most_of_packed(input.bytes().size()), [&](bytes::Span piece) {
                    const bool is_hopeless = is_first && piece.size() >= kEnough && !profiles::may_begin_profile(piece);
                    is_first = false;
                    return take(is_hopeless ? piece.first(kEnough) : piece) && !is_hopeless;
                  });
            }));
  return UnpackedProfile{.file = std::move(file), .outcome = outcome};
}

diag::Result<void> use_packed(const recording::RecordingInput& input, const request::Request& request,
                              diag::Console& console, const RecordingUses& uses) {
  WPERF_TRY(const UnpackedProfile packed, unpack_profile(input));
  const recording::UnpackedFile& unpacked = packed.file;
  const packing::Unpacked outcome = packed.outcome;
  if (outcome == packing::Unpacked::too_large) {
    return diag::Error{.text = fmt::format("{} would be more than {} MB unpacked, which is implausible for its size",
                                           *request.data_file, packing::most_of_packed(input.bytes().size()) >> 20),
                       .hint = "if it really is a profile, unpack it with gunzip and report the unpacked file",
                       .code = diag::ExitCode::damaged_input};
  }
  const profiles::Format format = profiles::format_of(unpacked.bytes());
  if (format == profiles::Format::none && outcome == packing::Unpacked::damaged) {
    return diag::Error{
        .text = *request.data_file + " is compressed with gzip, and is truncated or damaged: nothing in it can be read",
        .hint = {},
        .code = diag::ExitCode::damaged_input};
  }
  if (format == profiles::Format::none) {
    return is_of_perf(unpacked.bytes())
               ? diag::Error{.text = *request.data_file + " is a perf.data file compressed with gzip",
                             .hint = "unpack it: gunzip FILE",
                             .code = diag::ExitCode::damaged_input}
               : not_known(*request.data_file, unpacked.bytes());
  }
  if (outcome == packing::Unpacked::damaged)
    console.warn("warning: the file is truncated or damaged; wperf shows the part that could be unpacked");
  if (outcome == packing::Unpacked::not_sound)
    console.warn("warning: the checksum of the file does not match; it is damaged");
  const auto release = [&unpacked](u64 begin, u64 end) { unpacked.release(begin, end); };
  WPERF_CHECK_OK(use_profile({.format = format,
                              .bytes = unpacked.bytes(),
                              .passed = tell_passed(release, unpacked.bytes().size(), request, console)},
                             request, uses));
  return {};
}

// Returns false if it is not a profile of another program.
diag::Result<bool> use_foreign(const recording::RecordingInput& input, const request::Request& request,
                               diag::Console& console, const RecordingUses& uses) {
  if (is_of_perf(input.bytes())) return false;
  if (packing::has_gzip_look(input.bytes())) {
    WPERF_CHECK_OK(use_packed(input, request, console, uses));
    return true;
  }
  // `>` of Windows PowerShell writes it.
  const std::optional<std::string> utf8 = text::utf8_of_utf16(input.bytes());
  const bytes::Span text = utf8.has_value() ? std::as_bytes(std::span(*utf8)) : input.bytes();
  const profiles::Format format = profiles::format_of(text);
  if (format == profiles::Format::none) return not_known(*request.data_file, text);
  const auto release = [&](u64 begin, u64 end) {
    if (!utf8.has_value()) input.release(begin, end);
  };
  WPERF_CHECK_OK(use_profile(
      {.format = format, .bytes = text, .passed = tell_passed(release, text.size(), request, console)}, request, uses));
  return true;
}

diag::Result<void> use_perf(const recording::RecordingInput& input, const request::Request& request,
                            diag::Console& console, const RecordingUses& uses) {
  std::vector<std::byte> turned;
  if (perf_data::is_of_other_byte_order(input.bytes())) turned = perf_data::in_native_order(input.bytes());
  auto opened = perf_data::PerfFile::open(turned.empty() ? input.bytes() : bytes::Span(turned));
  if (!opened.has_value()) return in_file(*request.data_file, std::move(opened).error());
  perf_data::PerfFile& file = opened.value();
  recording::UnpackedRecords unpacked;
  if (recording::has_packed_records(file) || !input.further_records().empty()) {
    auto done = recording::join_records(file, input,
                                        turned.empty() ? recording::PackedOrder::native : recording::PackedOrder::other,
                                        [&](u64 passed, u64 all) {
                                          if (console.progress_due())
                                            console.progress(fmt::format("unpacking {}: {} %", *request.data_file,
                                                                         100 * passed / std::max(all, passed)));
                                        });
    if (!done.has_value()) return in_file(*request.data_file, std::move(done).error());
    unpacked = std::move(done).value();
    if (unpacked.lost_bytes != 0) {
      console.warn(fmt::format(
          "warning: {} bytes of compressed records cannot be unpacked, because they or earlier records are damaged",
          unpacked.lost_bytes));
    }
    file.replace_records(unpacked.bytes, unpacked.damage);
  } else {
    const u64 size = std::max<u64>(input.bytes().size(), 1);
    file.tell_what_is_passed(
        [&](u64 begin, u64 end) { input.release(begin, end); },
        [&, size](u64 end) {
          if (!console.progress_due()) return;
          console.progress(fmt::format("reading {}: {} %", *request.data_file, 100 * std::min(end, size) / size));
        });
  }
  tell_damage(file, console);
  return uses.of_perf(file);
}

diag::Result<void> use_file(const recording::RecordingInput& input, const request::Request& request,
                            diag::Console& console, const RecordingUses& uses) {
  WPERF_TRY(const bool is_foreign, use_foreign(input, request, console, uses));
  return is_foreign ? diag::Result<void>() : use_perf(input, request, console, uses);
}

}  // namespace

diag::Error in_file(const std::string& file, diag::Error error) {
  error.text = file + ": " + error.text;
  return error;
}

diag::Result<void> use_recording(const request::Request& request, diag::Console& console, const RecordingUses& uses) {
  WPERF_TRY(recording::RecordingInput input, open_input(*request.data_file));
  if (recording::TraceSources::has_its_look(input.bytes()) || !request.further_files.empty()) {
    return use_trace(std::move(input), request, console, uses);
  }
  diag::Result<void> used = use_file(input, request, console, uses);
  if (input.has_shrunk()) tell_shrunk(request, console);
  return used;
}

}  // namespace wperf::recording
