// SPDX-License-Identifier: BSD-3-Clause
// The program queries the machine, its memory, its children and its console. It prints the number of wrong answers.
//   questions child   writes the address of a text and waits until somebody changes it; ends with 9
//   questions sleep   sleeps for a long time
//   questions break   sends itself Ctrl-Break, which ends it
#include <stdio.h>
#include <string.h>
#include <windows.h>

static int wrong;
static HANDLE handled;
static volatile LONG events[2];

static void check(int right, const char* question) {
  if (right) return;
  ++wrong;
  printf("wrong: %s (error %lu)\n", question, GetLastError());
}

static HANDLE start(const char* how, DWORD flags, HANDLE output, DWORD* id) {
  char self[300], line[400];
  STARTUPINFOA information = {sizeof information};
  PROCESS_INFORMATION made;
  information.dwFlags = output != 0 ? STARTF_USESTDHANDLES : 0;
  information.hStdOutput = information.hStdError = output;
  GetModuleFileNameA(0, self, sizeof self);
  snprintf(line, sizeof line, "\"%s\" %s", self, how);
  check(CreateProcessA(0, line, 0, 0, output != 0, flags, 0, 0, &information, &made), how);
  *id = made.dwProcessId;
  return made.hProcess;
}

static DWORD end_of(HANDLE process) {
  DWORD code = 0;
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &code);
  return code;
}

static int child(void) {
  static volatile char text[16] = "before";
  printf("%p\n", (void*)text);
  fflush(stdout);
  while (text[0] == 'b') Sleep(10);
  return strcmp((const char*)text, "after") == 0 ? 9 : 1;
}

static void memory_of_a_child(void) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, 0, TRUE};
  HANDLE reader, writer;
  char line[64] = "", text[8] = "";
  void* address = 0;
  SIZE_T done = 0;
  DWORD id, size;
  CreatePipe(&reader, &writer, &inherited, 0);
  const HANDLE process = start("child", 0, writer, &id);
  ReadFile(reader, line, sizeof line - 1, &size, 0);
  sscanf(line, "%p", &address);
  check(ReadProcessMemory(process, address, text, 7, &done) && done == 7 && strcmp(text, "before") == 0, "its text");
  check(!ReadProcessMemory(process, (void*)16, text, 7, &done) && GetLastError() == ERROR_PARTIAL_COPY, "no memory");
  check(WriteProcessMemory(process, address, "after", 6, &done) && done == 6, "a new text");
  check(end_of(process) == 9, "it saw that");
}

static BOOL WINAPI handle(DWORD event) {
  if (event < 2) InterlockedIncrement(&events[event]);
  SetEvent(handled);
  return TRUE;
}

static void console_events(void) {
  DWORD id;
  handled = CreateEventA(0, 0, 0, 0);
  SetConsoleCtrlHandler(handle, TRUE);
  check(GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) && WaitForSingleObject(handled, 1000) == 0, "Ctrl-C");
  check(GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0) && WaitForSingleObject(handled, 1000) == 0, "Ctrl-Break");
  const HANDLE process = start("sleep", CREATE_NEW_PROCESS_GROUP, 0, &id);
  Sleep(100);  // until its DLLs are loaded
  check(GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, id), "Ctrl-Break for a group");
  check(end_of(process) == 0xc000013a, "it ended the child");
  const HANDLE early = start("sleep", CREATE_NEW_PROCESS_GROUP, 0, &id);
  check(GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, id), "Ctrl-Break at once");
  check(end_of(early) == 0xc000013a, "it ended the child, too");
  check(events[0] == 1 && events[1] == 1, "and only the child");
}

