// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/profile_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>

#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "ground/diag/result.h"
#include "ground/os/files.h"
#include "ground/os/mapped_file.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "model/request/recording_view.h"
#include "model/stacks/shared_paths.h"
#include "model/stacks/stack_rows.h"
#include "views/exports/exported_profile.h"
#include "views/html/html_report.h"
#include "views/html/svg_flame_graph.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// If a page cannot be written, the measurement is still shown.
diag::Result<void> show_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  auto written = write_pages(shown, options, console);
  if (!written.has_value() && !output::silent(options.outputs)) {
    console.out(report::stack_text(shown.profile, options.tables));
  }
  return written;
}

using exports::Source;
using request::ExportFormat;

bool goes_to_console(const request::Outputs& outputs) {
  return outputs.json_file.value_or(std::string(output::kConsole)) == output::kConsole;
}

// Are all samples of the file used, without any selection?
bool takes_all(const ReportOptions& options) {
  return options.tables.filter.is_empty() && !options.read.time.has_value() && !options.needs_switches();
}

diag::Error nothing_to_export(const std::string& file, bool has_switches) {
  return {.text = file + " has no samples",
          .hint = has_switches ? fmt::format("show its context switches with `wperf waits {}`", file)
                               : "record samples with `wperf record -o perf.data -- PROGRAM`"};
}

bool has_switches(const recording::SampledRecording& source) {
  const auto read = source.switches();
  return read.has_value() && !read.value()->switches.empty();
}

// Writes to the -o file, or to the pipe.
class ExportOutput {
 public:
  static diag::Result<ExportOutput> open(const ReportOptions& options, diag::Console& console) {
    ExportOutput made(console);
    if (goes_to_console(options.outputs)) return made;
    const std::string path = output::output_path(options.outputs, *options.outputs.json_file);
    const bool is_recording = options.exported->format == ExportFormat::perf_data;
    WPERF_TRY(os::OutputFile created,
              os::OutputFile::create(path, is_recording ? os::Readers::owner : os::Readers::usual));
    made.file_.emplace(std::move(created));
    return made;
  }
  // run_report() ensures that binary formats never reach a terminal.
  void write(std::string_view part) {
    if (file_.has_value()) return file_->write(part);
    is_seen_ ? console_->document(part) : console_->bytes(part);
  }
  diag::Result<void> close() { return file_.has_value() ? file_->close() : diag::Result<void>(); }

 private:
  explicit ExportOutput(diag::Console& console) : console_(&console), is_seen_(console.bytes_are_seen()) {}

  diag::Console* console_;
  bool is_seen_;
  std::optional<os::OutputFile> file_;
};

struct Writer {
  ExportFormat format;
  void (*write)(const Source& source, const exports::TakeBytes& take);
  struct {
    bool times = false, states = false, counters = false, marks = false, losses = false;
    bool periods = false, cores = false, threads = false;
  } has = {};  // what the format can contain
};
constexpr Writer kWriters[] = {
    {ExportFormat::pprof, exports::write_pprof, {.periods = true, .threads = true}},
    {ExportFormat::firefox,
     exports::write_firefox,
     {.times = true, .states = true, .counters = true, .marks = true, .losses = true, .threads = true}},
    {ExportFormat::speedscope, exports::write_speedscope, {.threads = true}},
    {ExportFormat::chrome,
     exports::write_chrome,
     {.times = true, .states = true, .counters = true, .marks = true, .losses = true, .cores = true, .threads = true}},
    {ExportFormat::perfetto,
     exports::write_perfetto,
     {.times = true, .states = true, .periods = true, .cores = true, .threads = true}},
    {ExportFormat::perfetto_perf,
     exports::write_perfetto_perf,
     {.times = true, .states = true, .periods = true, .cores = true, .threads = true}},
    {ExportFormat::callgrind, exports::write_callgrind, {}},
    {ExportFormat::otlp, exports::write_otlp, {.times = true, .cores = true, .threads = true}},
    {ExportFormat::csv, exports::write_csv, {.periods = true, .cores = true, .threads = true}},
    {ExportFormat::sql,
     exports::write_sql,
     {.times = true,
      .states = true,
      .counters = true,
      .marks = true,
      .losses = true,
      .periods = true,
      .cores = true,
      .threads = true}},
};

