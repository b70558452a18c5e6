// SPDX-License-Identifier: BSD-3-Clause
// Timers that call a routine, and queries about objects and permissions. It prints the number of wrong answers.
#include <aclapi.h>
#include <stdio.h>
#include <windows.h>

static int calls, wrong;
static unsigned long long times[8];

static void check(int right, const char* question) {
  if (right) return;
  ++wrong;
  printf("wrong: %s (error %lu)\n", question, GetLastError());
}

static void CALLBACK count(void* context, DWORD low, DWORD high) {
  if (context == &calls && calls < 8) times[calls] = (unsigned long long)high << 32 | low;
  ++calls;
}

static void routines(void) {
  HANDLE timer = CreateWaitableTimerA(0, 0, 0);
  LARGE_INTEGER due;
  due.QuadPart = -20000;  // 2 ms from now
  check(SetWaitableTimer(timer, &due, 5, count, &calls, 0), "the timer is set");
  Sleep(20);  // not alertable
  check(calls == 0, "no call outside of an alertable wait");
  check(SleepEx(INFINITE, TRUE) == WAIT_IO_COMPLETION && calls == 1, "one call for all times that went by");
  while (calls < 4) check(SleepEx(1000, TRUE) == WAIT_IO_COMPLETION, "the next calls");
  check(times[3] - times[2] == 50000 && times[2] - times[1] == 50000, "a call every 5 ms");
  check(CancelWaitableTimer(timer) && SleepEx(30, TRUE) == 0 && calls == 4, "no call after it was cancelled");
  due.QuadPart = -10000;
  check(SetWaitableTimer(timer, &due, 0, count, 0, 0), "it is set once");
  CloseHandle(timer);
  check(SleepEx(5, TRUE) == 0 && calls == 4, "no call after it was closed");
  printf("%d calls\n", calls);
}

static void permissions(void) {
  PSID owner = 0;
  PACL list = 0;
  PSECURITY_DESCRIPTOR descriptor = 0;
  char self[300];
  GENERIC_MAPPING mapping = {FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_GENERIC_EXECUTE, FILE_ALL_ACCESS};
  PRIVILEGE_SET privileges;
  DWORD privileges_size = sizeof privileges, granted = 0;
  BOOL may = 0;
  HANDLE token = 0, impersonation = 0;
  GetModuleFileNameA(0, self, sizeof self);
  check(GetNamedSecurityInfoA(self, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, 0,
                              &list, 0, &descriptor) == 0,
        "the permissions of a file");
  check(owner != 0 && IsValidSid(owner) && list != 0 && IsValidAcl(list) && list->AceCount == 1, "owner and list");
  check(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_DUPLICATE, &token), "the token");
  check(DuplicateToken(token, SecurityImpersonation, &impersonation), "its copy");
  check(AccessCheck(descriptor, impersonation, FILE_GENERIC_READ, &mapping, &privileges, &privileges_size, &granted,
                    &may) &&
            may && granted == FILE_GENERIC_READ,
        "access to the file");
  LocalFree(descriptor);
}

int main(void) {
  LUID first, second;
  routines();
  permissions();
  check(AllocateLocallyUniqueId(&first) && AllocateLocallyUniqueId(&second) && first.LowPart != second.LowPart,
        "two ids differ");
  printf("%d wrong\n", wrong);
  return wrong;
}
