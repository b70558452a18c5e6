// SPDX-License-Identifier: BSD-3-Clause
// Large natural numbers, least significant 32-bit limb first: the interface of bignum.dll.
#pragma once
#include <stdint.h>

#ifdef BIGNUM_DLL
#define BIGNUM_API __declspec(dllexport)
#else
#define BIGNUM_API __declspec(dllimport)
#endif

// product[2 * count] = left[count] * right[count]. The parts are exported so that a profile can name them.
BIGNUM_API void big_school_multiply(uint32_t* product, const uint32_t* left, const uint32_t* right, uint64_t count);
// scratch: 8 * count + 256 limbs.
BIGNUM_API void big_karatsuba_multiply(uint32_t* product, const uint32_t* left, const uint32_t* right, uint64_t count,
                                       uint32_t* scratch);
// Scales in place; returns the new count.
BIGNUM_API uint64_t big_scale(uint32_t* number, uint64_t count, uint32_t factor);
BIGNUM_API uint32_t big_remainder(const uint32_t* number, uint64_t count, uint32_t divisor);

// 10^exponent in limbs from the process heap; null when memory is short. *count is their number.
BIGNUM_API uint32_t* big_power_of_ten(uint64_t exponent, uint64_t* count);
BIGNUM_API void big_release(uint32_t* number);
