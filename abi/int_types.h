/* SPDX-License-Identifier: BSD-3-Clause
 * Fixed-width integers without any header, usable in the kernel, the tool and C clients. */
#ifndef WPERF_ABI_INTS_H
#define WPERF_ABI_INTS_H

#if defined(_MSC_VER) && !defined(__clang__)
typedef unsigned __int8 wperf_u8;
typedef unsigned __int16 wperf_u16;
typedef unsigned __int32 wperf_u32;
typedef unsigned __int64 wperf_u64;
#else
typedef __UINT8_TYPE__ wperf_u8;
typedef __UINT16_TYPE__ wperf_u16;
typedef __UINT32_TYPE__ wperf_u32;
typedef __UINT64_TYPE__ wperf_u64;
#endif

#ifdef __cplusplus
#define WPERF_STATIC_ASSERT(condition) static_assert(condition, #condition)
#else
#define WPERF_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#endif

#define WPERF_WIRE_AT(type, field, offset) WPERF_STATIC_ASSERT(__builtin_offsetof(type, field) == (offset))
#define WPERF_WIRE_SIZE(type, size) WPERF_STATIC_ASSERT(sizeof(type) == (size))

#endif