// Folded stacks are written by views/report, so there is no function here.
constexpr Writer kFolded{ExportFormat::folded, nullptr};

const Writer& writer_of(ExportFormat format) {
  return *std::find_if(std::begin(kWriters), std::end(kWriters),
                       [&](const Writer& one) { return one.format == format; });
}

// Does any function call itself, directly or through others?
bool has_recursion(const stacks::StackProfile& profile) {
  const std::vector<bool> outermost = stacks::outermost_of_keys(profile.nodes, profile.functions.size(),
                                                                [&](u32 node) { return profile.function_of(node); });
  for (u32 node = 0; node < profile.nodes.size(); ++node) {
    if (profile.nodes[node].place != stacks::kNothing && !outermost[node]) return true;
  }
  return false;
}

// Names the columns that the format lacks although samples differ in them.
void append_lost_columns(const Writer& writer, const stacks::StackProfile& profile,
                         std::vector<std::string_view>& parts) {
  const auto& samples = profile.samples;
  const auto differ = [&](auto value_of) {
    return std::any_of(samples.begin(), samples.end(),
                       [&](const stacks::StackSample& one) { return value_of(one) != value_of(samples[0]); });
  };
  const auto counts_more = [](const stacks::StackSample& one) { return one.period != one.count; };
  if (!writer.has.periods && std::any_of(samples.begin(), samples.end(), counts_more))
    parts.emplace_back("the weights of samples (each sample counts once)");
  if (!writer.has.cores && differ([](const auto& one) { return one.core; })) parts.emplace_back("cores");
  if (!writer.has.threads && differ([](const auto& one) { return one.task; })) parts.emplace_back("threads");
}

// Names the parts of the recording that the format leaves out.
std::string left_out(const Writer& writer, const stacks::StackProfile& profile, const stacks::Moments& moments) {
  std::vector<std::string_view> parts;
  if (!writer.has.times && moments.end_ns != 0) parts.emplace_back("sample times");
  if (!writer.has.states && !moments.states.empty()) parts.emplace_back("what threads waited for");
  if (!writer.has.counters && !moments.counters.empty()) parts.emplace_back("counters over time");
  if (!writer.has.marks && !moments.marks.empty()) parts.emplace_back("when programs and threads began and ended");
  if (!writer.has.losses && !moments.losses.empty()) parts.emplace_back("when data was lost");
  append_lost_columns(writer, profile, parts);
  const bool has_inlined = std::any_of(profile.functions.begin(), profile.functions.end(),
                                       [](const stacks::StackFunction& one) { return one.is_inlined; });
  if (has_inlined && writer.format == ExportFormat::callgrind) parts.emplace_back("which functions were inlined");
  if (writer.format == ExportFormat::callgrind && has_recursion(profile)) {
    parts.emplace_back("recursion (the inclusive cost of a recursive function counts each level)");
  }
  return text::joined(parts, ", ");
}

void warn_of_left_out_data(const Writer& writer, const stacks::StackProfile& profile, const stacks::Moments& moments,
                           diag::Console& console) {
  const std::string missing = left_out(writer, profile, moments);
  if (!missing.empty())
    console.warn(fmt::format("note: the format {} cannot store: {}", request::export_name(writer.format), missing));
}

}  // namespace

