// SPDX-License-Identifier: BSD-3-Clause
// The recordings that a client asked about. They are kept open, so that they need not be read again for the next
// question. Their real paths must be inside one folder, so a link to a file outside is refused.
#pragma once
#include <array>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_samples.h"
#include "app/show/wait_views.h"
#include "base/ints.h"
#include "formats/profiles/foreign_profile.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"

namespace wperf::mcp {

// The named samples of a recording.
struct Samples {
  const stacks::StackProfile* profile = nullptr;
  const stacks::RecordingAbout* about = nullptr;  // null: nothing is known about the run
};

class KeptRecording {
 public:
  KeptRecording(std::string handle, std::string path, std::string shown)
      : handle_(std::move(handle)), path_(std::move(path)), shown_(std::move(shown)) {}

  const std::string& handle() const { return handle_; }
  const std::string& path() const { return path_; }
  const std::string& shown() const { return shown_; }  // path relative to the root

  // Includes callers; `lines`: also source lines.
  diag::Result<Samples> samples(bool lines, diag::Console& console);
  // Only the samples in a time range. The last range is kept.
  diag::Result<Samples> samples_of(const request::TimeSpan& time, bool lines, diag::Console& console);
  // The context switches, with the names of all waits. `histories`: for the critical path.
  diag::Result<const show::SwitchRecording*> switches(const show::ReportOptions& options, bool histories,
                                                      diag::Console& console);

 private:
  struct File;
  diag::Result<void> open(diag::Console& console);
  recording::ReadOptions read_options(bool lines) const;

  std::string handle_, path_, shown_;
  std::shared_ptr<File> file_;
  std::array<std::optional<recording::RecordedSamples>, 2> samples_;  // without and with lines
  struct Range {
    request::TimeSpan time;
    bool lines = false;
    recording::RecordedSamples samples;
  };
  std::optional<Range> range_;
  std::optional<profiles::ForeignProfile> foreign_;
  std::unique_ptr<show::SwitchRecording> switches_;
};

// Returns a text that differs between files, and changes when the file changes.
std::string state_of(const std::string& path);

class Recordings {
 public:
  // `root` must be an existing folder.
  explicit Recordings(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // `name`: a handle or a path. The file is opened on first use.
  diag::Result<KeptRecording*> find(const std::string& name);
  // Creates an empty file with an unused name such as recording-1.data, and returns its name.
  diag::Result<std::string> reserve(std::string_view ending) const;
  // The real path of a file, which must be inside the root.
  diag::Result<std::string> path_inside(const std::string& name) const;

 private:
  static constexpr usize kMost = 8;  // maximum number of open recordings; the least recently used one is closed

  std::string root_;
  std::list<KeptRecording> kept_;  // ordered by last use, the most recent first
};

}  // namespace wperf::mcp
