// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "ground/text/number_text.h"
#include "views/report/headline.h"
#include "views/report/stack_report.h"
#include "views/report/trace_facts_text.h"

namespace wperf::report {
namespace {

using stacks::StackLosses;
using stacks::StackProfile;

// In percent: smaller losses do not change the conclusions of readers.
constexpr double kMinor = 1, kMinorNames = 5;

// Collects the losses in the order in which they are shown.
class LossList {
 public:
  explicit LossList(const StackProfile& profile)
      : are_of_whole_(profile.losses.stacks_of_whole), has_python_(!profile.python.versions.empty()) {
    // The event of the threads' whole time counts nanoseconds instead of samples.
    for (const stacks::StackEvent& event : profile.events) {
      if (event.name != stacks::kAllTime) samples_ += event.samples;
    }
  }

  void add(std::string text, std::string brief, bool is_minor = false) {
    losses_.push_back({.text = std::move(text), .brief = std::move(brief), .is_minor = is_minor});
  }
  // Adds "5 records were lost: …", and for the brief form "5 records lost".
  void count(u64 count, std::string_view what, std::string_view brief, bool is_minor = false) {
    if (count == 0) return;
    const std::string number = text::with_commas(count);
    add(fmt::format("{} {}", number, what), fmt::format("{} {}", number, brief), is_minor);
  }
  // Adds a loss as a share of the complete recording: "25 samples were lost in the kernel (6.0 %)".
  void lost(u64 count, std::string_view what, std::string_view why, std::string_view brief) {
    if (count == 0) return;
    const double share = text::percent_of(count, samples_ + count);
    // Without samples, as in a profile of the threads' time, there is no share.
    const std::string percentage = samples_ == 0 ? std::string() : fmt::format(" ({} %)", text::fixed(share, 1));
    this->count(count, fmt::format("{}{}{}", what, percentage, why), fmt::format("{}{}", brief, percentage),
                share < kMinor);
  }
  // Adds incomplete stacks as a share of the recorded samples.
  void stacks(u64 count, std::string_view why) {
    if (count == 0) return;
    if (are_of_whole_) {
      return this->count(count, fmt::format("call stacks of the whole recording stop early: {}", why),
                         "stacks of the whole recording incomplete", true);
    }
    const double share = share_of(count);
    const std::string of = count > samples_ ? std::string() : fmt::format(" of {}", text::with_commas(samples_));
    stacks_ += count;
    of_stacks_.push_back(losses_.size());
    // Among few samples, a single stack is a large share, and an interpreter has some incomplete stacks in every run.
    constexpr double kMinorWithPython = 5;
    const bool is_minor = samples_ < kFewestSamples || share < (has_python_ ? kMinorWithPython : kMinor);
    add(fmt::format("{}{} call stacks stop early{}: {}", text::with_commas(count), of, percentage_of(count), why), {},
        is_minor);
  }
  // In the brief form, all stacks are one entry.
  std::vector<StackLoss> take() {
    for (const usize one : of_stacks_)
      losses_[one].brief = fmt::format("{} stacks incomplete{}", text::with_commas(stacks_), percentage_of(stacks_));
    return std::move(losses_);
  }

 private:
  // For a part of a recording it is unknown how many of these stacks are in that part.
  double share_of(u64 stacks) const { return stacks > samples_ ? 100 : text::percent_of(stacks, samples_); }
  std::string percentage_of(u64 stacks) const {
    return stacks > samples_ ? std::string() : fmt::format(" ({} %)", text::fixed(share_of(stacks), 1));
  }

