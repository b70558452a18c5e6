// SPDX-License-Identifier: BSD-3-Clause
// Replaces a header of the Windows SDK that MinGW lacks. The functions fail, so CPython uses other functions instead.
#pragma once
typedef HANDLE HPSS;
typedef struct {
  DWORD ParentProcessId;
} PSS_PROCESS_INFORMATION;
enum { PSS_CAPTURE_NONE = 0, PSS_QUERY_PROCESS_INFORMATION = 0 };
static inline DWORD PssCaptureSnapshot(HANDLE process, int flags, DWORD context, HPSS* snapshot) {
  (void)process, (void)flags, (void)context, (void)snapshot;
  return ERROR_NOT_SUPPORTED;
}
static inline DWORD PssQuerySnapshot(HPSS snapshot, int information, void* out, DWORD size) {
  (void)snapshot, (void)information, (void)out, (void)size;
  return ERROR_NOT_SUPPORTED;
}
static inline DWORD PssFreeSnapshot(HANDLE process, HPSS snapshot) {
  (void)process, (void)snapshot;
  return ERROR_SUCCESS;
}
