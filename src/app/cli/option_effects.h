// SPDX-License-Identifier: BSD-3-Clause
// The effect of each option on the Request. command_line.cpp decides which words of the line are options and values.
#pragma once
#include <string>
#include <string_view>

#include "app/cli/command_line.h"
#include "app/cli/options.h"

namespace wperf::cli {

class OptionEffects {
 public:
  // `request` outlives this.
  OptionEffects(request::Request& request, FileExists file_exists) : request_(request), file_exists_(file_exists) {}

  // After `sample` or `record`: from here on -e takes events to sample.
  void expect_samples() { expects_samples_ = true; }
  // After `bench`: -n is how often it runs programs.
  void expect_rounds() { expects_rounds_ = true; }
  void take_flag(Option option);
  // `spelling` is the option as it was written; errors name it.
  diag::Result<void> take_value(Option option, const std::string& spelling, const std::string& value);
  // A Windows path in this system's form: the simulated machine runs its programs on other systems, too, where a
  // backslash does not separate folders. Unchanged if the path exists as it is, or if neither form exists.
  std::string path_here(const std::string& path) const;

 private:
  void take_sampling_flag(Option option);
  bool take_recording_flag(Option option);
  diag::Result<void> take_counting_value(Option option, const std::string& spelling, const std::string& value);
  diag::Result<void> take_sampling_value(Option option, const std::string& spelling, const std::string& value);
  diag::Result<void> take_recording_value(Option option, const std::string& spelling, const std::string& value);
  diag::Result<void> take_pgo_value(Option option, const std::string& value);
  diag::Result<void> take_push_value(Option option, const std::string& spelling, const std::string& value);
  diag::Result<void> take_file_value(Option option, const std::string& value);
  diag::Result<void> take_pdb_file(const std::string& value);
  diag::Result<void> take_events(const std::string& value);
  diag::Result<void> take_sampled_events(const std::string& value);
  diag::Result<void> take_metrics(std::string_view value, const std::string& spelling);
  void take_setting(const std::string& value);

  bool missing(const std::string& path) const { return file_exists_ != nullptr && !file_exists_(path); }

  request::Request& request_;
  FileExists file_exists_;
  bool expects_samples_ = false, expects_rounds_ = false;
};

}  // namespace wperf::cli
