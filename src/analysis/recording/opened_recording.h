// SPDX-License-Identifier: BSD-3-Clause
// The user's recording, opened in any form: perf.data of either byte order, compressed, through a pipe, in several
// files; a trace of Windows, in several files or in a zip file; a profile of another program; or counts.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "formats/etl/trace.h"
#include "formats/perf_data/perf_file.h"
#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/stat_counts.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::recording {

struct RecordingFiles {
  std::string name;
  std::vector<std::string> further = {};  // of the same session of a trace
};

// A profile that another program wrote; unpacked if it was packed.
struct OpenedProfile {
  profiles::Format format;
  bytes::Span bytes;
  profiles::TellPassed passed;  // releases bytes that were read, and shows progress
};

class OpenedRecording {
 public:
  // Warns about losses in the file. Progress is shown meanwhile.
  static diag::Result<OpenedRecording> open(const RecordingFiles& files, diag::Console& console);
  OpenedRecording(OpenedRecording&&) noexcept;
  // Warns if the file became shorter in the meantime.
  ~OpenedRecording();

  // Each is null if the recording has another form.
  const perf_data::PerfFile* perf() const;
  const etl::Trace* trace() const;
  const OpenedProfile* profile() const;
  const profiles::StatCounts* counts() const;  // of `stat --json`

  // For counts: the error of a command that reads samples.
  diag::Error refuse_counts() const;
  // For profiles and counts: the error of a command that reads context switches.
  diag::Error refuse_profile() const;

 private:
  struct Files;
  explicit OpenedRecording(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

// An error with the file's name in front.
diag::Error in_file(const std::string& file, diag::Error error);

}  // namespace wperf::recording
