// SPDX-License-Identifier: BSD-3-Clause
// Included at the start of each file of CPython. It includes the MinGW headers that CPython needs. Then it defines the
// macros of Microsoft's compiler, so that CPython uses the same code as on Windows.
#pragma once
// clang-format off: in this order
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
// clang-format on
#include <aclapi.h>
#include <assert.h>
#include <bcrypt.h>
#include <crtdbg.h>
#include <ctype.h>
#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <intrin.h>
#include <inttypes.h>
#include <io.h>
#include <limits.h>
#include <lmcons.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pathcch.h>
#include <process.h>
#include <psapi.h>
#include <rpc.h>
#include <sddl.h>
#include <shellapi.h>
#include <shlobj.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <tlhelp32.h>
#include <versionhelpers.h>
#include <wchar.h>
#include <winioctl.h>
#include <winsvc.h>
#define pid_t win_pid_t  // MinGW's pid_t has 64 bits, and CPython's is an int

#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __MINGW32__
#undef __MINGW64__
#define _MSC_VER 1940
#define _M_ARM64 1
#define __INTRIN_H  // clang's own declares more for Microsoft's compiler
#define __INTRIN0_H

unsigned __int64 __getReg(int);
typedef void (*wperf_invalid_parameter)(const wchar_t*, const wchar_t*, const wchar_t*, unsigned, uintptr_t);
wperf_invalid_parameter _set_thread_local_invalid_parameter_handler(wperf_invalid_parameter);
#ifndef ERROR_CONTROL_C_EXIT
#define ERROR_CONTROL_C_EXIT 572
#endif
#undef _rotl
#undef _rotl64
#define _rotl(value, count) __builtin_rotateleft32(value, count)
#define _rotl64(value, count) __builtin_rotateleft64(value, count)
