// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/home_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "sim/runtime_folder.h"

namespace wperf::sim::nt {
namespace {

constexpr std::string_view kPrefix = "home-";

// A folder in use is locked by its process.
int lock_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  ::close(folder);
  return -1;
}

void remove_left_over(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const int lock = lock_folder(entry.path().string());
    if (lock < 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

}  // namespace

std::unique_ptr<HomeFolder> HomeFolder::make() {
  const RuntimeFolder shared = own_temporary_folder();
  if (!shared.error.empty()) return nullptr;
  remove_left_over(shared.path);
  // The folder gets its final name only when it is locked, so no process mistakes it for a left-over folder.
  std::string path = shared.path + "/new-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return nullptr;
  std::unique_ptr<HomeFolder> home(new HomeFolder(path, lock_folder(path)));
  home->path_.replace(home->path_.rfind("new-"), 4, kPrefix);
  if (::rename(path.c_str(), home->path_.c_str()) != 0) home->path_ = path;
  for (const char* const folder :
       {"ProgramData", "users/Public", "users/user/AppData/Local/Temp", "users/user/AppData/LocalLow",
        "users/user/AppData/Roaming", "users/user/Desktop", "users/user/Documents"}) {
    std::error_code error;
    std::filesystem::create_directories(home->path_ + "/" + folder, error);
    if (error) return nullptr;
  }
  return home;
}

HomeFolder::~HomeFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace wperf::sim::nt
