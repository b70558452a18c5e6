// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/opened_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/recording/packed_records.h"
#include "analysis/recording/trace_sources.h"
#include "formats/perf_data/byte_order.h"
#include "ground/os/files.h"
#include "ground/packing/zip_files.h"
#include "ground/text/unicode.h"
#include "model/request/fleet_address.h"

namespace wperf::recording {

// The owners of all data to which the views point. Never moves in memory.
struct OpenedRecording::Files {
  Files(RecordingFiles opened, diag::Console& warned) : names(std::move(opened)), console(warned) {}
  diag::Result<void> open();
  void keep_profile(profiles::Format format, std::vector<std::byte> bytes);

  RecordingFiles names;
  diag::Console& console;
  std::optional<RecordingInput> input;
  TraceSources sources;
  std::vector<std::byte> turned;  // copy in this machine's byte order
  std::vector<std::byte> given;   // bytes that do not come from a file
  UnpackedRecords records;
  std::optional<UnpackedFile> unpacked;
  std::optional<std::string> utf8;
  std::variant<std::monostate, perf_data::PerfFile, etl::Trace, OpenedProfile, profiles::StatCounts> content;

 private:
  diag::Result<void> open_trace();
  diag::Result<void> open_perf();
  diag::Result<void> open_foreign();
  diag::Result<void> open_packed();
  diag::Result<void> open_profile(const OpenedProfile& profile);
  diag::Result<void> join_records(perf_data::PerfFile& file);
  profiles::ProgressCallback progress_callback(std::function<void(u64 begin, u64 end)> release, u64 size);
  void show_progress(std::string_view doing, u64 passed, u64 size);
};

namespace {

diag::Error with_way_out(diag::Error error) {
  if (error.system_error == ENOENT) error.hint = "make a recording with `wperf record -o perf.data -- PROGRAM`";
  if (error.system_error == EACCES)
    error.hint = "only the owner of a recording may read it by default; the owner can allow others with chmod";
  return error;
}

diag::Result<RecordingInput> open_input(const std::string& path) {
  if (request::is_fleet_address(path)) {
    return diag::Error{
        .text = "only `report` and `diff` read profiles from " + path,
        .hint = "a fleet's database has no recordings; make one with `wperf record -o perf.data -- PROGRAM`"};
  }
  auto input = RecordingInput::open(path);
  if (!input.has_value()) return with_way_out(std::move(input).error());
  return input;
}

// perf's files begin with its name; any other file may be a profile.
bool is_of_perf(bytes::Span bytes) {
  const bytes::Span head = bytes::slice(bytes, 0, 8);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with("PERF") || text == "2ELIFREP";
}

constexpr const char* kWhatIsRead =
    "wperf reads perf.data, .etl, pprof, Firefox Profiler, speedscope, Perfetto and folded stacks";

// The error for a file with an unknown format.
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

// Is it the output of `record --json` or `report --json`?
bool is_own_report(bytes::Span bytes) {
  const bytes::Span head = bytes::slice(bytes, 0, 64);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!text.starts_with(R"({"version":)")) return text.starts_with(R"({"sampling":{)");
  return text.contains(R"(,"recording":{)") || text.contains(R"(,"sampling":{)");
}

diag::Error not_read(const std::string& file, profiles::Format format) {
  return {.text = fmt::format(
              "report cannot read {}: it is {}", file,
              format == profiles::Format::chrome ? "a trace in Chrome's format" : "JSON of an unknown kind"),
          .hint = kWhatIsRead,
          .code = diag::ExitCode::damaged_input};
}

struct UnpackedProfile {
  UnpackedFile file;
  packing::Unpacked outcome;
};

// Stops unpacking if the beginning does not belong to a known profile format.
diag::Result<UnpackedProfile> unpack_profile(const RecordingInput& input) {
  constexpr usize kEnough = 64 << 10;
  packing::Unpacked outcome{};
  bool is_first = true;
  WPERF_TRY(UnpackedFile file, UnpackedFile::create([&](const packing::TakePiece& take) {
              outcome = packing::unpack_gzip(
                  input.bytes(), packing::most_of_packed(input.bytes().size()), [&](bytes::Span piece) {
                    const bool is_hopeless = is_first && piece.size() >= kEnough && !profiles::may_begin_profile(piece);
                    is_first = false;
                    return take(is_hopeless ? piece.first(kEnough) : piece) && !is_hopeless;
                  });
            }));
  return UnpackedProfile{.file = std::move(file), .outcome = outcome};
}

}  // namespace

diag::Error with_file_name(const std::string& file, diag::Error error) {
  error.text = file + ": " + error.text;
  return error;
}

void OpenedRecording::Files::show_progress(std::string_view doing, u64 passed, u64 size) {
  if (!console.progress_due()) return;
  console.progress(
      fmt::format("{} {}: {} %", doing, names.name, 100 * std::min(passed, size) / std::max<u64>(size, 1)));
}

diag::Result<void> OpenedRecording::Files::open() {
  WPERF_TRY(RecordingInput first, open_input(names.name));
  input.emplace(std::move(first));
  if (TraceSources::has_signature(input->bytes()) || !names.further.empty()) return open_trace();
  return is_of_perf(input->bytes()) ? open_perf() : open_foreign();
}

