// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_about.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace wperf::recording {
namespace {

// Quoted for a shell; a word from a foreign file may contain any character.
std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./\\-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string line_of(std::span<const std::string_view> words) {
  std::string line;
  for (const std::string_view word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

using Words = std::span<const std::string_view>;

// After `--`; otherwise from the word on that names the image: no option has a path as a word.
Words program_words(Words words, const std::optional<perf_data::RunFacts>& run) {
  const auto begin = std::find(words.begin(), words.end(), "--");
  if (begin != words.end()) return {begin + 1, words.end()};
  if (!run.has_value() || run->image_name.empty()) return {};
  const auto is_image = [&](std::string_view word) {
    return word == run->pe_file || word == run->image_name || file_name(word) == file_name(run->image_name);
  };
  for (usize i = 2; i < words.size(); ++i) {
    const bool may_be_value = words[i - 1].starts_with('-') && words[i].find('/') == std::string_view::npos;
    if (is_image(words[i]) && !may_be_value) return words.subspan(i);
  }
  return {};
}

// The process of `-p 17`, if the run looked at one.
u32 watched_process(Words words, const std::optional<perf_data::RunFacts>& run) {
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
    words.front().remove_prefix(std::min(words.front().find_last_of("/\\") + 1, words.front().size()));
    about.command = line_of(words);
    about.program = line_of(program_words(words, run));
    if (about.program.empty()) about.watched = watched_process(words, run);
  }
  about.host = features.text(Feature::host_name);
  about.processor = features.text(Feature::cpu_description);
  if (about.processor.empty()) about.processor = features.text(Feature::architecture);
  // Other programs only have a number there. A recording made from a trace has the version of its maker, not of the
  // recorder.
  const std::string_view version = features.text(Feature::perf_version);
  if (run.has_value()) {
    about.version = version;
  } else if (!version.empty() && !version.starts_with("wperf")) {
    about.version = "perf " + std::string(version);
  }
  if (const auto count = features.cpu_count(); count.has_value()) about.cores = count->online;
  if (!run.has_value()) {
    // The clock on the wall when the file began.
    if (const auto clock = features.clock_data(); clock.has_value()) about.begun_unix_ns = clock->wall_clock_ns;
    return about;
  }
  about.image = run->image_name;
  about.is_of_machine = run->process == 0 && !run->windows;  // a driver samples the cores of its settings
  about.begun_unix_ns = run->begun_unix_ns;
  about.elapsed_ns = run->program_ns.value_or(run->end_ns - run->start_ns);
  about.cpu_ns = run->cpu_ns;
  about.has_ended = run->exit_code.has_value();
  return about;
}

}  // namespace wperf::recording
