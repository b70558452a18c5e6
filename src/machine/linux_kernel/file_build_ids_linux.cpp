// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/file_build_ids_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/synthesized_records.h"

namespace wperf::linux_kernel {
namespace {

// The kernel appends this to the path of a file that has been deleted.
constexpr std::string_view kDeletedMark = " (deleted)";

// A file of this path that some processes had mapped.
struct MappedFileOf {
  u32 process = 0;
  u64 inode = 0, inode_generation = 0;
  u64 first_ns = ~u64{0};  // the time of its first mapping; the largest number if unknown
};

using InodeKey = std::pair<u64, u64>;  // inode and its generation
// By path. Only files without a build id in their records.
using MappedFiles = std::map<std::string_view, std::map<InodeKey, MappedFileOf>>;

MappedFiles mapped_files(const perf_data::PerfFile& file) {
  MappedFiles files;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::Mmap& mapping, const perf_data::Record&) {
    if (mapping.is_data || !mapping.file.starts_with('/') || mapping.file.starts_with("//")) return;
    if (!mapping.build_id.empty()) return;
    const InodeKey key{mapping.inode, mapping.inode_generation};
    MappedFileOf& one =
        files[mapping.file].try_emplace(key, MappedFileOf{mapping.pid, key.first, key.second}).first->second;
    // A mapping from before the recording has no time.
    if (mapping.identity.has(perf_data::kSampleTime) && mapping.identity.time != 0)
      one.first_ns = std::min(one.first_ns, mapping.identity.time);
  }});
  return files;
}

u64 nanoseconds(const timespec& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_nsec);
}

u64 now_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return nanoseconds(now);
}

// Was the file's content changed after its first mapping? A time in the future comes from another machine's clock.
bool was_written_since(const struct stat& status, u64 first_ns) {
  const u64 now = now_of(CLOCK_REALTIME), since_mapped = now_of(CLOCK_MONOTONIC) - first_ns;
  const u64 written = nanoseconds(status.st_mtim);
  return first_ns != ~u64{0} && since_mapped < now && written > now - since_mapped && written <= now;
}

// A deleted file's number may be given to a new file, which has another generation. Some file systems have none.
bool is_of_generation(const std::string& name, u64 generation) {
  const perf_events::Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  long number = 0;
  if (!file.is_open() || ioctl(file.number(), FS_IOC_GETVERSION, &number) != 0) return true;
  return static_cast<u32>(number) == static_cast<u32>(generation);
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
  if (path.empty() || path.front() != '/') return {};
  return in_file(root + std::string(path));
}

std::string_view FileBuildIds::of_mapping(u32 process, const perf_events::ListedMapping& mapping) {
  const std::string folder = fmt::format("/proc/{}/", process);
  const std::string_view id = in_file(fmt::format("{}map_files/{:x}-{:x}", folder, mapping.begin, mapping.end));
  if (!id.empty()) return id;
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(folder + "exe", error);
  return program == std::string(mapping.path) + std::string(kDeletedMark) ? in_file(folder + "exe")
                                                                          : std::string_view();
}

std::string_view FileBuildIds::in_file(const std::string& name) {
  constexpr usize kHeaderAndNotes = 4096;
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const std::string bytes = beginning_of(name, kHeaderAndNotes);
  return known_.emplace(name, perf_events::build_id_in_elf(bytes)).first->second;
}

// A file that had this path in the process's own view before the recording is the mapped one. Otherwise only the inode
// number identifies the file, and some file systems show it only to the kernel. A later file with another inode number
// replaced the mapped file.
FileBuildIds::Present FileBuildIds::present_at(const std::string& name, const Wanted& wanted) const {
  struct stat status{};
  if (stat(name.c_str(), &status) != 0) {
    return errno == ENOENT && !name.ends_with(kDeletedMark) ? Present::another : Present::unknown;
  }
  const bool is_file = S_ISREG(status.st_mode);  // a device is not opened
  if (status.st_ino == wanted.inode && (!is_file || is_of_generation(name, wanted.inode_generation))) {
    return was_written_since(status, wanted.first_ns) ? Present::another : Present::same;
  }
  if (nanoseconds(status.st_ctim) >= nanoseconds(started_)) return Present::another;
  return wanted.is_in_its_view ? Present::same : Present::unknown;
}

// The path of a mapping from before the recording is relative to this process's root, not to the root of the process
// with the mapping. `root`: becomes empty for such a path.
FileBuildIds::Present FileBuildIds::present_in(std::string& root, std::string_view path, const Wanted& wanted) const {
  const Present inside = present_at(root + std::string(path), wanted);
  if (root.empty() || inside != Present::another) return inside;
  Wanted here = wanted;
  here.is_in_its_view = false;
  if (present_at(std::string(path), here) != Present::same) return inside;
  root.clear();
  return Present::same;
}

FileBuildIds::OfRecording FileBuildIds::of_recording(const perf_data::PerfFile& file) {
  OfRecording out;
  known_.clear();  // the files may have been replaced since the recording began
  for (const auto& [path, inodes] : mapped_files(file)) {
    for (const auto& [key, mapped] : inodes) {
      const bool is_alive = access(fmt::format("/proc/{}", mapped.process).c_str(), F_OK) == 0;
      std::string root = is_alive ? root_of(mapped.process) : std::string();
      const Present present =
          present_in(root, path, {mapped.inode, mapped.inode_generation, mapped.first_ns, is_alive});
      if (present == Present::unknown) continue;
      const std::string id(present == Present::same ? of_file(root, path) : std::string_view());
      if (present == Present::another || (inodes.size() > 1 && !id.empty())) {
        out.mapped_files.push_back({mapped.inode, mapped.inode_generation, id, std::string(path)});
      } else if (!id.empty()) {
        out.build_ids.push_back({.id = id, .path = std::string(path)});
      }
    }
  }
  return out;
}

}  // namespace wperf::linux_kernel
