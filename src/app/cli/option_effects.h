// SPDX-License-Identifier: BSD-3-Clause
// Applies each option to the Request. command_line.cpp decides which words are options and which are values.
#pragma once
#include <string>
#include <string_view>

#include "app/cli/command_line.h"
#include "app/cli/options.h"

namespace wperf::cli {

class OptionEffects {
 public:
  // `request` must outlive this object.
  OptionEffects(request::Request& request, FileExists file_exists) : request_(request), file_exists_(file_exists) {}

  // Called after `sample` or `record`: from then on -e takes events to sample.
  void expect_samples() { expects_samples_ = true; }
  // Called after `bench`: -n is the number of rounds.
  void expect_rounds() { expects_rounds_ = true; }
  void take_flag(Option option);
  // `spelling`: the option as the user wrote it, for errors.
  diag::Result<void> take_value(Option option, const std::string& spelling, const std::string& value);
  // Converts a Windows path to this system's form, because the simulated machine also runs on systems where a backslash
  // does not separate folders. Returns the path unchanged if it exists in this form, or if neither form exists.
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
  std::string spe_;  // the value of -e arm_spe_0/…/
};

}  // namespace wperf::cli
