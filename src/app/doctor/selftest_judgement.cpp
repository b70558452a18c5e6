// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/selftest_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace wperf::doctor {
namespace {

using answers::Finding;
using answers::Outcome;

constexpr u64 kLeastSamples = 50;
// Counts of a whole core include other programs on the core; counts of a program include its start.
constexpr double kMostOfCore = 1.25, kMostOfProgram = 1.05;

struct Share {
  std::string_view name;
  double part;
};
constexpr Share kLeaves[] = {{"leaf_a", 0.2}, {"leaf_b", 0.6}, {"leaf_c", 0.2}};

// The tolerance of a share: four standard deviations for chance, plus two percentage points for other work of the
// program.
double tolerance(double part, double samples) {
  return 0.02 + 4 * std::sqrt(part * (1 - part) / std::max(samples, 1.0));
}

class Tally {
 public:
  explicit Tally(const stacks::StackProfile& profile) : profile_(profile) {
    for (const stacks::StackSample& sample : profile.samples) add(sample);
  }

  u64 samples = 0, in_kernel = 0, in_program = 0, named = 0;
  u64 of_leaf[std::size(kLeaves)] = {};
  u64 through_middle = 0, through_outer = 0;  // samples of leaf_b by path
  std::string why_nameless;

 private:
  const stacks::StackFunction* function_of(u32 node) const {
    const u32 function = node == stacks::kNothing ? stacks::kNothing : profile_.function_of(node);
    return function == stacks::kNothing ? nullptr : &profile_.functions[function];
  }
  bool is_called_by(u32 node, std::string_view name) const {
    const stacks::StackFunction* function = function_of(node);
    return function != nullptr && function->name == name;
  }
  void add(const stacks::StackSample& sample) {
    samples += sample.count;
    const stacks::StackFunction* function = function_of(sample.node);
    if (function == nullptr) return;
    if (function->is_kernel) in_kernel += sample.count;
    const stacks::StackModule& module = profile_.modules[function->module];
    if (function->is_kernel || !module.name.starts_with(kSelftestProgram)) return;
    in_program += sample.count;
    if (!function->is_known) {
      why_nameless = module.reason;
      return;
    }
    named += sample.count;
    for (usize i = 0; i < std::size(kLeaves); ++i) {
      if (function->name == kLeaves[i].name) of_leaf[i] += sample.count;
    }
    if (function->name != "leaf_b") return;
    const u32 caller = profile_.nodes[sample.node].parent;
    if (!is_called_by(caller, "middle")) return;
    through_middle += sample.count;
    if (is_called_by(profile_.nodes[caller].parent, "outer")) through_outer += sample.count;
  }

  const stacks::StackProfile& profile_;
};

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}
double ratio(u64 part, u64 all) {
  return all != 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

Finding judge_shares(const Tally& tally) {
  Finding finding{.check = "shares", .outcome = Outcome::ok, .detail = {}};
  for (usize i = 0; i < std::size(kLeaves); ++i) {
    const double part = ratio(tally.of_leaf[i], tally.in_program);
    if (std::abs(part - kLeaves[i].part) > tolerance(kLeaves[i].part, static_cast<double>(tally.in_program))) {
      finding.outcome = Outcome::failed;
    }
    finding.detail +=
        fmt::format("{}{} {} of {}", i == 0 ? "" : ", ", kLeaves[i].name, percent(part), percent(kLeaves[i].part));
  }
  return finding;
}

Finding judge_stacks(const Tally& tally) {
  const u64 all = tally.of_leaf[1];
  const double middle = ratio(tally.through_middle, all), outer = ratio(tally.through_outer, all);
  constexpr double kNearlyAll = 0.95, kHalf = 0.5;
  const bool good = middle >= kNearlyAll && std::abs(outer - kHalf) <= tolerance(kHalf, static_cast<double>(all));
  return {.check = "stacks",
          .outcome = good ? Outcome::ok : Outcome::failed,
          .detail = fmt::format(
              "leaf_b was called by middle in {} (expected 100.0 %), which outer called in {} (expected 50.0 %)",
              percent(middle), percent(outer))};
}

Finding judge_losses(const stacks::StackProfile& profile) {
  const stacks::StackLosses& losses = profile.losses;
  u64 lost = losses.lost_records + losses.lost_samples + losses.damaged_records + losses.damaged_places;
  std::string detail = fmt::format("{} samples lost", lost);
  if (profile.trace.has_value()) {
    const stacks::TraceFacts& trace = *profile.trace;
    const u64 buffers = trace.buffers_lost + trace.missing_buffers + trace.cut_buffers + trace.damaged_buffers;
    detail = fmt::format("{} events and {} buffers lost", trace.events_lost, buffers);
    lost += trace.events_lost + buffers;
  }
  if (losses.held_back != 0) detail += fmt::format(", {} held back", losses.held_back);
  if (losses.throttled != 0) detail += fmt::format(", {} times throttled", losses.throttled);
  return {.check = "losses", .outcome = lost == 0 ? Outcome::ok : Outcome::failed, .detail = std::move(detail)};
}

// Checks that excluded parts are missing, and that requested parts are present.
Finding judge_filter(const SampledWork& work, const Tally& user) {
  Finding finding{.check = "user and kernel samples", .outcome = Outcome::not_possible, .detail = work.why_no_filter};
  if (!work.why_no_filter.empty()) return finding;
  finding.outcome = user.in_kernel == 0 ? Outcome::ok : Outcome::failed;
  finding.detail = fmt::format("user mode only: {} of {} in the kernel", user.in_kernel, user.samples);
  if (work.with_kernel == nullptr) return finding;
  const Tally both(*work.with_kernel);
  finding.detail += fmt::format("; with the kernel: {} of {}", both.in_kernel, both.samples);
  if (both.in_kernel == 0) finding.detail += ", which does not show whether -k works";
  return finding;
}

}  // namespace

