// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_about.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "formats/perf_data/features.h"
#include "ground/text/base_name.h"
#include "ground/text/shell_words.h"

namespace wperf::recording {
namespace {

using CommandWords = std::span<const std::string_view>;

// The words after `--`, or else the words from the image name on, because no option takes a path as a separate word.
CommandWords program_words(CommandWords words, const std::optional<perf_data::RunFacts>& run) {
  const auto begin = std::find(words.begin(), words.end(), "--");
  if (begin != words.end()) return {begin + 1, words.end()};
  if (!run.has_value() || run->image_name.empty()) return {};
  const auto is_image = [&](std::string_view word) {
    return word == run->pe_file || word == run->image_name || text::base_name(word) == text::base_name(run->image_name);
  };
  for (usize i = 2; i < words.size(); ++i) {
    const bool may_be_value = words[i - 1].starts_with('-') && words[i].find('/') == std::string_view::npos;
    if (is_image(words[i]) && !may_be_value) return words.subspan(i);
  }
  return {};
}

// The process given with `-p 17`, if a process was measured.
u32 watched_process(CommandWords words, const std::optional<perf_data::RunFacts>& run) {
  if (!run.has_value() || run->process == 0) return 0;
  const std::string number = std::to_string(run->process);
  for (usize i = 1; i + 1 < words.size(); ++i) {
    if (words[i] == "-p" && words[i + 1] == number) return run->process;
  }
  return 0;
}

}  // namespace

stacks::RecordingAbout recorded_about(const perf_data::Features& features,
                                      const std::optional<perf_data::RunFacts>& run) {
  using perf_data::Feature;
  stacks::RecordingAbout about;
  std::vector<std::string_view> words = features.command_line();
  if (!words.empty()) {
    words.front() = text::base_name(words.front());
    about.command = text::quoted_words(words);
    about.program = text::quoted_words(program_words(words, run));
    if (about.program.empty()) about.watched = watched_process(words, run);
  }
  about.host = features.text(Feature::host_name);
  about.processor = features.text(Feature::cpu_description);
  if (about.processor.empty()) about.processor = features.text(Feature::architecture);
  // Other programs only store a version number. A recording made from a trace has the version of the wperf that
  // converted the trace, not of the recorder.
  const std::string_view version = features.text(Feature::perf_version);
  if (run.has_value()) {
    about.version = version;
  } else if (!version.empty() && !version.starts_with("wperf")) {
    about.version = "perf " + std::string(version);
  }
  if (const auto count = features.cpu_count(); count.has_value()) about.cores = count->online;
  if (!run.has_value()) {
    // The wall-clock time at which the file began.
    if (const auto clock = features.clock_data(); clock.has_value()) about.begun_unix_ns = clock->wall_clock_ns;
    return about;
  }
  about.image = run->image_name;
  about.is_of_machine = run->process == 0 && !run->windows;  // a driver samples only the chosen cores
  about.begun_unix_ns = run->begun_unix_ns;
  about.elapsed_ns = run->program_ns.value_or(run->end_ns - run->start_ns);
  about.cpu_ns = run->cpu_ns;
  about.has_ended = run->exit_code.has_value();
  return about;
}

namespace {

using perf_data::Feature;
using stacks::kNothing;

constexpr usize kMostKinds = 64;  // no machine has more; limits time and memory for a damaged file

constexpr u32 kHardwareEvent = 0, kCacheEvent = 3;  // EventAttributes::type

// A file lists PMUs without saying which are core PMUs, so the kernel's names of PMUs are used.
bool is_name_of_core_pmu(std::string_view name) {
  const bool of_arm = name.size() > 4 && name.starts_with("armv") && name[4] >= '0' && name[4] <= '9';
  const bool of_apple = name.starts_with("apple_") && name.ends_with("_pmu");
  return name == "cpu" || name.starts_with("cpu_") || of_arm || of_apple;
}

class KindsReader {
 public:
  explicit KindsReader(const perf_data::PerfFile& file) : file_(file) {}
  stacks::CoreKinds read();

 private:
  struct CountingUnit {
    u32 type = 0, kind = 0;
  };

  u32 kind_named(std::string_view name);
  void read_topology();
  void read_units();
  u32 kind_of_event(const perf_data::EventAttributes& attributes) const;
  void name_machine();

  const perf_data::PerfFile& file_;
  std::vector<CountingUnit> units_;
  stacks::CoreKinds kinds_;
};

// Returns kNothing if there are too many kinds.
u32 KindsReader::kind_named(std::string_view name) {
  std::vector<std::string>& names = kinds_.names;
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end() && names.size() == kMostKinds) return kNothing;
  const auto number = static_cast<u32>(known - names.begin());
  if (known == names.end()) names.emplace_back(name);
  return number;
}

void KindsReader::read_topology() {
  for (const perf_data::CorePmu& pmu : file_.features().core_pmus()) {
    if (pmu.name.empty()) continue;
    const u32 kind = kind_named(pmu.name);
    if (kind == kNothing) return;
    for (const u32 core : perf_data::parse_kernel_list(pmu.cores)) {
      if (core >= kinds_.of_core.size()) kinds_.of_core.resize(core + 1, kNothing);
      kinds_.of_core[core] = kind;
    }
  }
}

void KindsReader::read_units() {
  for (const perf_data::PmuMapping& mapping : file_.features().pmu_mappings()) {
    if (!is_name_of_core_pmu(mapping.name)) continue;
    const u32 kind = kind_named(mapping.name);
    if (kind == kNothing || units_.size() == kMostKinds) return;
    units_.push_back({mapping.type, kind});
  }
}

u32 KindsReader::kind_of_event(const perf_data::EventAttributes& attributes) const {
  // If there are several core PMUs, the upper half of a generic event's config is the type of the PMU.
  const bool is_general = attributes.type == kHardwareEvent || attributes.type == kCacheEvent;
  const u32 type = is_general ? static_cast<u32>(attributes.config >> 32) : attributes.type;
  const auto found =
      std::find_if(units_.begin(), units_.end(), [&](const CountingUnit& unit) { return unit.type == type; });
  return found != units_.end() && type != kHardwareEvent ? found->kind : kNothing;
}

void KindsReader::name_machine() {
  for (const Feature feature : {Feature::cpu_description, Feature::cpu_id}) {
    const std::string_view text = file_.features().text(feature);
    if (text.empty()) continue;
    kinds_.of_others = kind_named(text);
    return;
  }
}

stacks::CoreKinds KindsReader::read() {
  read_topology();
  read_units();
  // On a machine with several kinds of cores, the processor's name describes only one of them.
  const bool is_mixed = kinds_.names.size() > 1;
  for (const perf_data::Event& event : file_.attrs()) {
    kinds_.events.push_back({.has_cores = event.attributes.has(perf_data::kSampleCpu),
                             .kind = is_mixed ? kind_of_event(event.attributes) : kNothing});
  }
  if (!is_mixed) name_machine();
  return std::move(kinds_);
}

}  // namespace

stacks::CoreKinds recorded_core_kinds(const perf_data::PerfFile& file) {
  return KindsReader(file).read();
}

}  // namespace wperf::recording