  bool are_of_whole_, has_python_;
  u64 samples_ = 0, stacks_ = 0;
  std::vector<StackLoss> losses_;
  std::vector<usize> of_stacks_;
};

void add_python(const stacks::PythonSamples& python, LossList& list) {
  if (python.not_joined() == 0) return;
  constexpr double kMinorShare = 3;
  const double share = text::percent_of(python.not_joined(), python.joined + python.not_joined());
  list.add(python_loss_text(python), fmt::format("{} % of Python not joined", text::fixed(share, 1)),
           share < kMinorShare);
}

}  // namespace

std::string python_loss_text(const stacks::PythonSamples& python) {
  const u64 whole = python.joined + python.not_joined();
  if (python.not_joined() == 0) return {};
  std::string reasons;
  const auto add = [&](u64 count, std::string_view why) {
    if (count != 0) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", text::with_commas(count), why);
  };
  add(python.changed, "have frames that changed before they were read");
  add(python.other_shape, "have frames that do not match the native stack");
  add(python.unread, "have frames that could not be read");
  add(python.without_stack, "have no complete native stack");
  add(python.new_thread, "are of threads that had just started");
  add(python.early, "came before the interpreter was found");
  return fmt::format("Python {}: {} of {} samples ({} %) show the interpreter's own functions: {}", python.versions,
                     text::with_commas(python.not_joined()), text::with_commas(whole),
                     text::fixed(text::percent_of(python.not_joined(), whole), 1), reasons);
}

std::string damage_text(u64 places, u64 bytes, u64 records_about) {
  if (places == 0) return {};
  std::string out = fmt::format("the file is damaged: {} bytes in {} {} contain no readable records",
                                text::with_commas(bytes), text::with_commas(places), places == 1 ? "place" : "places");
  if (records_about != 0) out += fmt::format(", about {} are missing", text::with_commas(records_about));
  return out;
}

std::vector<StackLoss> stack_losses(const StackProfile& profile) {
  const StackLosses& losses = profile.losses;
  LossList list(profile);
  std::string damage = damage_text(losses.damaged_places, losses.damaged_bytes, losses.damaged_records_about);
  if (!damage.empty()) list.add(std::move(damage), "the file is damaged");
  list.lost(losses.lost_records, "records were lost", ": the ring buffer between the kernel and the recorder was full",
            "records lost");
  list.lost(losses.lost_samples, "samples were lost in the kernel", "", "samples lost");
  list.count(losses.throttled, "times the kernel paused an event because its samples took too long", "pauses");
  list.count(losses.held_back, "samples were not taken, because interrupts would have used up the cores",
             "samples not taken");
  list.count(losses.filtered, "samples were left out (the kernel without -k, or programs of other users)",
             "samples left out");
  list.count(losses.register_losses,
             "times the counters were reset by something else, and samples from just before are missing",
             "times counters were reset");
  list.count(losses.of_unknown_event, "samples belong to no event of the file and are not shown",
             "samples of an unknown event");
  list.count(losses.damaged_records, "records are damaged and were left out", "damaged records");
  list.count(losses.merged_changes, "mapping changes are in uncertain order", "changes of mappings merged");
  // `record --python` refuses other sizes of stack copies.
  const bool has_python = !profile.python.versions.empty();
  list.stacks(losses.stacks_cut, has_python
                                     ? "the stack copy was too short, so the outermost native functions are missing"
                                     : "the stack copy was too short (--call-graph dwarf,SIZE copies more)");
  list.stacks(profile.python.cut, "they have more than 1,024 Python functions; the outermost ones are missing");
  list.stacks(losses.stacks_undelivered, "the kernel's record of their callers is missing");
  list.stacks(losses.stacks_without_table, "a function in them has no unwind information");
  list.stacks(losses.stacks_damaged, "registers, stack and call frame information are inconsistent");
  list.stacks(losses.stacks_of_32_bits, "stacks of 32-bit programs cannot be unwound");
  list.stacks(losses.stacks_by_pointers,
              "they use frame pointers only, because unwinding could not keep up (use --freq with a lower rate)");
  list.count(losses.stacks_continued, "stacks continue with frame pointers after the end of the stack copy",
             "stacks continued by frame pointers", true);
  add_python(profile.python, list);
  list.count(losses.unknown_records, "records are of unknown types and were left out", "records of unknown types",
             true);
  return list.take();
}

std::string stack_losses_text(const StackProfile& profile, std::string_view prefix) {
  std::string out;
  for (const StackLoss& loss : stack_losses(profile)) out.append(prefix).append(loss.text) += '\n';
  return out;
}

std::vector<StackLoss> data_losses(const StackProfile& profile) {
  std::vector<StackLoss> losses = stack_losses(profile);
  if (!profile.trace.has_value()) return losses;
  const stacks::TraceFacts& trace = *profile.trace;
  const std::string brief = trace.events_lost != 0    ? text::with_commas(trace.events_lost) + " events lost"
                            : trace.buffers_lost != 0 ? text::with_commas(trace.buffers_lost) + " buffers lost"
                                                      : "parts of the trace are missing";
  for (std::string& line : trace_loss_lines(trace, false)) {
    losses.push_back({.text = std::move(line), .brief = brief, .is_minor = false});
  }
  return losses;
}

bool may_lack_samples(const StackProfile& profile) {
  if (profile.losses.missing() != 0 || profile.losses.damaged_places != 0) return true;
  return profile.trace.has_value() && !trace_loss_lines(*profile.trace, false).empty();
}

std::vector<StackLoss> all_losses(const StackProfile& profile) {
  std::vector<StackLoss> losses = data_losses(profile);
  double nameless = 0;
  for (const NamelessModule& one : nameless_modules(profile)) nameless += one.percent;
  for (std::string& note : name_notes(profile)) {
    losses.push_back({.text = std::move(note),
                      .brief = fmt::format("{} % without function names", text::fixed(nameless, 1)),
                      .is_minor = nameless < kMinorNames});
  }
  return losses;
}

std::string losses_brief(const std::vector<StackLoss>& losses) {
  std::string out;
  const std::string* before = nullptr;
  for (const StackLoss& loss : losses) {
    if (before != nullptr && *before == loss.brief) continue;
    before = &loss.brief;
    out += (out.empty() ? "" : ", ") + loss.brief;
  }
  return out;
}

}  // namespace wperf::report