std::vector<Finding> judge_counts(const CountedWork& work) {
  const double most = static_cast<double>(work.known) * (work.own_program_only ? kMostOfProgram : kMostOfCore);
  const bool good = work.counted >= work.known && static_cast<double>(work.counted) <= most;
  std::vector<Finding> findings{
      {.check = "counts",
       .outcome = good ? Outcome::ok : Outcome::failed,
       .detail = fmt::format("{} instructions{}, the loop has {}{}", work.counted,
                             work.with_kernel.has_value() ? " in user mode" : "", work.known,
                             work.own_program_only ? "" : "; everything else that ran on the core is included")}};
  Finding filter{.check = "user and kernel counts", .outcome = Outcome::not_possible, .detail = work.why_no_filter};
  if (work.with_kernel.has_value()) {
    const u64 both = *work.with_kernel;
    filter.outcome = both > work.counted ? Outcome::ok : both == work.counted ? Outcome::not_possible : Outcome::failed;
    filter.detail = fmt::format("{} with the kernel, {} without{}", both, work.counted,
                                both == work.counted ? ": this does not show whether the kernel did anything" : "");
  }
  findings.push_back(std::move(filter));
  return findings;
}

std::vector<Finding> judge_samples(const SampledWork& work) {
  const Tally tally(work.user);
  const bool enough = tally.in_program >= kLeastSamples;
  std::vector<Finding> findings{{.check = "samples",
                                 .outcome = enough ? Outcome::ok : Outcome::failed,
                                 .detail = fmt::format("{} in {:.2f} s, {} of them in {}", tally.samples,
                                                       work.user.elapsed_seconds, tally.in_program, kSelftestProgram)}};
  const bool named = tally.named != 0;
  std::string names = fmt::format("{} of {} samples there have function names", tally.named, tally.in_program);
  if (!tally.why_nameless.empty()) names += ": " + tally.why_nameless;
  findings.push_back({.check = "names",
                      .outcome = !enough                                                   ? Outcome::not_possible
                                 : tally.named >= tally.in_program - tally.in_program / 20 ? Outcome::ok
                                                                                           : Outcome::failed,
                      .detail = std::move(names)});
  constexpr std::string_view kNothingNamed = "no sample with a function name";
  if (named && enough) {
    findings.push_back(judge_shares(tally));
  } else {
    findings.push_back({.check = "shares", .outcome = Outcome::not_possible, .detail = std::string(kNothingNamed)});
  }
  if (!work.why_no_stacks.empty() || !named || !enough) {
    findings.push_back({.check = "stacks",
                        .outcome = Outcome::not_possible,
                        .detail = !work.why_no_stacks.empty() ? work.why_no_stacks : std::string(kNothingNamed)});
  } else {
    findings.push_back(judge_stacks(tally));
  }
  findings.push_back(judge_filter(work, tally));
  findings.push_back(judge_losses(work.user));
  return findings;
}

}  // namespace wperf::doctor
