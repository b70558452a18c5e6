// SPDX-License-Identifier: BSD-3-Clause
// What of new_file.cpp each system does in its own way.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "ground/os/new_file.h"

namespace wperf::os::new_file {

// All of these leave the errno of what failed, on Windows its nearest one.
enum class Place : u8 { free_or_file, stream, folder, barred };
// `barred`: what lies there belongs to somebody else, and the folder lets nobody but its owner replace it.
Place place_at(const std::string& path);
// A file that was not there before; -1: there is one, or none can be made.
std::intptr_t create(const std::string& path, Readers readers);
// A device, a pipe, or what the system calls an opened file; -1: it is none, or may not be written to.
std::intptr_t open_stream(const std::string& path);
bool may_write_stream(const std::string& path);
std::FILE* stream_of(std::intptr_t handle, bool text);  // which owns the handle from here on
void close(std::intptr_t handle);
void remove(const std::string& path);
bool rename(const std::string& from, const std::string& to);  // in place of what is there
bool make_folder(const std::string& path);                    // for its owner alone; false: there is one, or it failed

}  // namespace wperf::os::new_file
