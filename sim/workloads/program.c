// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#define WINDOWS_FUNCTION __declspec(dllimport)
WINDOWS_FUNCTION const char* GetCommandLineA(void);
WINDOWS_FUNCTION void* GetStdHandle(u32 which);
WINDOWS_FUNCTION int WriteFile(void* file, const void* bytes, u32 size, u32* written, void* overlapped);
WINDOWS_FUNCTION void* VirtualAlloc(void* address, u64 size, u32 type, u32 protection);

// The compiler calls these two functions even without a C runtime.
void* memset(void* to, int value, u64 size) {
  u8* bytes = to;
  for (u64 index = 0; index < size; ++index) bytes[index] = (u8)value;
  return to;
}

void* memcpy(void* to, const void* from, u64 size) {
  u8* out = to;
  const u8* in = from;
  for (u64 index = 0; index < size; ++index) out[index] = in[index];
  return to;
}

static const char* skip_word(const char* text) {
  int quoted = 0;
  for (; *text != 0 && (quoted || *text != ' '); ++text) {
    if (*text == '"') quoted = !quoted;
  }
  while (*text == ' ') ++text;
  return text;
}

static const char* argument(u32 index) {
  const char* text = GetCommandLineA();
  for (u32 word = 0; word < index; ++word) text = skip_word(text);
  return text;
}

int is_argument(u32 index, const char* word) {
  const char* text = argument(index);
  for (; *word != 0; ++word, ++text) {
    if (*text != *word) return 0;
  }
  return *text == 0 || *text == ' ';
}

u64 number_argument(u32 index, u64 fallback) {
  const char* text = argument(index);
  if (*text < '0' || *text > '9') return fallback;
  u64 value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (u64)(*text - '0');
  return value;
}

void print(const char* label, u64 value) {
  char line[96];
  u32 size = 0;
  while (*label != 0 && size < 64) line[size++] = *label++;
  line[size++] = ' ';
  char digits[20];
  u32 count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count != 0) line[size++] = digits[--count];
  line[size++] = '\n';
  u32 written = 0;
  WriteFile(GetStdHandle(0xfffffff5u), line, size, &written, 0);
}

void* take_pages(u64 bytes) {
  const u32 commit_and_reserve = 0x3000, read_write = 4;
  return VirtualAlloc(0, bytes, commit_and_reserve, read_write);
}

int start(void) {
  return run();
}
