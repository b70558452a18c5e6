// SPDX-License-Identifier: BSD-3-Clause
// `report`, `record` and `sample`: the hottest functions, with intervals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "ground/text/number_text.h"
#include "ground/text/shell_words.h"
#include "model/stacks/call_tree.h"
#include "model/stacks/id_table.h"
#include "views/brief/brief.h"
#include "views/report/about_text.h"
#include "views/report/headline.h"
#include "views/report/stack_report.h"

namespace wperf::brief {
namespace {

using stacks::StackProfile;

// The samples of an event that pass the filter.
struct Counted {
  double period = 0;
  double squares = 0;  // the sum of squared weights of single samples
  u64 samples = 0;
  double kernel = 0;            // period in the kernel
  std::vector<double> threads;  // the period of each thread, over all its names
};

// The number of the thread of each task. A thread that changes its name has several tasks.
std::vector<u32> threads_of(const std::vector<stacks::StackTask>& tasks) {
  stacks::IdTable known;
  std::vector<u32> threads;
  for (u32 i = 0; i < tasks.size(); ++i) {
    const bool has_number = tasks[i].tid != stacks::kNothing;
    threads.push_back(known.insert((u64{tasks[i].pid} << 32) | tasks[i].tid, has_number ? 0 : i).id);
  }
  return threads;
}

Counted count(const StackProfile& profile, u32 event, const stacks::StackFilter& filter) {
  Counted counted;
  counted.threads.resize(profile.tasks.size());
  const std::vector<u32> threads = threads_of(profile.tasks);
  const stacks::ChosenSamples chosen(profile, filter);
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event != event || sample.count == 0 || !chosen.has(sample)) continue;
    const double period = static_cast<double>(sample.period);
    const u32 function = profile.function_of(sample.node);
    counted.period += period;
    counted.squares += period * period / static_cast<double>(sample.count);
    counted.samples += sample.count;
    if (profile.functions[function].is_kernel) counted.kernel += period;
    counted.threads[threads[sample.task]] += period;
  }
  return counted;
}

u64 rounded(double value) {
  constexpr double kMost = 9e18;  // a damaged or hostile file may have any counts
  return static_cast<u64>(std::llround(std::min(value, kMost)));
}

// The number of equally weighted samples that would be as significant as these.
u64 equal_samples(const Counted& counted) {
  return counted.squares == 0 ? 0 : rounded(counted.period * counted.period / counted.squares);
}

// Wilson's interval for a share of all samples.
report::Interval interval_of(u64 period, const Counted& whole, u64 missing) {
  const u64 samples = equal_samples(whole);
  const double share = whole.period == 0 ? 0 : static_cast<double>(period) / whole.period;
  const u64 part = std::min(samples, rounded(share * static_cast<double>(samples)));
  return report::share_interval(part, samples, missing);
}

std::string interval_text(const report::Interval& interval) {
  return fmt::format("{} to {}", text::fixed(100 * interval.low, 2), text::fixed(100 * interval.high, 2));
}

void add_rows(Brief& brief, const StackProfile& profile, const stacks::StackRows& found,
              const report::StackColumns& columns, const Counted& whole) {
  const u64 missing = profile.losses.missing();
  fill_table(brief, found.rows, [&](report::Columns& to, const stacks::StackRow& row) {
    const bool with_callees = columns.options.children;
    const u64 period = with_callees ? row.all_period : row.self_period;
    columns(to, row);
    // The interval is the column after its share.
    to.string({.text = "95 % interval", .place = with_callees ? 1u : 2u},
              interval_text(interval_of(period, whole, missing)));
  });
}

// The functions that the filter names; without a filter, the hottest functions.
std::vector<u32> asked_functions(const StackProfile& profile, u32 event, const report::StackOptions& options) {
  if (!options.filter.symbol) return report::hot_functions(profile, event, options);
  std::vector<u32> functions;
  for (u32 i = 0; i < profile.functions.size(); ++i) {
    if (options.filter.symbol(profile.functions[i].name)) functions.push_back(i);
  }
  return functions;
}

// The columns of a caller or callee.
struct Relative {
  u32 function, of;
  u64 samples, period, whole;
};

