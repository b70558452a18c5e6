// SPDX-License-Identifier: BSD-3-Clause
// QEMU's services for a guest (-semihosting-config enable=on,target=native): console, files of the host, command line.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

void write_console(const char* text);  // goes to QEMU's standard error
bool read_command_line(char* to, u64 capacity);
u64 end_of_free_ram();  // where QEMU's RAM ends (-m), as a physical address
// Reads a whole file to fresh contiguous pages; size 0 = it cannot be read.
struct HostFile {
  const u8* bytes;
  u64 size;
};
HostFile read_host_file(const char* path);
[[noreturn]] void exit_qemu(int status);

}  // namespace wperf::nthost
