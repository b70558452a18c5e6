// SPDX-License-Identifier: BSD-3-Clause
// A program that starts itself: pipes, inherited handles, exit codes, the environment, named pipes.
//   children NAME             reads its input to the end and says how many x there were; ends with 42
//   children fault | forever  crashes, or never ends
//   children pipe             writes to the pipe \\.\pipe\children
//   children ctrl-c           waits with a child until both received Ctrl-C
//   children handler          says that it is ready, and ends with 3 after Ctrl-C
#include <stdio.h>
#include <string.h>
#include <windows.h>

static HANDLE start(const char* argument, HANDLE input, HANDLE output) {
  STARTUPINFOA info = {sizeof info};
  PROCESS_INFORMATION made;
  char line[600], self[300];
  GetModuleFileNameA(0, self, sizeof self);
  sprintf(line, "\"%s\" %s", self, argument);
  info.dwFlags = STARTF_USESTDHANDLES;
  info.hStdInput = input;
  info.hStdOutput = output;
  info.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  if (!CreateProcessA(self, line, 0, 0, TRUE, 0, 0, 0, &info, &made)) {
    printf("no process: %lu\n", GetLastError());
    return 0;
  }
  CloseHandle(made.hThread);
  return made.hProcess;
}

static unsigned long code_of(HANDLE process) {
  unsigned long code = 0;
  const unsigned long waited = WaitForSingleObject(process, 10000);
  GetExitCodeProcess(process, &code);
  CloseHandle(process);
  return waited == WAIT_OBJECT_0 ? code : 0xdead;
}

static void make_pipe(HANDLE* theirs, HANDLE* ours, int they_read) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, 0, TRUE};
  if (!CreatePipe(they_read ? theirs : ours, they_read ? ours : theirs, &inherited, 0)) printf("no pipe\n");
  SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
}

static void talk(void) {
  static char sent[10000];
  char got[300];
  HANDLE input, to_child, output, from_child;
  unsigned long count = 0;
  make_pipe(&input, &to_child, 1);
  make_pipe(&output, &from_child, 0);
  SetEnvironmentVariableA("FROM_PARENT", "yes");
  const HANDLE child = start("one", input, output);
  CloseHandle(input);
  CloseHandle(output);
  memset(sent, 'x', sizeof sent);
  WriteFile(to_child, sent, sizeof sent, &count, 0);
  printf("wrote %lu\n", count);
  CloseHandle(to_child);
  while (ReadFile(from_child, got, sizeof got - 1, &count, 0) && count != 0) {
    got[count] = 0;
    printf("got %.*s\n", (int)strcspn(got, "\r\n"), got);
  }
  printf("the end is error %lu\n", GetLastError());
  CloseHandle(from_child);
  printf("exit code %lu\n", code_of(child));
}

static void WINAPI arrived(unsigned long error, unsigned long count, OVERLAPPED* read) {
  printf("routine: error %lu, %lu bytes, %lu\n", error, count, (unsigned long)read->Internal);
}

// The child writes to a pipe with a name after the read has begun.
static void read_overlapped(int with_routine) {
  char got[100] = "";
  unsigned long count = 0;
  OVERLAPPED read = {0};
  const HANDLE pipe =
      CreateNamedPipeA("\\\\.\\pipe\\children", PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED, 0, 1, 0, 4096, 0, 0);
  const HANDLE child = start("pipe", GetStdHandle(STD_INPUT_HANDLE), GetStdHandle(STD_OUTPUT_HANDLE));
  if (with_routine) {
    while (!ReadFileEx(pipe, got, sizeof got, &read, arrived) && GetLastError() == ERROR_PIPE_LISTENING) Sleep(1);
    printf("woken by %lu\n", SleepEx(10000, TRUE));
  } else {
    read.hEvent = CreateEventA(0, TRUE, FALSE, 0);
    while (!ReadFile(pipe, got, sizeof got, 0, &read) && GetLastError() == ERROR_PIPE_LISTENING) Sleep(1);
    printf("now %lu\n", GetLastError());
    printf("event %lu\n", WaitForSingleObject(read.hEvent, 10000));
    GetOverlappedResult(pipe, &read, &count, FALSE);
  }
  printf("pipe says %s, exit code %lu\n", got, code_of(child));
  CloseHandle(pipe);
}

static HANDLE interrupted;

static int WINAPI note(unsigned long kind) {
  if (kind == CTRL_C_EVENT) SetEvent(interrupted);
  return TRUE;
}

static int wait_for_ctrl_c(int with_child) {
  HANDLE child = 0;
  interrupted = CreateEventA(0, TRUE, FALSE, 0);
  SetConsoleCtrlHandler(note, TRUE);
  if (with_child)
    child = start("handler", GetStdHandle(STD_INPUT_HANDLE), GetStdHandle(STD_OUTPUT_HANDLE));
  else
    printf("ready\n");
  fflush(stdout);
  if (WaitForSingleObject(interrupted, INFINITE) != WAIT_OBJECT_0) return 1;
  if (with_child) printf("both were interrupted, exit code %lu\n", code_of(child));
  return 3;
}

int main(int count, char** arguments) {
  if (count == 1) {
    talk();
    read_overlapped(0);
    read_overlapped(1);
    printf("crash %08lx\n", code_of(start("fault", 0, 0)));
    const HANDLE endless = start("forever", 0, 0);
    printf("early %lu\n", WaitForSingleObject(endless, 5));
    TerminateProcess(endless, 9);
    printf("ended %lu\n", code_of(endless));
    return 0;
  }
  if (strcmp(arguments[1], "fault") == 0) return *(volatile int*)8;
  if (strcmp(arguments[1], "ctrl-c") == 0 || strcmp(arguments[1], "handler") == 0)
    return wait_for_ctrl_c(strcmp(arguments[1], "ctrl-c") == 0);
  if (strcmp(arguments[1], "forever") == 0)
    for (;;) Sleep(0);
  if (strcmp(arguments[1], "pipe") == 0) {
    unsigned long written = 0;
    const HANDLE pipe = CreateFileA("\\\\.\\pipe\\children", GENERIC_WRITE, 0, 0, OPEN_EXISTING, 0, 0);
    Sleep(20);
    WriteFile(pipe, "hello", 5, &written, 0);
    return (int)written;
  }
  char text[256], folder[300];
  int number = 0;
  unsigned long read = 0;
  while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), text, sizeof text, &read, 0) && read != 0)
    for (unsigned long i = 0; i < read; ++i) number += text[i] == 'x';
  GetCurrentDirectoryA(sizeof folder, folder);
  GetEnvironmentVariableA("FROM_PARENT", text, sizeof text);
  printf("child %s: %d in %s, %s\n", arguments[1], number, folder, text);
  return 42;
}
