// SPDX-License-Identifier: BSD-3-Clause
// The build ids of the files that programs have mapped. The kernel would tell them in the records of mappings, but then
// it writes such records to everybody who listens, and not every perf can read them. Called by the recording session.
#pragma once
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/perf_file_layout.h"

namespace wperf::linux_kernel {

// Of a file: the first bytes, at most so many; empty where it cannot be read.
std::string beginning_of(const std::string& path, usize most);

class FileBuildIds {
 public:
  FileBuildIds();

  // Below which folder the files are that a process names: nothing, as for us, or its own root where that is another
  // one. In a container the same name may stand for another file.
  std::string root_of(u32 process) const;
  // Bytes; empty: not known.
  std::string_view of_file(const std::string& root, std::string_view path);
  // Of the files in a recording whose mappings do not say it. Not of those that may be another file by now.
  std::vector<perf_data::WrittenBuildId> of_recording(const perf_data::PerfFile& file);

 private:
  // Which files a process sees. Empty where that may not be read.
  struct View {
    explicit View(const std::string& process_folder);
    std::filesystem::path space, root;
  };
  bool is_the_same(const std::string& name, u64 inode, bool is_known_to_be_its) const;

  View own_{"/proc/self"};
  timespec started_{};
  std::map<std::string, std::string> known_;  // by path
};

}  // namespace wperf::linux_kernel
