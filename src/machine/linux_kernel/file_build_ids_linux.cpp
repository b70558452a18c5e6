// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/file_build_ids_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tuple>

#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/synthesized_records.h"

namespace wperf::linux_kernel {
namespace {

struct MappedFileOf {
  u32 process = 0;
  u64 inode = 0;
  bool has_build_id = false;  // its build id is in a record already
  bool is_ambiguous = false;  // two files had this name
};

std::map<std::string_view, MappedFileOf> mapped_files(const perf_data::PerfFile& file) {
  std::map<std::string_view, MappedFileOf> files;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::Mmap& mapping, const perf_data::Record&) {
    if (mapping.is_data || !mapping.file.starts_with('/') || mapping.file.starts_with("//")) return;
    const bool has_build_id = !mapping.build_id.empty();
    const auto [entry, is_new] =
        files.try_emplace(mapping.file, MappedFileOf{mapping.pid, mapping.inode, has_build_id});
    MappedFileOf& known = entry->second;
    if (is_new) return;
    if (known.has_build_id && !has_build_id) {
      known = {mapping.pid, mapping.inode, false, known.is_ambiguous};
    } else if (!has_build_id && known.inode != mapping.inode) {
      known.is_ambiguous = true;
    }
  }});
  return files;
}

}  // namespace

std::string beginning_of(const std::string& path, usize most) {
  const perf_events::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string bytes(most, '\0');
  usize count = 0;
  while (file.is_open() && count < most) {
    const ssize_t got = read(file.number(), bytes.data() + count, most - count);
    if (got <= 0) break;
    count += static_cast<usize>(got);
  }
  bytes.resize(count);
  return bytes;
}

FileBuildIds::View::View(const std::string& process_folder) {
  std::error_code error;
  space = std::filesystem::read_symlink(process_folder + "/ns/mnt", error);
  root = std::filesystem::read_symlink(process_folder + "/root", error);
}

FileBuildIds::FileBuildIds() {
  clock_gettime(CLOCK_REALTIME_COARSE, &started_);  // file systems use this clock
}

std::string FileBuildIds::root_of(u32 process) const {
  const std::string folder = fmt::format("/proc/{}", process);
  const View its(folder);
  const auto differs = [](const std::filesystem::path& one, const std::filesystem::path& ours) {
    return !one.empty() && one != ours;
  };
  return differs(its.space, own_.space) || differs(its.root, own_.root) ? folder + "/root" : std::string();
}

std::string_view FileBuildIds::of_file(const std::string& root, std::string_view path) {
  constexpr usize kHeaderAndNotes = 4096;
  if (path.empty() || path.front() != '/') return {};
  const std::string name = root + std::string(path);
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const std::string bytes = beginning_of(name, kHeaderAndNotes);
  return known_.emplace(name, perf_events::build_id_in_elf(bytes)).first->second;
}

// A file that had this path in the process's own view before the recording is the mapped one. Otherwise only its inode
// number identifies it, which some file systems show only to the kernel.
bool FileBuildIds::is_the_same(const std::string& name, u64 inode, bool is_known_to_be_its) const {
  struct stat status{};
  if (stat(name.c_str(), &status) != 0) return false;
  if (status.st_ino == inode) return true;
  return is_known_to_be_its &&
         std::tie(status.st_ctim.tv_sec, status.st_ctim.tv_nsec) < std::tie(started_.tv_sec, started_.tv_nsec);
}

std::vector<perf_data::WrittenBuildId> FileBuildIds::of_recording(const perf_data::PerfFile& file) {
  std::vector<perf_data::WrittenBuildId> ids;
  for (const auto& [path, mapped] : mapped_files(file)) {
    if (mapped.has_build_id || mapped.is_ambiguous) continue;
    const std::string folder = fmt::format("/proc/{}", mapped.process);
    const bool is_alive = access(folder.c_str(), F_OK) == 0;
    const std::string root = is_alive ? root_of(mapped.process) : std::string();
    if (!is_the_same(root + std::string(path), mapped.inode, is_alive)) continue;
    const std::string_view id = of_file(root, path);
    if (!id.empty()) ids.push_back({.id = std::string(id), .path = std::string(path)});
  }
  return ids;
}

}  // namespace wperf::linux_kernel