diag::Result<void> OpenedRecording::Files::open_trace() {
  WPERF_CHECK_OK(sources.add(*std::move(input), names.name));
  input.reset();
  for (const std::string& path : names.further) {
    WPERF_TRY(RecordingInput further, open_input(path));
    WPERF_CHECK_OK(sources.add(std::move(further), path));
  }
  for (const std::string& warning : sources.warnings()) console.warn("warning: " + warning);
  u64 passed = 0;
  WPERF_TRY(content, sources.open([this, passed](u64 bytes) mutable {
    passed += bytes;
    show_progress("reading", passed, sources.size());
  }));
  return {};
}

diag::Result<void> OpenedRecording::Files::open_perf() {
  if (perf_data::is_of_other_byte_order(input->bytes())) turned = perf_data::in_native_order(input->bytes());
  auto opened = perf_data::PerfFile::open(turned.empty() ? input->bytes() : bytes::Span(turned));
  if (!opened.has_value()) return with_file_name(names.name, std::move(opened).error());
  perf_data::PerfFile& file = content.emplace<perf_data::PerfFile>(std::move(opened).value());
  if (has_packed_records(file) || !input->further_records().empty()) {
    WPERF_CHECK_OK(join_records(file));
  } else {
    file.on_passed([this](u64 begin, u64 end) { input->release(begin, end); },
                   [this](u64 end) { show_progress("reading", end, input->bytes().size()); });
  }
  if (file.is_cut()) console.warn("warning: the file is truncated; wperf shows the part that is there");
  if (file.is_unfinished()) console.warn("warning: the recording was not finished; wperf shows the part that is there");
  return {};
}

diag::Result<void> OpenedRecording::Files::join_records(perf_data::PerfFile& file) {
  auto joined = recording::join_records(
      file, *input, turned.empty() ? PackedOrder::native : PackedOrder::other,
      [this](u64 passed, u64 all) { show_progress("unpacking", passed, std::max(all, passed)); });
  if (!joined.has_value()) return with_file_name(names.name, std::move(joined).error());
  records = std::move(joined).value();
  if (records.lost_bytes != 0) {
    console.warn(fmt::format(
        "warning: {} bytes of compressed records cannot be unpacked, because they or earlier records are damaged",
        records.lost_bytes));
  }
  file.replace_records(records.bytes, records.damage);
  return {};
}

// A callback for a file of `size` bytes that is read from beginning to end, perhaps several times.
profiles::ProgressCallback OpenedRecording::Files::progress_callback(std::function<void(u64 begin, u64 end)> release,
                                                                     u64 size) {
  return [this, release = std::move(release), size, before = u64{0}](u64 end) mutable {
    if (end < before) before = 0;
    release(before, end);
    before = end;
    show_progress("reading", end, size);
  };
}

diag::Result<void> OpenedRecording::Files::open_foreign() {
  if (packing::has_gzip_signature(input->bytes())) return open_packed();
  // Windows PowerShell's `>` writes UTF-16.
  utf8 = text::utf8_of_utf16(input->bytes());
  const bytes::Span text = utf8.has_value() ? std::as_bytes(std::span(*utf8)) : input->bytes();
  const profiles::Format format = profiles::format_of(text);
  if (format == profiles::Format::none) return not_known(names.name, text);
  const auto release = [this](u64 begin, u64 end) {
    if (!utf8.has_value()) input->release(begin, end);
  };
  return open_profile({.format = format, .bytes = text, .passed = progress_callback(release, text.size())});
}

diag::Result<void> OpenedRecording::Files::open_packed() {
  WPERF_TRY(UnpackedProfile packed, unpack_profile(*input));
  const packing::Unpacked outcome = packed.outcome;
  const bytes::Span bytes = unpacked.emplace(std::move(packed.file)).bytes();
  if (outcome == packing::Unpacked::too_large) {
    return diag::Error{.text = fmt::format("{} would be more than {} MB unpacked, which is implausible for its size",
                                           names.name, packing::most_of_packed(input->bytes().size()) >> 20),
                       .hint = "if it really is a profile, unpack it with gunzip and report the unpacked file",
                       .code = diag::ExitCode::damaged_input};
  }
  const profiles::Format format = profiles::format_of(bytes);
  if (format == profiles::Format::none && outcome == packing::Unpacked::damaged) {
    return diag::Error{
        .text = names.name + " is compressed with gzip, and is truncated or damaged: nothing in it can be read",
        .hint = {},
        .code = diag::ExitCode::damaged_input};
  }
  if (format == profiles::Format::none) {
    return is_of_perf(bytes) ? diag::Error{.text = names.name + " is a perf.data file compressed with gzip",
                                           .hint = "unpack it: gunzip FILE",
                                           .code = diag::ExitCode::damaged_input}
                             : not_known(names.name, bytes);
  }
  if (outcome == packing::Unpacked::damaged)
    console.warn("warning: the file is truncated or damaged; wperf shows the part that could be unpacked");
  if (outcome == packing::Unpacked::not_sound)
    console.warn("warning: the checksum of the file does not match; it is damaged");
  const auto release = [this](u64 begin, u64 end) { unpacked->release(begin, end); };
  return open_profile({.format = format, .bytes = bytes, .passed = progress_callback(release, bytes.size())});
}

