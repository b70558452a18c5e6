// SPDX-License-Identifier: BSD-3-Clause
// The program ends in the way that its first argument names, with the number in the second argument. `keys` reads
// single keys until q.
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static int read_keys(void) {
  const HANDLE in = GetStdHandle(STD_INPUT_HANDLE), out = GetStdHandle(STD_OUTPUT_HANDLE);
  DWORD mode = 0, count = 0;
  if (!GetConsoleMode(in, &mode) || !SetConsoleMode(in, mode & ~(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT))) return 9;
  WriteFile(out, "keys\n", 5, &count, NULL);
  for (char shown[4] = "< >\n"; ReadFile(in, shown + 1, 1, &count, NULL) && count == 1 && shown[1] != 'q';)
    WriteFile(out, shown, 4, &count, NULL);
  return 3;
}

// The error of the first write that fails; with `ever`, writes go on, as in a program that ignores errors.
static int write_on(int ever) {
  static char bytes[10000];
  DWORD count = 0;
  while (WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, sizeof bytes, &count, NULL) || ever) {
  }
  return (int)GetLastError();
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  const DWORD number = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
  if (strcmp(way, "exit") == 0) ExitProcess(number);
  if (strcmp(way, "terminate") == 0) TerminateProcess(GetCurrentProcess(), number);
  if (strcmp(way, "raise") == 0) RaiseException(number, 0, 0, NULL);
  if (strcmp(way, "break") == 0) DebugBreak();
  if (strcmp(way, "keys") == 0) return read_keys();
  if (strcmp(way, "write") == 0) return write_on(number != 0);
  return 77;
}
