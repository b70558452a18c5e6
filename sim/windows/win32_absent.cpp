// SPDX-License-Identifier: BSD-3-Clause
// Functions that programs import but seldom call. The program is loaded; calling one ends it with the function's name.
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

u64 absent(Win32Call& call) {
  return call.crash("the simulator does not have this function");
}

constexpr Win32Function kAbsent[] = {
    {"RtlPcToFileHeader", kKernelDll | kNtDll, absent},
    // Waiting for objects other than threads.
    {"CreateMutexA", kKernelDll, absent},
    {"ReleaseMutex", kKernelDll, absent},
    {"SetWaitableTimer", kKernelDll, absent},
    {"ReadFileEx", kKernelDll, absent},
    {"WriteFileEx", kKernelDll, absent},
    // Other programs, and files outside of the folder.
    {"CreateNamedPipeW", kKernelDll, absent},
    {"CreateProcessW", kKernelDll, absent},
    {"GetExitCodeProcess", kKernelDll, absent},
    {"_popen", kCrtDll, absent},
    {"_pclose", kCrtDll, absent},
    {"system", kCrtDll, absent},
    {"tmpfile", kCrtDll, absent},
    {"tmpnam", kCrtDll, absent},
    {"_findclose", kCrtDll, absent},
    {"_findfirst64", kCrtDll, absent},
    {"_findnext64", kCrtDll, absent},
    {"_fullpath", kCrtDll, absent},
    {"CreateMutexW", kKernelDll, absent},
    {"FlushViewOfFile", kKernelDll, absent},
    {"GetDiskFreeSpaceA", kKernelDll, absent},
    {"GetDiskFreeSpaceW", kKernelDll, absent},
    {"HeapCompact", kKernelDll, absent},
    {"SetFileTime", kKernelDll, absent},
    {"SystemTimeToFileTime", kKernelDll, absent},
    // Rare texts.
    {"_sscanf_l", kCrtDll, absent},
    {"wcstol", kCrtDll, absent},
    {"wcstoul", kCrtDll, absent},
    {"_wcscoll_l", kCrtDll, absent},
    {"_wcsxfrm_l", kCrtDll, absent},
};

}  // namespace

std::span<const Win32Function> absent_functions() {
  return kAbsent;
}

}  // namespace wperf::sim
