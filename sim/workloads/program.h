// SPDX-License-Identifier: BSD-3-Clause
// The basis of every C workload: no C runtime, only a few functions of KERNEL32. program.c holds the entry point and
// calls run().
#pragma once
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

int run(void);  // the workload; its result is the exit code, 0 if its answer is right

u64 number_argument(u32 index, u64 fallback);  // decimal; index 1 is the first word after the program's name
int is_argument(u32 index, const char* word);  // whether the argument with that index is this word
void print(const char* label, u64 value);      // "label value", one line
void* take_pages(u64 bytes);                   // zeroed; ends in a null pointer when there is no memory
