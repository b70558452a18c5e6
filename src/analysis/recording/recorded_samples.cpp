// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_samples.h"

#include <algorithm>
#include <optional>

#include "analysis/recording/recorded_about.h"
#include "analysis/recording/recorded_places.h"
#include "analysis/recording/recorded_records.h"
#include "analysis/recording/sample_reader.h"
#include "code/modules/symbol_folders.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;

void count_incomplete(const RecordedUnwinder::Incomplete& incomplete, stacks::StackLosses& losses) {
  losses.stacks_cut = incomplete.stack_copy_too_short - losses.stacks_continued;
  losses.stacks_without_table = incomplete.no_table;
  losses.stacks_damaged = incomplete.damaged;
  losses.stacks_of_32_bits = incomplete.of_32_bits;
}

ProcessHistory::Span span_of(const ProcessHistory& history, const perf_data::AuxTraces* traces) {
  ProcessHistory::Span span = history.samples();
  const auto widen = [&span](u64 time) {
    span.begin = span.end == 0 ? time : std::min(span.begin, time);
    span.end = std::max(span.end, time);
  };
  if (traces == nullptr) return span;
  const CanonicalCode canonical(history);
  DecodeStates states;
  RecordedRecords(*traces, canonical)
      .for_each_as_recorded(states, [&](u32, u64 time, const spe::Origin&, const spe::Record&) {
        if (time < ~u64{0} - 1) widen(time);
      });
  return span;
}

// The time range in the features of the file; nullopt if the file has none.
std::optional<ProcessHistory::Span> sample_span(const perf_data::PerfFile& file) {
  const std::optional<perf_data::SampleTime> time = file.features().sample_time();
  if (!time.has_value() || time->first == 0) return std::nullopt;
  return ProcessHistory::Span{time->first, time->last};
}

bool has_run_time(const std::optional<perf_data::RunFacts>& run) {
  return run.has_value() && run->start_ns < run->end_ns;
}

// Sums of values from a file must not wrap around.
void add_capped(u64& sum, u64 more) {
  sum += std::min(more, ~u64{0} - sum);
}

void add_run(const perf_data::RunFacts& run, stacks::StackProfile& profile) {
  profile.note = run.note;
  for (const perf_data::CoreFacts& core : run.cores) {
    add_capped(profile.losses.lost_samples, core.lost_ring_full);
    add_capped(profile.losses.filtered, core.lost_filtered);
    add_capped(profile.losses.held_back, core.held_back);
    add_capped(profile.losses.register_losses, core.register_losses);
  }
  profile.losses.stacks_cut = run.stacks.cut;
  profile.losses.stacks_without_table = run.stacks.without_table;
  profile.losses.stacks_damaged = run.stacks.damaged;
  profile.losses.stacks_of_32_bits = run.stacks.of_32_bits;
  profile.losses.stacks_by_pointers = run.stacks.by_pointers;
  profile.python = run.python;
}

