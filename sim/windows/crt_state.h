// SPDX-License-Identifier: BSD-3-Clause
// The state of the simulated C runtime (msvcrt.dll, ucrtbase.dll) for a process, and where its variables are.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

// The data of the C runtime's image, from its start on.
inline constexpr u64 kCrtDataBytes = 0x4000;
inline constexpr u32 kCrtCommandLine = 0x00, kCrtCommitMode = 0x08, kCrtFileMode = 0x0c, kCrtErrorCount = 0x10,
                     kCrtClasses = 0x18, kCrtLongestCharacter = 0x20, kCrtEnvironment = 0x28, kCrtArgumentCount = 0x30,
                     kCrtArguments = 0x38, kCrtLocaleFacts = 0x80, kCrtTexts = 0x200, kCrtClassTable = 0x400,
                     kCrtStreams = 0x800, kCrtLocale = 0x3800;
inline constexpr u32 kStreamBytes = 48, kMostStreams = 256;  // size of a FILE, which programs have compiled in

// At the end of a thread's TEB.
inline constexpr u64 kTebErrno = 0x1f00, kTebTime = 0x1f10, kTebText = 0x1f40;
inline constexpr usize kTebTextBytes = 0xc0;

// errno
inline constexpr u32 kNoEntry = 2, kIoError = 5, kBadFile = 9, kNoMemory = 12, kAccess = 13, kExists = 17,
                     kInvalid = 22, kTooManyFiles = 24, kRange = 34, kNotEmpty = 41;

struct CrtFile {  // by descriptor
  enum class Kind : u8 { closed, input, output, error, file };
  Kind kind = Kind::closed;
  u32 number = 0;  // number in GuestFiles
};

struct CrtStream {
  bool open = false, at_end = false, failed = false;
  u32 descriptor = 0;
  std::string input;  // read ahead
  usize taken = 0;    // the part of it that was consumed
};

struct CrtState {
  u64 data = 0;  // address of the variables above
  std::vector<CrtFile> files = {{CrtFile::Kind::input, 0}, {CrtFile::Kind::output, 0}, {CrtFile::Kind::error, 0}};
  std::vector<CrtStream> streams = {
      {true, false, false, 0, {}, 0}, {true, false, false, 1, {}, 0}, {true, false, false, 2, {}, 0}};
  std::vector<u64> exit_functions;
  std::map<u32, u64> signal_handlers;
  u32 random = 1;
};

}  // namespace wperf::sim