std::vector<Relative> callees_of(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                                 const stacks::StackFilter& filter) {
  const stacks::CallTree tree = stacks::make_callee_tree(profile, event, functions, filter);
  const std::vector<stacks::CallNode>& nodes = tree.nodes();
  std::vector<Relative> callees;
  for (u32 i = 1; i < nodes.size(); ++i) {
    const stacks::CallNode &node = nodes[i], &of = nodes[node.parent];
    if (node.parent == 0 || of.parent != 0) continue;
    callees.push_back({node.label, of.label, node.all_samples, node.all_period, of.all_period});
  }
  std::ranges::stable_sort(callees, std::greater(), &Relative::period);
  return callees;
}

std::vector<Relative> callers_of(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                                 const stacks::StackFilter& filter) {
  const std::vector<stacks::CallerShare> shares = stacks::caller_shares(profile, event, functions, filter);
  std::vector<u64> wholes(profile.functions.size());
  for (const stacks::CallerShare& share : shares) wholes[share.function] += share.period;
  std::vector<Relative> callers;
  for (const auto& [function, caller, samples, period] : shares)
    callers.push_back({caller, function, samples, period, wholes[function]});
  return callers;
}

// The callers or callees of the functions that the filter names, in the same stacks.
Brief of_relatives(const StackProfile& profile, u32 event, const report::StackOptions& options) {
  const std::vector<u32> functions = asked_functions(profile, event, options);
  // Samples in other functions can have these functions in their stacks.
  stacks::StackFilter filter = options.filter;
  filter.symbol = {};
  const std::vector<Relative> relatives =
      options.callers ? callers_of(profile, event, functions, filter) : callees_of(profile, event, functions, filter);
  Brief brief;
  fill_table(brief, relatives, [&](report::Columns& to, const Relative& one) {
    const bool is_known = one.function != stacks::kNothing;
    const stacks::StackFunction none, &function = is_known ? profile.functions[one.function] : none;
    to.string({.text = "% of it", .align = report::Align::right},
              text::fixed(text::percent_of(one.period, one.whole), 1));
    to.count({"samples"}, one.samples);
    to.word({options.callers ? "caller" : "callee"}, function.name);
    to.word({"module"}, is_known ? profile.modules[function.module].name : "");
    to.string({"of"}, profile.functions.empty() ? "" : profile.functions[one.of].name);
  });
  brief.heading = options.callers ? "Callers, by samples in the called function and its callees:"
                                  : "Callees, by samples in them and in their callees:";
  if (!profile.has_callers) brief.lost.emplace_back("no stacks were recorded: `wperf record -g` records them");
  if (functions.empty()) {
    for (std::string& note : report::filter_notes(profile, options.filter)) brief.lost.push_back(std::move(note));
  }
  return brief;
}

// Adds causes that the samples rule out. If there are no samples in the kernel, the kernel may have been excluded.
void add_ruled_out(Brief& brief, const StackProfile& profile, const stacks::RecordingAbout* about,
                   const stacks::StackRows& found, const Counted& counted) {
  constexpr double kSmall = 0.05, kBusy = 0.9;
  constexpr u64 kFew = 100;
  if (counted.samples < kFew) return;
  const auto cores = about != nullptr && !about->is_of_machine ? report::cores_used(*about) : std::nullopt;
  if (cores.value_or(0) >= kBusy)
    brief.ruled_out.push_back(fmt::format("waiting: it used {} cores", text::fixed(*cores, 2)));
  if (counted.kernel != 0 && counted.kernel < kSmall * counted.period)
    brief.ruled_out.push_back("the kernel: " + text::share(counted.kernel, counted.period));
  if (!found.rows.empty()) {
    const double most = static_cast<double>(found.rows.front().self_period);
    if (most < kSmall * counted.period)
      brief.ruled_out.push_back("a single hot function: the hottest has " + text::share(most, counted.period));
  }
  const auto threads =
      std::count_if(counted.threads.begin(), counted.threads.end(), [](double one) { return one > 0; });
  const double busiest = counted.threads.empty() ? 0 : *std::ranges::max_element(counted.threads);
  if (threads > 1 && busiest * static_cast<double>(threads) < 1.5 * counted.period) {
    brief.ruled_out.push_back(fmt::format("threads with unequal work: the busiest of {} has {}", threads,
                                          text::share(busiest, counted.period)));
  }
  if (!report::may_lack_samples(profile)) brief.ruled_out.emplace_back("lost samples: none are missing");
}