diag::Result<void> show_profile(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  if (options.pages.wanted()) return show_pages(shown, options, console);
  if (options.exported.has_value()) {
    return export_profile(shown.profile, shown.moments, options, console,
                          shown.about != nullptr ? shown.about->image : "");
  }
  report::StackOptions tables = options.tables;
  tables.about = shown.about;
  if (options.brief.has_value()) {
    output::deliver_brief(options.outputs, brief::of_profile(shown.profile, tables, *options.brief), console);
    if (!output::wants_json(options.outputs)) return {};
  }
  const auto deliver = [&]() {
    report::WriteMembers first;
    if (!shown.clients_json.empty()) {
      first = [&](text::JsonWriter& json) { json.written("sampling", shown.clients_json); };
    }
    return output::deliver_json(options.outputs, report::stack_json(shown.profile, tables, first), console);
  };
  if (options.folded) {
    write_first_folded(shown.profile, tables, console, [&](std::string_view part) { console.document(part); });
    if (options.outputs.json_file.has_value()) return deliver();
    return {};
  }
  if (!output::silent(options.outputs)) console.out(report::stack_text(shown.profile, tables));
  if (output::wants_json(options.outputs)) return deliver();
  return {};
}

diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console) {
  if (file == output::kConsole) {
    console.document(text);
    return {};
  }
  const std::string path = output::output_path(outputs, file);
  WPERF_TRY(os::OutputFile out, os::OutputFile::create(path));
  out.write(text);
  WPERF_CHECK_OK(out.close());
  if (!output::silent(outputs)) {
    console.out(fmt::format("wrote {}: {} bytes\n", path, text::with_commas(text.size())));
  }
  return {};
}

// Warns that an image or folded stacks show only the first event with samples.
void warn_of_other_events(const stacks::StackProfile& profile, std::string_view shown, diag::Console& console) {
  const std::vector<u32> used = exports::used_events(profile);
  if (used.size() < 2) return;
  console.warn(fmt::format("warning: only the stacks of {} are {}; the recording has other events, too",
                           profile.events[used[0]].name, shown));
}

diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  const PageOptions& pages = options.pages;
  const stacks::StackFilter& filter = options.tables.filter;
  diag::FirstFailure written;
  if (pages.svg_file.has_value()) {
    warn_of_other_events(shown.profile, "drawn", console);
    written.add(write_page(*pages.svg_file, html::svg_flame_graph(shown.profile, filter), options.outputs, console));
  }
  if (!pages.html_file.has_value()) return std::move(written).result();
  const html::HtmlOptions page{.filter = filter,
                               .about = shown.about,
                               .moments = &shown.moments,
                               .all_samples = pages.all_samples,
                               .version = measure::tool_version(),
                               .spe = shown.spe,
                               .waits = shown.waits};
  written.add(write_page(*pages.html_file, html::html_text(shown.profile, page), options.outputs, console));
  return std::move(written).result();
}

push::ProfileTime time_of(const stacks::StackProfile& profile, const stacks::Moments& moments,
                          const std::string& file) {
  const u64 length_ns = moments.end_ns != 0 ? moments.end_ns - moments.begin_ns
                                            : static_cast<u64>(std::max(profile.elapsed_seconds, 0.0) * 1e9);
  if (moments.begin_unix_ns != 0) return {moments.begin_unix_ns, moments.begin_unix_ns + length_ns};
  const u64 end_ns = os::last_change_unix_ns(file);
  return {end_ns - std::min(end_ns, length_ns), end_ns};
}

void write_first_folded(const stacks::StackProfile& profile, const report::StackOptions& options,
                        diag::Console& console, const report::TakeText& take) {
  const std::vector<u32> used = exports::used_events(profile);
  if (used.empty()) {
    console.warn("warning: no samples");
    return;
  }
  warn_of_other_events(profile, "printed", console);
  report::write_folded(profile, used[0], options, take);
}

diag::Result<void> export_file(const ReportOptions& options, diag::Console& console) {
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(options.file));
  return export_recording(mapped, options, console);
}

bool has_place_for_waits(ExportFormat format) {
  return std::any_of(std::begin(kWriters), std::end(kWriters),
                     [&](const Writer& one) { return one.format == format && one.has.states; });
}

