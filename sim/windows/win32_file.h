// SPDX-License-Identifier: BSD-3-Clause
// Shared by the file functions of kernel32.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "sim/windows/win32_call.h"

namespace wperf::sim {

inline constexpr u32 kErrorFileNotFound = 2, kErrorPathNotFound = 3, kErrorTooManyOpenFiles = 4, kErrorAccessDenied = 5,
                     kErrorNoMoreFiles = 18, kErrorGeneralFailure = 31, kErrorHandleEof = 38, kErrorFileExists = 80,
                     kErrorDirectoryNotEmpty = 145, kErrorAlreadyExists = 183, kErrorIoDevice = 1117;
inline constexpr u64 kInvalidHandle = ~0ull;

u32 error_of(FileProblem problem);
// A path as UTF-8. Returns nullopt if the program has crashed, or if the path is too long; then the last error is set.
std::optional<std::string> path_at(Win32Call& call, u64 address, bool wide);
// "C:\work\a.txt" for "a.txt", without looking at files.
std::string full_path(const std::string& name);
// The answer of functions that fill a buffer: the length without the end if it fits, otherwise the room that is needed.
u64 answer_text(Win32Call& call, const std::string& text, u64 address, u32 capacity, bool wide);

// The times and attributes in the form of Windows.
u64 file_time_of(const FileFacts& facts);  // 100 ns since 1601
u32 attributes_of(const FileFacts& facts);
// Attributes, three times, size: the beginning of WIN32_FIND_DATA and WIN32_FILE_ATTRIBUTE_DATA.
std::array<u32, 9> attribute_data(const FileFacts& facts);

// Standard streams (win32_console.cpp). Return the number of bytes, or nullopt if the program has crashed or the last
// error has the reason.
bool is_standard_stream(u64 handle);
std::optional<u64> read_stream(Win32Call& call, u64 handle, u64 address, u64 size);
std::optional<u64> write_stream(Win32Call& call, u64 handle, u64 address, u64 size);

}  // namespace wperf::sim