static void written_pages(void) {
  enum { kPage = 4096, kPages = 16 };
  char* const memory = VirtualAlloc(0, kPages * kPage, MEM_RESERVE | MEM_COMMIT | MEM_WRITE_WATCH, PAGE_READWRITE);
  void* pages[kPages];
  ULONG_PTR count = kPages;
  DWORD size = 0;
  memory[kPage] = 1;
  InterlockedIncrement((LONG*)(memory + 5 * kPage));
  memset(memory + 9 * kPage - 8, 1, 16);
  check(GetWriteWatch(WRITE_WATCH_FLAG_RESET, memory, kPages * kPage, pages, &count, &size) == 0, "written pages");
  check(count == 4 && size == kPage && pages[1] == memory + 5 * kPage && pages[3] == memory + 9 * kPage, "which ones");
  memory[7 * kPage] = 1;
  count = kPages;
  check(GetWriteWatch(0, memory, kPages * kPage, pages, &count, &size) == 0 && count == 1, "those after the reset");
  check(ResetWriteWatch(memory, kPages * kPage) == 0, "the reset");
  count = kPages;
  check(GetWriteWatch(0, memory, kPages * kPage, pages, &count, &size) == 0 && count == 0, "none any more");
  check(memory[kPage] == 1 && memory[9 * kPage] == 1, "the contents");
}

static void cores(void) {
  static char buffer[16384];
  ULONG64 before = 0, after = 0, all = 0, idle[64];
  ULONG idle_size = sizeof idle;
  DWORD size = sizeof buffer, mhz = 0, mhz_size = sizeof mhz;
  volatile int rounds = 0;
  SYSTEM_INFO system;
  FILETIME idle_time, kernel_time, user_time;
  GetSystemInfo(&system);
  check(QueryThreadCycleTime(GetCurrentThread(), &before), "the cycles of a thread");
  while (rounds < 100000) ++rounds;
  check(QueryThreadCycleTime(GetCurrentThread(), &after) && after > before, "they grow");
  check(QueryProcessCycleTime(GetCurrentProcess(), &all) && all >= after, "the cycles of a process");
  check(QueryIdleProcessorCycleTime(&idle_size, idle) && idle_size == 8 * system.dwNumberOfProcessors, "idle cores");
  check(GetSystemTimes(&idle_time, &kernel_time, &user_time) && user_time.dwLowDateTime != 0, "times of processors");
  check(RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "~MHz", RRF_RT_REG_DWORD,
                     0, &mhz, &mhz_size) == 0 &&
            mhz != 0,
        "the clock");
  check(GetLogicalProcessorInformationEx(RelationCache, (void*)buffer, &size), "the caches");
  check(((SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*)buffer)->Cache.CacheSize != 0, "their sizes");
}

static void volume(void) {
  char name[100] = "", kind[20] = "";
  check(GetVolumeNameForVolumeMountPointA("C:\\", name, sizeof name), "the name of the volume");
  check(strncmp(name, "\\\\?\\Volume{", 11) == 0 && GetFileAttributesA(name) != INVALID_FILE_ATTRIBUTES, "it is one");
  check(GetVolumeInformationA(name, 0, 0, 0, 0, 0, kind, sizeof kind) && strcmp(kind, "NTFS") == 0, "its kind");
}

int main(int count, char** words) {
  SERVICE_TABLE_ENTRYA services[] = {{"x", 0}, {0, 0}};
  MEMORYSTATUSEX memory = {sizeof memory};
  if (count > 1 && strcmp(words[1], "child") == 0) return child();
  if (count > 1 && strcmp(words[1], "break") == 0) GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0);
  if (count > 1) Sleep(60000);
  check(!StartServiceCtrlDispatcherA(services) && GetLastError() == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT,
        "no service");
  check(GlobalMemoryStatusEx(&memory) && memory.dwMemoryLoad < 50, "free memory");
  check(SetThreadPriority(GetCurrentThread(), 1) && GetThreadPriority(GetCurrentThread()) == 1, "the priority");
  memory_of_a_child();
  console_events();
  written_pages();
  cores();
  volume();
  printf("%d wrong\n", wrong);
  return wrong;
}
