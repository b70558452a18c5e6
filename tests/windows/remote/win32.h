// SPDX-License-Identifier: BSD-3-Clause
// The few functions of Win32 that remote.exe calls, so that it builds with only clang and lld.
#pragma once
#include "abi/int_types.h"

using Handle = void*;
inline const Handle kNoHandle = reinterpret_cast<Handle>(~wperf_u64{0});

struct Guid {
  wperf_u32 data1;
  wperf_u16 data2, data3;
  wperf_u8 data4[8];
};

struct DeviceInterfaceData {  // SP_DEVICE_INTERFACE_DATA
  wperf_u32 size;
  Guid interface_class;
  wperf_u32 flags;
  wperf_u64 reserved;
};
WPERF_WIRE_SIZE(DeviceInterfaceData, 32);

struct DeviceInterfaceDetail {  // SP_DEVICE_INTERFACE_DETAIL_DATA_W; `size` is that of its fixed part, 8
  wperf_u32 size;
  wchar_t path[1024];
};

inline constexpr wperf_u32 kGenericRead = 0x80000000u, kGenericWrite = 0x40000000u, kOpenExisting = 3;
inline constexpr wperf_u32 kPresentInterfaces = 0x12;  // DIGCF_PRESENT | DIGCF_DEVICEINTERFACE
inline constexpr wperf_u32 kStandardError = static_cast<wperf_u32>(-12);

extern "C" {
// kernel32.dll
__declspec(dllimport) Handle CreateFileW(const wchar_t* name, wperf_u32 access, wperf_u32 share, void* security,
                                         wperf_u32 disposition, wperf_u32 flags, Handle from);
__declspec(dllimport) int DeviceIoControl(Handle device, wperf_u32 code, const void* input, wperf_u32 input_size,
                                          void* output, wperf_u32 output_size, wperf_u32* returned, void* overlapped);
[[noreturn]] __declspec(dllimport) void ExitProcess(wperf_u32 code);
__declspec(dllimport) const wchar_t* GetCommandLineW();
__declspec(dllimport) Handle GetCurrentProcess();
__declspec(dllimport) Handle GetCurrentThread();
__declspec(dllimport) wperf_u32 GetCurrentThreadId();
__declspec(dllimport) wperf_u32 GetLastError();
__declspec(dllimport) int GetProcessAffinityMask(Handle process, wperf_u64* mask, wperf_u64* system_mask);
__declspec(dllimport) Handle GetStdHandle(wperf_u32 which);
__declspec(dllimport) wperf_u64 SetThreadAffinityMask(Handle thread, wperf_u64 mask);
__declspec(dllimport) void Sleep(wperf_u32 milliseconds);
__declspec(dllimport) int WriteFile(Handle file, const void* bytes, wperf_u32 size, wperf_u32* written,
                                    void* overlapped);
// setupapi.dll
__declspec(dllimport) Handle SetupDiGetClassDevsW(const Guid* interface_class, const wchar_t* enumerator, Handle parent,
                                                  wperf_u32 flags);
__declspec(dllimport) int SetupDiEnumDeviceInterfaces(Handle devices, void* device, const Guid* interface_class,
                                                      wperf_u32 index, DeviceInterfaceData* data);
__declspec(dllimport) int SetupDiGetDeviceInterfaceDetailW(Handle devices, DeviceInterfaceData* data,
                                                           DeviceInterfaceDetail* detail, wperf_u32 size,
                                                           wperf_u32* needed, void* device);
}
