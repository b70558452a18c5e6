// SPDX-License-Identifier: BSD-3-Clause
// Records of the state before a recording began, made from the kernel's text files, because the kernel itself reports
// only changes. Pure.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "formats/perf_data/record_bytes.h"

namespace wperf::perf_events {

// A file in /proc/PID/maps.
struct ListedMapping {
  u64 begin = 0, end = 0;
  std::string_view path;    // without the kernel's mark of a deleted file
  bool is_deleted = false;  // the file has no name any more
};
// Returns the bytes of a file's build id; empty if not known.
using BuildIdOf = std::function<std::string_view(const ListedMapping& mapping)>;

// One record for each mapping in /proc/PID/maps. perf needs mappings of data only to unwind stack copies: it assumes
// that a file's first mapping gives the position of the whole file. A deleted file has its former path if its build id
// is known, which distinguishes it from another file at that path.
enum class WhichMappings : u8 { code, all };
struct ProcessMaps {
  u32 process = 0;
  std::string_view maps;  // the contents of /proc/PID/maps
};
void append_mappings(std::string& out, const ProcessMaps& read, WhichMappings which, const BuildIdOf& build_id_of,
                     const perf_data::Trailer& trailer);

// The kernel's mapping as perf writes it. It starts at the first function, which is at the beginning of /proc/kallsyms;
// its length is in /proc/iomem. `build_id`: its bytes. Appends nothing if the addresses are hidden.
void append_kernel(std::string& out, std::string_view symbols, std::string_view memory,
                   const perf_data::Trailer& trailer, std::string_view build_id = {});

// The kernel's modules, from /proc/modules.
void append_kernel_modules(std::string& out, std::string_view modules, const perf_data::Trailer& trailer);

// The build id in the notes of an ELF file that begins with `bytes`, or in notes without a file (/sys/kernel/notes).
std::string_view build_id_in_elf(std::string_view bytes);
std::string_view build_id_in_notes(std::string_view notes);

}  // namespace wperf::perf_events
