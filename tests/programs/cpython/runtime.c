// SPDX-License-Identifier: BSD-3-Clause
// The part of a C runtime that is linked into each image of CPython; ucrtbase.dll does the work.
#include <stdarg.h>
#include <stddef.h>

typedef unsigned long long u64;
typedef unsigned short wide;
typedef void FILE;

// Thread-local storage of the image.
unsigned _tls_index;
__attribute__((section(".tls"), aligned(16))) char _tls_start = 0;
__attribute__((section(".tls$ZZZ"))) char _tls_end = 0;
__attribute__((section(".CRT$XLA"))) const void* const __xl_a = 0;
__attribute__((section(".CRT$XLZ"))) const void* const __xl_z = 0;
const struct {
  const void *start, *end;
  unsigned* index;
  const void* callbacks;
  unsigned zeros, characteristics;
} _tls_used = {&_tls_start, &_tls_end, &_tls_index, (const char*)&__xl_a + sizeof(void*), 0, 0};

// x15: the size of a frame in 16 bytes.
__asm__(
    ".globl __chkstk\n__chkstk:\n lsl x16, x15, #4\n mov x17, sp\n"
    "0: sub x17, x17, #4096\n subs x16, x16, #4096\n ldr xzr, [x17]\n b.gt 0b\n ret\n");

#ifdef WPERF_PROGRAM
int wmain(int, wide**);
void _set_app_type(int);
int _configure_wide_argv(int);
int _initialize_wide_environment(void);
int* __p___argc(void);
wide*** __p___wargv(void);
__declspec(noreturn) void exit(int);
void wmainCRTStartup(void) {
  _set_app_type(1);
  _configure_wide_argv(1);
  _initialize_wide_environment();
  exit(wmain(*__p___argc(), *__p___wargv()));
}
#elif defined WPERF_EXTENSION
int _DllMainCRTStartup(void* module, unsigned reason, void* reserved) {
  return (void)module, (void)reason, (void)reserved, 1;
}
const struct {
  unsigned char bytes[16];
} in6addr_any = {{0}}, in6addr_loopback = {{[15] = 1}};
#else
int DllMain(void* module, unsigned reason, void* reserved);
int _DllMainCRTStartup(void* module, unsigned reason, void* reserved) {
  return DllMain(module, reason, reserved);
}
#endif

int _crt_atexit(void (*)(void));
int atexit(void (*function)(void)) {
  return _crt_atexit(function);
}

enum { kStandardSnprintf = 2, kLegacySnprintf = 1 };
int __stdio_common_vfprintf(u64, FILE*, const char*, void*, va_list);
int __stdio_common_vsprintf(u64, char*, size_t, const char*, void*, va_list);
int __stdio_common_vswprintf(u64, wide*, size_t, const wide*, void*, va_list);
int __stdio_common_vsscanf(u64, const char*, size_t, const char*, void*, va_list);
FILE* __acrt_iob_func(unsigned);
#define FORWARD(call)      \
  va_list list;            \
  va_start(list, format);  \
  const int result = call; \
  va_end(list);            \
  return result
int vfprintf(FILE* file, const char* format, va_list list) {
  return __stdio_common_vfprintf(0, file, format, 0, list);
}
int fprintf(FILE* file, const char* format, ...) {
  FORWARD(vfprintf(file, format, list));
}
int printf(const char* format, ...) {
  FORWARD(vfprintf(__acrt_iob_func(1), format, list));
}
int vprintf(const char* format, va_list list) {
  return vfprintf(__acrt_iob_func(1), format, list);
}
int vsnprintf(char* out, size_t size, const char* format, va_list list) {
  return __stdio_common_vsprintf(kStandardSnprintf, out, size, format, 0, list);
}
int snprintf(char* out, size_t size, const char* format, ...) {
  FORWARD(vsnprintf(out, size, format, list));
}
int _vsnprintf(char* out, size_t size, const char* format, va_list list) {
  return __stdio_common_vsprintf(kLegacySnprintf, out, size, format, 0, list);
}
int _snprintf(char* out, size_t size, const char* format, ...) {
  FORWARD(_vsnprintf(out, size, format, list));
}
int vsprintf(char* out, const char* format, va_list list) {
  return vsnprintf(out, ~(size_t)0 >> 1, format, list);
}
int sprintf(char* out, const char* format, ...) {
  FORWARD(vsprintf(out, format, list));
}
int sscanf(const char* text, const char* format, ...) {
  FORWARD(__stdio_common_vsscanf(0, text, ~(size_t)0, format, 0, list));
}
int swprintf(wide* out, size_t size, const wide* format, ...) {
  FORWARD(__stdio_common_vswprintf(kStandardSnprintf, out, size, format, 0, list));
}

int __isnan(double value) {
  return value != value;
}
// MinGW's numbers: 0x100 not a number, 0x400 normal, 0x4000 zero, 0x500 infinite, 0x4400 subnormal.
int __fpclassify(double value) {
  const double size = value < 0 ? -value : value;
  if (value != value) return 0x100;
  if (size == 0) return 0x4000;
  if (size > 1.7976931348623157e308) return 0x500;
  return size < 2.2250738585072014e-308 ? 0x4400 : 0x400;
}
int __fpclassifyf(float value) {
  return __fpclassify(value);
}
wide* wmemchr(const wide* text, wide wanted, size_t count) {
  for (; count != 0; --count, ++text)
    if (*text == wanted) return (wide*)text;
  return 0;
}
void* RtlSecureZeroMemory(void* memory, size_t size) {
  for (volatile char* at = memory; size != 0; --size) *at++ = 0;
  return memory;
}
int _CrtSetReportMode(int kind, int mode) {
  return (void)kind, (void)mode, 0;
}
void* _CrtSetReportFile(int kind, void* file) {
  return (void)kind, (void)file, (void*)0;
}
int _CrtDbgReport(int kind, const char* file, int line, const char* module, const char* format, ...) {
  return (void)kind, (void)file, (void)line, (void)module, (void)format, 0;
}
int _CrtDbgReportW(int kind, const wide* file, int line, const wide* module, const wide* format, ...) {
  return (void)kind, (void)file, (void)line, (void)module, (void)format, 0;
}