// Reads the samples of a file. Names and mappings are collected while samples are read, if that gives the same result;
// otherwise they are collected first.
class RecordingReader {
 public:
  RecordingReader(const perf_data::PerfFile& file, const ReadOptions& wanted)
      : file_(file), wanted_(wanted), folders_(modules::symbol_folders(wanted.symbols)) {
    out_.run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
    has_run_time_ = has_run_time(out_.run);
    of_windows_ = out_.run.has_value() && out_.run->windows;
    wants_span_ = !has_run_time_ && (wanted.time.has_value() || wanted.slice_ns != 0);
    has_leaves_ = wanted.callers && (of_windows_ || LeafFrameCallers::has_perf_call_chains(file));
    has_copies_ =
        wanted.callers && std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
          return event.attributes.has(perf_data::kSampleUserStack);
        });
  }

  RecordedSamples read() {
    if (!read_with_history_ahead()) read_after_history();
    stacks::StackAggregator aggregator = reader_->finish(*history_);
    add_facts();
    name(aggregator);
    if (wanted_.rows || wanted_.sample_rows) {
      out_.row_of_sample = reader_->take_rows();
      out_.parts = reader_->take_parts();
    }
    if (wanted_.times) {
      out_.moments = reader_->take_moments();
      if (has_run_time_ && out_.moments.end_ns != 0)
        out_.moments.begin_ns = std::min(out_.moments.begin_ns, out_.run->start_ns);
    }
    return std::move(out_);
  }

 private:
  using Span = ProcessHistory::Span;

  void begin_reading() {
    out_.profile = {};
    out_.profile.file = wanted_.file;
    if (wanted_.core_kinds) out_.profile.core_kinds = recorded_core_kinds(file_);
    reader_.emplace(file_, wanted_, out_.profile);
  }

  // `samples`: times of the first and last sample, if needed.
  void place_in_time(const Span& samples) {
    const Span sliced = has_run_time_ ? Span{out_.run->start_ns, out_.run->end_ns} : samples;
    if (wanted_.time.has_value()) reader_->limit_time(*wanted_.time, wanted_.time_origin.value_or(sliced.begin));
    if (wanted_.slice_ns == 0) return;
    reader_->slice_time(stacks::make_time_slices(sliced.begin, sliced.end, wanted_.slice_ns));
  }

  // Returns false if the samples must be read after the history.
  bool read_with_history_ahead() {
    const std::optional<Span> recorded_span = sample_span(file_);
    const bool needs_history = (wants_span_ && !recorded_span.has_value()) || has_leaves_ || has_copies_ ||
                               wanted_.traces != nullptr ||
                               !file_.features().section(perf_data::kJitCodeFeature).empty();
    if (needs_history || !HistoryAhead::is_of_use(file_)) return false;
    HistoryAhead ahead(file_);
    begin_reading();
    place_in_time(recorded_span.value_or(Span{}));
    reader_->follow(ahead);
    reader_->run();
    history_ = ahead.finish();
    if (wants_span_ && history_.has_value() && history_->samples() != *recorded_span) history_.reset();
    return history_.has_value();
  }

  void read_after_history() {
    history_ = ProcessHistory::collect(file_);
    begin_reading();
    reader_->look_up_in(*history_, folders_);
    place_in_time(wants_span_ ? span_of(*history_, wanted_.traces) : Span{});
    const modules::ElfSearch elf_files{.folders = folders_, .lines = false};
    if (has_leaves_) reader_->call_leaves_with(leaves_.emplace(file_, *history_, of_windows_, elf_files));
    if (has_copies_) reader_->unwind_with(unwinder_.emplace(file_, *history_, elf_files));
    reader_->run();
    if (wanted_.traces != nullptr) reader_->add_operations(*wanted_.traces);
  }

  void add_facts() {
    out_.about = recorded_about(file_.features(), out_.run);
    if (out_.run.has_value()) {
      add_run(*out_.run, out_.profile);
      out_.profile.losses.stacks_of_whole = wanted_.weights != nullptr || wanted_.time.has_value();
    }
    if (unwinder_.has_value()) count_incomplete(unwinder_->incomplete(), out_.profile.losses);
  }

  void name(stacks::StackAggregator& aggregator) {
    const bool needs_lines = wanted_.lines || wanted_.inlined || wanted_.code_lines || wanted_.files_with_lines;
    const PlaceOptions options{.jit = &reader_->jit(),
                               .search = {.folders = folders_,
                                          .lines = needs_lines,
                                          .downloads = wanted_.downloads,
                                          .functions = wanted_.functions},
                               .images = images(),
                               .lines = wanted_.lines,
                               .inlined = wanted_.inlined,
                               .python_lines = wanted_.python_lines,
                               .decorated = wanted_.symbols.decorated,
                               .signatures = wanted_.signatures,
                               .code = wanted_.code,
                               .code_lines = wanted_.code_lines,
                               .line_ranges = wanted_.line_ranges,
                               .rvas = wanted_.rvas,
                               .lists = wanted_.rows,
                               .progress = wanted_.naming_progress,
                               .opened = wanted_.code ? nullptr : wanted_.opened};
    NamedPlaces named = name_places(file_, *history_, aggregator, options, out_.profile);
    out_.files = std::move(named.files);
    out_.lists = std::move(named.lists);
  }

  modules::SymbolOptions images() const {
    modules::SymbolOptions options = wanted_.symbols;
    if (out_.run.has_value() && !out_.run->pdb_file.empty()) options.recorded_pdb_files.push_back(out_.run->pdb_file);
    return options;
  }

  const perf_data::PerfFile& file_;
  const ReadOptions& wanted_;
  std::vector<std::string> folders_;
  bool has_run_time_ = false, of_windows_ = false;
  bool wants_span_ = false;  // the times of the first and last sample are needed
  bool has_leaves_ = false, has_copies_ = false;
  RecordedSamples out_;
  std::optional<ProcessHistory> history_;
  std::optional<SampleReader> reader_;
  std::optional<LeafFrameCallers> leaves_;
  std::optional<RecordedUnwinder> unwinder_;
};

}  // namespace

TimeLimits time_limits(const request::TimeSpan& span, u64 origin) {
  const auto moment = [origin](double seconds) {
    const double ns = seconds * 1e9;
    return ns >= 1.8e19 ? ~u64{0} : origin + std::min(static_cast<u64>(ns), ~u64{0} - origin);
  };
  return {span.from.has_value() ? moment(*span.from) : 0, span.to.has_value() ? moment(*span.to) : ~u64{0}};
}

std::optional<u64> begin_of_run(const perf_data::PerfFile& file) {
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  return has_run_time(run) ? std::optional(run->start_ns) : std::nullopt;
}

RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const ReadOptions& wanted) {
  return RecordingReader(file, wanted).read();
}

}  // namespace wperf::recording
