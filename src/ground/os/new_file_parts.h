// SPDX-License-Identifier: BSD-3-Clause
// The parts of new_file.cpp that each system implements.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "ground/os/new_file.h"

namespace wperf::os::new_file {

// All of these set errno when they fail, on Windows to the nearest value.
enum class Place : u8 { free_or_file, stream, folder, barred };
// `barred`: the existing file belongs to another user, and only the folder's owner may replace it.
Place place_at(const std::string& path);
// Creates a file that must not exist yet; -1: it exists, or cannot be created.
std::intptr_t create(const std::string& path, Readers readers);
// Opens a device, a pipe, or the system's name of an opened file; -1 if it is another kind of file, or may not be
// written to.
std::intptr_t open_stream(const std::string& path);
bool may_write_stream(const std::string& path);
std::FILE* stream_of(std::intptr_t handle, bool text);  // Takes over the handle.
void close(std::intptr_t handle);
void remove(const std::string& path);
bool rename(const std::string& from, const std::string& to);  // replaces an existing file
bool make_folder(const std::string& path);  // for its owner only; false if it exists already, or cannot be made

}  // namespace wperf::os::new_file