diag::Result<void> OpenedRecording::Files::open_profile(const OpenedProfile& profile) {
  if (profile.format == profiles::Format::other_json) {
    if (auto counts = profiles::read_stat_counts(profile.bytes); counts.has_value()) {
      content = *std::move(counts);
      return {};
    }
    if (is_own_report(profile.bytes)) {
      return diag::usage_error(
          names.name + " is a report that wperf wrote as JSON, not a recording",
          "keep the recording with `wperf record -o NAME.data`; `wperf report` then shows it in any view");
    }
  }
  if (profile.format == profiles::Format::chrome || profile.format == profiles::Format::other_json)
    return not_read(names.name, profile.format);
  content = profile;
  return {};
}

void OpenedRecording::Files::keep_profile(profiles::Format format, std::vector<std::byte> bytes) {
  given = std::move(bytes);
  content = OpenedProfile{.format = format, .bytes = given, .passed = progress_callback([](u64, u64) {}, given.size())};
}

OpenedRecording::OpenedRecording(std::unique_ptr<Files> files) : files_(std::move(files)) {}
OpenedRecording::OpenedRecording(OpenedRecording&&) noexcept = default;

OpenedRecording::~OpenedRecording() {
  if (files_ == nullptr) return;
  if (files_->sources.has_shrunk() || (files_->input.has_value() && files_->input->has_shrunk())) {
    files_->console.warn("warning: " + files_->names.name +
                         " became shorter while wperf read it; wperf shows the rest");
  }
}

diag::Result<OpenedRecording> OpenedRecording::open(const RecordingFiles& files, diag::Console& console) {
  OpenedRecording recording(std::unique_ptr<Files>(new Files(files, console)));
  WPERF_CHECK_OK(recording.files_->open());
  return recording;
}

OpenedRecording OpenedRecording::of_profile(const std::string& name, profiles::Format format,
                                            std::vector<std::byte> bytes, diag::Console& console) {
  OpenedRecording recording(std::unique_ptr<Files>(new Files({.name = name}, console)));
  recording.files_->keep_profile(format, std::move(bytes));
  return recording;
}

const perf_data::PerfFile* OpenedRecording::perf() const {
  return std::get_if<perf_data::PerfFile>(&files_->content);
}
const etl::Trace* OpenedRecording::trace() const {
  return std::get_if<etl::Trace>(&files_->content);
}
const OpenedProfile* OpenedRecording::profile() const {
  return std::get_if<OpenedProfile>(&files_->content);
}
const profiles::StatCounts* OpenedRecording::counts() const {
  return std::get_if<profiles::StatCounts>(&files_->content);
}

diag::Error OpenedRecording::refuse_counts() const {
  return diag::usage_error(files_->names.name + " contains counts of `wperf stat --json`, not a recording",
                           "compare such files with wperf diff BEFORE AFTER");
}

diag::Error OpenedRecording::refuse_profile() const {
  if (counts() != nullptr) return refuse_counts();
  return diag::usage_error(fmt::format("{} is a profile ({}): it has samples but not the context switches needed here",
                                       files_->names.name, profiles::format_name(profile()->format)),
                           "show it with wperf report");
}

diag::Result<UnpackedFile> UnpackedFile::create(const std::function<void(const packing::TakePiece& take)>& unpack) {
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  unpack([&](std::span<const std::byte> piece) {
    file.append({reinterpret_cast<const char*>(piece.data()), piece.size()});
    return !file.error().has_value();
  });
  file.close();
  if (file.error().has_value()) return *file.error();
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(file.openable_path()));
  return UnpackedFile(std::move(file), std::move(mapped));
}

diag::Result<RecordingInput> RecordingInput::open(const std::string& path) {
  RecordingInput input;
  if (os::is_stream(path)) {
    WPERF_TRY(input.streamed_, os::read_stream(path));
    return input;
  }
  const bool is_folder = os::is_folder(path);
  const std::string first = is_folder ? os::join_path(path, "data") : path;
  if (is_folder && !os::file_exists(first)) {
    return diag::Error{.text = path + " is a folder without a recording: it has no file named data", .hint = {}};
  }
  WPERF_TRY(os::MappedFile file, os::MappedFile::open(first));
  input.file_.emplace(std::move(file));
  for (usize number = 0; is_folder; ++number) {
    const std::string next = first + "." + std::to_string(number);
    if (!os::file_exists(next)) break;
    WPERF_TRY(os::MappedFile further, os::MappedFile::open(next));
    input.further_.push_back(std::move(further));
  }
  return input;
}

bool RecordingInput::has_shrunk() const {
  return (file_.has_value() && file_->has_shrunk()) ||
         std::any_of(further_.begin(), further_.end(), [](const os::MappedFile& one) { return one.has_shrunk(); });
}

}  // namespace wperf::recording
