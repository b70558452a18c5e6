// SPDX-License-Identifier: BSD-3-Clause
#include <sys/uio.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ground/os/files.h"
#include "ground/os/other_memory.h"

namespace wperf::os {
namespace {

constexpr usize kMostPieces = 64;  // in one system call

// Empty if the process or thread ends during the call.
std::string text_of(const std::string& path) {
  constexpr usize kMost = 256 << 20;
  auto text = load_text_file(path, kMost);
  return text.has_value() ? std::move(text).value() : std::string();
}

}  // namespace

OtherMemory::OtherMemory(u32 process) : process_(process) {}
OtherMemory::~OtherMemory() = default;

usize OtherMemory::read(std::span<const MemoryPiece> pieces) const {
  usize done = 0;
  while (done < pieces.size()) {
    iovec to[kMostPieces], from[kMostPieces];
    const usize count = std::min(kMostPieces, pieces.size() - done);
    for (usize i = 0; i < count; ++i) {
      const MemoryPiece& piece = pieces[done + i];
      to[i] = {piece.to.data(), piece.to.size()};
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel takes the other process's addresses as pointers
      from[i] = {reinterpret_cast<void*>(piece.address), piece.to.size()};
    }
    const auto copied = process_vm_readv(static_cast<pid_t>(process_), to, count, from, count, 0);
    usize left = copied > 0 ? static_cast<usize>(copied) : 0;
    for (usize i = 0; i < count; ++i) {
      const usize size = pieces[done].to.size();
      if (left < size || (copied <= 0 && size != 0)) return done;
      left -= size;
      ++done;
    }
  }
  return done;
}

std::vector<FileMapping> file_mappings(u32 process) {
  return parse_file_mappings(text_of("/proc/" + std::to_string(process) + "/maps"));
}

u32 parent_with_same_program(u32 process) {
  const std::string folder = "/proc/" + std::to_string(process);
  const u32 parent = parse_parent(text_of(folder + "/stat")).value_or(0);
  if (parent == 0) return 0;
  std::error_code failed;
  const auto program = std::filesystem::read_symlink(folder + "/exe", failed);
  if (failed) return 0;
  const auto parents = std::filesystem::read_symlink("/proc/" + std::to_string(parent) + "/exe", failed);
  return !failed && program == parents ? parent : 0;
}

bool has_other_root(u32 process) {
  const std::string folder = "/proc/" + std::to_string(process);
  const auto differs = [&](const char* link) {
    std::error_code failed;
    const auto its = std::filesystem::read_symlink(folder + link, failed);
    return !failed && its != std::filesystem::read_symlink(std::string("/proc/self") + link, failed) && !failed;
  };
  return differs("/root") || differs("/ns/mnt");
}

bool is_other_file(u32 process, const std::string& path) {
  return !is_same_file("/proc/" + std::to_string(process) + "/root" + path, path);
}

u32 own_thread_number(u32 process, u32 thread) {
  const std::string path = "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/status";
  return parse_own_thread_number(text_of(path)).value_or(thread);
}

}  // namespace wperf::os