diag::Result<void> export_samples(const recording::SampledRecording& source, const WeightedSamples* weighted,
                                  const ReportOptions& options, diag::Console& console) {
  const ExportFormat format = options.exported->format;
  const bool is_pushed = options.exported->sink != nullptr;
  if (source.operations != nullptr) {
    console.warn(fmt::format("note: the format {} cannot store: latencies, addresses and data sources from SPE",
                             request::export_name(format)));
  }
  recording::ReadOptions wanted = options.read;
  wanted.callers = true;
  if (weighted != nullptr) weighted->use_in(wanted);
  const bool takes_whole = weighted == nullptr && takes_all(options);
  if (format == ExportFormat::folded) {
    wanted.traces = weighted == nullptr ? source.operations : nullptr;
    WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(source.file(), wanted, options.naming, console));
    if (recorded.profile.samples.empty() && takes_whole) return nothing_to_export(options.file, has_switches(source));
    if (weighted != nullptr) weighted->describe(options, recorded.profile);
    return export_profile(std::move(recorded.profile), {}, options, console, "");
  }
  wanted.lines = wanted.cores = true;
  // Servers require the time of every profile.
  wanted.sample_times = is_pushed || writer_of(format).has.times;
  WPERF_TRY(recording::RecordedSamples recorded, read_timed_samples(source, wanted, options, console));
  const bool empty = recorded.profile.samples.empty() && !is_pushed && takes_whole;
  // Exports can also include waits.
  const bool has_waits = !is_pushed && writer_of(format).has.states && !recorded.moments.states.empty();
  if (empty && !has_waits) return nothing_to_export(options.file, has_switches(source));
  if (weighted != nullptr) weighted->describe(options, recorded.profile);
  return export_profile(std::move(recorded.profile), std::move(recorded.moments), options, console,
                        recorded.about.image);
}

diag::Result<void> export_profile(stacks::StackProfile profile, stacks::Moments moments, const ReportOptions& options,
                                  diag::Console& console, const std::string& program) {
  const auto& [format, labels, sink] = *options.exported;
  if (format == ExportFormat::perf_data) {
    return diag::usage_error("--export perf.data needs a recording, and " + options.file + " is a profile",
                             "use pprof, firefox or another format");
  }
  const bool is_empty = profile.samples.empty() && moments.states.empty() && !sink;
  if (is_empty && takes_all(options)) return nothing_to_export(options.file, false);
  if (format == ExportFormat::folded) {
    WPERF_TRY(ExportOutput out, ExportOutput::open(options, console));
    write_first_folded(profile, options.tables, console, [&](std::string_view part) { out.write(part); });
    warn_of_left_out_data(kFolded, profile, moments, console);
    return out.close();
  }
  stacks::keep_chosen(options.tables.filter, profile, moments);
  if (profile.samples.empty()) console.warn("warning: no samples");
  if (sink) return sink(profile, moments);
  const Writer& writer = writer_of(format);
  WPERF_TRY(ExportOutput out, ExportOutput::open(options, console));
  exports::Source source{profile, moments, measure::tool_version()};
  source.begin_unix_ns = time_of(profile, moments, options.file).begin_unix_ns;
  source.program = program;
  for (const request::PushLabel& label : labels) source.attributes.emplace_back(label.name, label.value);
  writer.write(source, [&](std::string_view part) { out.write(part); });
  warn_of_left_out_data(writer, profile, moments, console);
  return out.close();
}

diag::Result<void> export_recording(const os::MappedFile& recording, const ReportOptions& options,
                                    diag::Console& console) {
  WPERF_TRY(ExportOutput out, ExportOutput::open(options, console));
  constexpr usize kPiece = 1 << 20;
  const std::span<const std::byte> bytes = recording.bytes();
  std::string piece;
  for (usize at = 0; at < bytes.size(); at += kPiece) {
    // If the file was truncated, this process reads zeros, but write() from the mapping would fail, so each piece is
    // copied first.
    piece.assign(reinterpret_cast<const char*>(bytes.data()) + at, std::min(kPiece, bytes.size() - at));
    if (recording.has_shrunk()) {
      return diag::Error{.text = options.file + " became shorter while wperf read it; it was not exported",
                         .hint = "the program that writes it may still be running"};
    }
    out.write(piece);
  }
  return out.close();
}

}  // namespace wperf::show
