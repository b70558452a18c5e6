// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <type_traits>

#include "sim/machine/lock_file.h"
#include "sim/runtime_folder.h"

namespace wperf::sim {
namespace {

using driver::ClientId;
using driver::LockState;

constexpr u64 kMagic = 0x6b636f6c6d697377;  // "wsimlock", read as bytes
constexpr u64 kVersion = 1;
constexpr off_t kTurnByte = 0;
constexpr u64 kFirstClient = 0x1000;             // byte numbers of clients start after those of the file's contents
constexpr u64 kClientMask = 0x0fffffffffffffff;  // keeps these byte numbers positive as an off_t

struct LockRecord {
  u64 magic = kMagic;
  u64 version = kVersion;
  LockState state;
  u64 checksum = 0;
};
static_assert(std::is_trivially_copyable_v<LockRecord>);

u64 checksum_of(const LockRecord& record) {
  unsigned char bytes[offsetof(LockRecord, checksum)];
  std::memcpy(bytes, &record, sizeof bytes);
  u64 hash = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

std::string reason(int code) {
  return std::error_code(code, std::generic_category()).message();
}

struct flock byte_lock(short type, off_t start) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = 1;
  return lock;
}

bool set_lock(int file, int command, short type, off_t start) {
  struct flock lock = byte_lock(type, start);
  while (fcntl(file, command, &lock) != 0)
    if (errno != EINTR) return false;
  return true;
}

off_t byte_of(ClientId client) {
  return static_cast<off_t>(client);
}

// Takes a free client number by holding its byte. 0 if all are taken.
ClientId claim_client(int file) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    u64 random = 0;
    if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) continue;
    const ClientId client = (random & kClientMask) | kFirstClient;
    if (set_lock(file, F_OFD_SETLK, F_WRLCK, byte_of(client))) return client;
  }
  return 0;
}

}  // namespace

std::unique_ptr<LockFile> LockFile::open(const std::string& instance, LockFileError& error) {
  const RuntimeFolder folder = runtime_folder();
  error = {folder.error, folder.hint};
  return error.text.empty() ? open_in(folder.path, instance, error) : nullptr;
}

std::unique_ptr<LockFile> LockFile::open_in(const std::string& directory, const std::string& instance,
                                            LockFileError& error) {
  const std::string path = directory + "/wperf-sim-" + instance + ".lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  struct stat info{};
  if (file < 0) {
    error.text = "cannot open the simulated driver's lock " + path + ": " + reason(errno);
  } else if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
    error.text = "the simulated driver's lock " + path + " is not a file of this user";
  }
  const ClientId client = error.text.empty() ? claim_client(file) : 0;
  if (error.text.empty() && client == 0)
    error.text = "cannot lock the simulated driver's lock " + path + ": " + reason(errno);
  if (error.text.empty()) return std::unique_ptr<LockFile>(new LockFile(file, client));
  error.hint = "set XDG_RUNTIME_DIR to a folder that this user can write";
  if (file >= 0) close(file);
  return nullptr;
}

LockFile::~LockFile() {
  close(file_);
}

bool LockFile::begin(LockState& state) {
  if (!set_lock(file_, F_OFD_SETLKW, F_WRLCK, kTurnByte)) return false;
  LockRecord record;
  const ssize_t size = pread(file_, &record, sizeof record, 0);
  const bool intact = size == static_cast<ssize_t>(sizeof record) && record.magic == kMagic &&
                      record.version == kVersion && record.checksum == checksum_of(record);
  state = intact ? record.state : LockState{};
  return true;
}

void LockFile::end(const LockState& state) {
  LockRecord record;
  record.state = state;
  record.checksum = checksum_of(record);
  // A write that fails (disk full) leaves a checksum that does not match: the next reader finds a free driver.
  const ssize_t written = pwrite(file_, &record, sizeof record, 0);
  static_cast<void>(written);
  set_lock(file_, F_OFD_SETLK, F_UNLCK, kTurnByte);
}

bool LockFile::is_alive(ClientId client) const {
  if (client == client_) return true;
  struct flock lock = byte_lock(F_WRLCK, byte_of(client));
  return fcntl(file_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace wperf::sim
