// SPDX-License-Identifier: BSD-3-Clause
// The sources of a trace's events: .etl files, and those in zip files (Visual Studio's .diagsession, PerfView's
// .etl.zip), recognised by their contents.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "analysis/recording/opened_recording.h"
#include "formats/etl/trace.h"
#include "ground/packing/zip_files.h"

namespace wperf::recording {

class TraceSources {
 public:
  static bool has_signature(bytes::Span file);

  // Keeps `input`. Returns an error if `input` contains no trace.
  diag::Result<void> add(RecordingInput input, const std::string& name);
  // Opens all added files as one trace, which must not outlive this object. `passed` is called with the number of bytes
  // read so far, at most size().
  diag::Result<etl::Trace> open(const std::function<void(u64 bytes)>& passed);

  u64 size() const;
  // Was one of the files truncated while it was read?
  bool has_shrunk() const;
  // Faults in files inside a zip file. These files were read nevertheless.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Source {
    std::string name;
    bytes::Span bytes;
    std::function<void(u64 begin, u64 end)> release;
  };
  diag::Result<void> add_zip(const RecordingInput& input, const std::string& name);
  diag::Result<void> add_packed(const packing::ZipEntry& entry, const std::string& name);

  std::deque<RecordingInput> inputs_;
  std::deque<UnpackedFile> unpacked_;
  std::vector<Source> sources_;
  std::vector<std::string> warnings_;
};

}  // namespace wperf::recording