std::string next_command(const StackProfile& profile, const stacks::RecordingAbout* about,
                         const report::Headline& headline, const Commands& commands) {
  if (!headline.waited.empty()) return report::waits_command(*about);
  const bool is_short = headline.has_few_samples && about != nullptr && about->has_ended && !about->program.empty();
  if (is_short) return "wperf stat -r 20 -- " + about->program;
  if (commands.recording.empty()) return commands.keeping;
  const stacks::StackFunction* const hottest =
      headline.hot.has_value() ? &profile.functions[headline.hot->function] : nullptr;
  constexpr usize kLongestName = 80;
  const bool is_named = hottest != nullptr && hottest->is_known && hottest->name.size() <= kLongestName;
  if (!is_named) return fmt::format("wperf report {} -v", commands.recording);
  // A profile of another program has only names, no code.
  const bool has_code = about != nullptr || profile.trace.has_value();
  return fmt::format("wperf report {} {} -s {}", commands.recording, has_code ? "--annotate" : "--callers",
                     text::quoted_word(hottest->name));
}

// Cuts the names in the sentence about the hottest function.
void cut_names(Brief& brief, const StackProfile& profile, const report::HottestFunction& hot) {
  const stacks::StackFunction& function = profile.functions[hot.function];
  cut_name(brief, function.name);
  cut_name(brief, profile.modules[function.module].name);
  if (hot.caller != stacks::kNothing) cut_name(brief, profile.functions[hot.caller].name);
}

}  // namespace

Brief of_profile(const StackProfile& profile, const report::StackOptions& options, const Commands& commands) {
  const stacks::StackFilter& filter = options.filter;
  const bool wants_relatives = options.callers || options.callees;
  // With callers or callees, samples below the functions also count.
  const report::Headline headline =
      report::headline(profile, options.about, wants_relatives ? report::filter_of_callees(options) : filter,
                       options.relative, !options.part.is_whole());
  const auto sampled = std::ranges::find_if(profile.events, [](const auto& event) { return event.samples != 0; });
  const bool has_samples = sampled != profile.events.end();
  const u32 event = headline.hot.has_value() ? headline.hot->event : static_cast<u32>(sampled - profile.events.begin());
  const bool has_relatives = has_samples && wants_relatives;
  Brief brief = has_relatives ? of_relatives(profile, event, options) : Brief();
  brief.all = commands.all;
  if (!has_samples) brief.verdict.emplace_back("no samples");
  for (const std::string& line : {headline.time, headline.hottest, headline.waited, headline.python}) {
    if (!line.empty()) brief.verdict.push_back(line);
  }
  if (headline.hot.has_value()) cut_names(brief, profile, *headline.hot);
  for (const report::StackLoss& loss : report::data_losses(profile)) brief.lost.push_back(loss.text);
  for (std::string& note : report::name_notes(profile)) brief.lost.push_back(std::move(note));
  if (!has_samples) return brief;
  const Counted counted = count(profile, event, filter);
  brief.next = next_command(profile, options.about, headline, commands);
  if (has_relatives) return brief;
  const std::vector<stacks::SortKey> keys =
      options.sort.empty() ? std::vector{stacks::SortKey::symbol, stacks::SortKey::module} : options.sort;
  const stacks::StackRows found = stacks::make_rows(profile, event, keys, filter, options.children);
  add_rows(
      brief, profile, found,
      {profile, profile.events[event], keys, options, report::whole_period(profile, event, filter, options.relative)},
      options.relative || filter.is_empty() ? counted : count(profile, event, {}));
  for (std::string& note : report::filter_notes(profile, filter)) brief.lost.push_back(std::move(note));
  const auto events = std::ranges::count_if(profile.events, [](const auto& one) { return one.samples != 0; });
  brief.heading = fmt::format("{} ({} {}{}):", profile.events[event].name, text::with_commas(counted.samples),
                              counted.samples == 1 ? "sample" : "samples",
                              events > 1 ? fmt::format("; other events in the recording: {}", events - 1) : "");
  if (filter.is_empty()) add_ruled_out(brief, profile, options.about, found, counted);
  return brief;
}

}  // namespace wperf::brief
