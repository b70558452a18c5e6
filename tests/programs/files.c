// SPDX-License-Identifier: BSD-3-Clause
// Files with Windows' semantics: sharing, attributes, drives, names in other alphabets, changes of folders, links. It
// prints the number of wrong answers.
#include <stdio.h>
#include <windows.h>

static int wrong;

static void check(int right, const char* question) {
  if (right) return;
  ++wrong;
  printf("wrong: %s (error %lu)\n", question, GetLastError());
}

static HANDLE open(const char* name, DWORD access, DWORD shared, DWORD how) {
  return CreateFileA(name, access, shared, 0, how, FILE_ATTRIBUTE_NORMAL, 0);
}

static int fails_with(HANDLE file, DWORD error) {
  if (file == INVALID_HANDLE_VALUE) return GetLastError() == error;
  CloseHandle(file);
  SetLastError(0);
  return 0;
}

static void make(const char* name) {
  CloseHandle(open(name, GENERIC_WRITE, 0, CREATE_ALWAYS));
}

static void sharing(void) {
  const DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE first = open("shared.txt", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, CREATE_ALWAYS), second;
  check(fails_with(open("shared.txt", GENERIC_WRITE, all, OPEN_EXISTING), ERROR_SHARING_VIOLATION), "a second writer");
  check(fails_with(open("shared.txt", GENERIC_READ, FILE_SHARE_READ, OPEN_EXISTING), ERROR_SHARING_VIOLATION),
        "a reader that refuses the writer");
  second = open("shared.txt", GENERIC_READ, all, OPEN_EXISTING);
  check(second != INVALID_HANDLE_VALUE, "a reader");
  CloseHandle(second);
  second = open("shared.txt", FILE_READ_ATTRIBUTES, 0, OPEN_EXISTING);
  check(second != INVALID_HANDLE_VALUE, "a question about an open file");
  CloseHandle(second);
  check(!DeleteFileA("shared.txt") && GetLastError() == ERROR_SHARING_VIOLATION, "an open file is not deleted");
  check(!MoveFileA("shared.txt", "moved.txt") && GetLastError() == ERROR_SHARING_VIOLATION, "nor renamed");
  CloseHandle(first);
  first = open("shared.txt", GENERIC_READ, all, OPEN_EXISTING);
  check(DeleteFileA("shared.txt"), "a file that may be deleted");
  CloseHandle(first);
  check(GetFileAttributesA("shared.txt") == INVALID_FILE_ATTRIBUTES, "it is gone");
  first = CreateFileA("temporary.txt", GENERIC_WRITE, FILE_SHARE_DELETE, 0, CREATE_NEW, FILE_FLAG_DELETE_ON_CLOSE, 0);
  check(GetFileAttributesA("temporary.txt") != INVALID_FILE_ATTRIBUTES, "a temporary file");
  CloseHandle(first);
  check(GetFileAttributesA("temporary.txt") == INVALID_FILE_ATTRIBUTES, "it is gone, too");
}

static void attributes(void) {
  FILETIME written = {0x80000000, 0x01d80000}, got_read, got_written;
  const FILETIME read = {0x40000000, 0x01d70000};
  WIN32_FILE_ATTRIBUTE_DATA data;
  HANDLE file;
  make("kept.txt");
  make("new.txt");
  check(SetFileAttributesA("kept.txt", FILE_ATTRIBUTE_READONLY), "it becomes read-only");
  check(GetFileAttributesA("kept.txt") & FILE_ATTRIBUTE_READONLY, "it is read-only");
  check(fails_with(open("kept.txt", GENERIC_WRITE, 0, OPEN_EXISTING), ERROR_ACCESS_DENIED), "it cannot be written");
  check(fails_with(open("kept.txt", GENERIC_READ, 0, TRUNCATE_EXISTING), ERROR_ACCESS_DENIED), "nor truncated");
  check(!DeleteFileA("kept.txt") && GetLastError() == ERROR_ACCESS_DENIED, "nor deleted");
  check(!MoveFileExA("new.txt", "kept.txt", MOVEFILE_REPLACE_EXISTING), "nor replaced");
  check(SetFileAttributesA("kept.txt", FILE_ATTRIBUTE_NORMAL), "it can be written again");
  check(!(GetFileAttributesA("kept.txt") & FILE_ATTRIBUTE_READONLY), "it is not read-only");
  file = open("kept.txt", GENERIC_WRITE, 0, OPEN_EXISTING);
  check(SetFileTime(file, 0, &read, &written), "its times are set");
  check(GetFileTime(file, 0, &got_read, &got_written) && CompareFileTime(&got_read, &read) == 0 &&
            CompareFileTime(&got_written, &written) == 0,
        "its times");
  CloseHandle(file);
  check(GetFileAttributesExA("kept.txt", GetFileExInfoStandard, &data) &&
            CompareFileTime(&data.ftLastWriteTime, &written) == 0,
        "its times without a handle");
  check(MoveFileExA("new.txt", "kept.txt", MOVEFILE_REPLACE_EXISTING), "it is replaced");
  file = CreateFileA("born.txt", GENERIC_WRITE, 0, 0, CREATE_NEW, FILE_ATTRIBUTE_READONLY, 0);
  check(WriteFile(file, "x", 1, &(DWORD){0}, 0), "a new read-only file is written");
  CloseHandle(file);
  check(GetFileAttributesA("born.txt") & FILE_ATTRIBUTE_READONLY, "then it is read-only");
  check(SetFileAttributesA("born.txt", FILE_ATTRIBUTE_NORMAL) && DeleteFileA("born.txt"), "and deleted");
  check(MoveFileA("kept.txt", "KEPT.txt"), "its name gets other letters");
  DeleteFileA("kept.txt");
}

static void drives(void) {
  ULARGE_INTEGER mine, total, whole;
  DWORD serial = 0, longest = 0, flags = 0, sectors, bytes, free_clusters, clusters;
  char name[100], type[100], list[20], volume[100], path[100];
  check(GetLogicalDrives() == 4, "the drives");
  check(GetLogicalDriveStringsA(sizeof list, list) == 4 && !strcmp(list, "C:\\"), "their names");
  check(GetDriveTypeA("C:\\") == DRIVE_FIXED && GetDriveTypeA(0) == DRIVE_FIXED, "the type of a drive");
  check(GetDriveTypeA("D:\\") == DRIVE_NO_ROOT_DIR, "a drive that does not exist");
  check(GetDiskFreeSpaceExA("C:\\", &mine, &total, &whole) && mine.QuadPart <= whole.QuadPart &&
            whole.QuadPart < total.QuadPart,
        "the space on a drive");
  check(GetDiskFreeSpaceExA("C:\\work", &mine, 0, 0), "the space at a folder");
  check(GetDiskFreeSpaceA("C:\\", &sectors, &bytes, &free_clusters, &clusters) && sectors * bytes == 4096, "clusters");
  check(GetVolumeInformationA("C:\\", name, sizeof name, &serial, &longest, &flags, type, sizeof type) && serial != 0 &&
            longest == 255 && !strcmp(type, "NTFS"),
        "the volume");
  check(!GetVolumeInformationA("D:\\", name, sizeof name, 0, 0, 0, 0, 0), "a volume that does not exist");
  check(GetVolumePathNameA("C:\\work\\x", path, sizeof path) && !strcmp(path, "C:\\"), "the root of a file");
  check(GetVolumeNameForVolumeMountPointA("C:\\", volume, sizeof volume) && !strncmp(volume, "\\\\?\\Volume{", 11),
        "the name of the volume");
  check(!GetVolumeNameForVolumeMountPointA("D:\\", volume, sizeof volume), "the name of a volume that does not exist");
}

static void names(void) {
  WIN32_FIND_DATAW found;
  HANDLE file =
      CreateFileW(L"\x0393\x03b5\x03b9\x03ac \x00c4rger \x0416.txt", GENERIC_WRITE, 0, 0, CREATE_ALWAYS, 0, 0);
  check(file != INVALID_HANDLE_VALUE, "a Greek and Russian name");
  CloseHandle(file);
  check(GetFileAttributesW(L"\x03b3\x0395\x0399\x0386 \x00e4RGER \x0436.TXT") != INVALID_FILE_ATTRIBUTES,
        "its letters in the other case");
  file = FindFirstFileW(L"\x03b3*\x0436.txt", &found);
  check(file != INVALID_HANDLE_VALUE && found.cFileName[0] == 0x0393, "it is found by a mask");
  FindClose(file);
  check(DeleteFileW(L"\x03b3\x0395\x0399\x0386 \x00c4RGER \x0436.TXT"), "it is deleted");
}

// `text` gets the changes that a folder reports, as "+name -name *name <old >new".
static void describe(const char* buffer, DWORD size, char* text) {
  const FILE_NOTIFY_INFORMATION* one = (const void*)buffer;
  for (; size != 0; one = (const void*)((const char*)one + one->NextEntryOffset)) {
    text += sprintf(text, "%c%.*ls ", " +-*<>"[one->Action], (int)(one->FileNameLength / 2), one -> FileName);
    if (one->NextEntryOffset == 0) return;
  }
}

static DWORD WINAPI work_later(void* unused) {
  Sleep(5);
  make("watched\\later.txt");
  return 0;
}

static void watch(void) {
  const DWORD all = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME | FILE_NOTIFY_CHANGE_LAST_WRITE;
  DWORD buffer[256], size = 0;
  OVERLAPPED overlapped = {0};
  char text[1000] = "";
  HANDLE folder, thread;
  CreateDirectoryA("watched", 0);
  CreateDirectoryA("watched\\below", 0);
  folder = CreateFileA("watched", FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, 0,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED, 0);
  overlapped.hEvent = CreateEventA(0, TRUE, FALSE, 0);
  check(ReadDirectoryChangesW(folder, buffer, sizeof buffer, TRUE, all, &size, &overlapped, 0), "a watch begins");
  check(WaitForSingleObject(overlapped.hEvent, 20) == WAIT_TIMEOUT, "nothing happens");
  make("watched\\below\\a.txt");
  check(GetOverlappedResult(folder, &overlapped, &size, TRUE), "something happened");
  describe((const char*)buffer, size, text);
  check(!strcmp(text, "+below\\a.txt "), text);
  MoveFileA("watched\\below\\a.txt", "watched\\b.txt");
  DeleteFileA("watched\\b.txt");
  *text = 0;
  check(ReadDirectoryChangesW(folder, buffer, sizeof buffer, TRUE, all, &size, &overlapped, 0) &&
            GetOverlappedResult(folder, &overlapped, &size, TRUE),
        "changes between two calls");
  describe((const char*)buffer, size, text);
  printf("%s\n", text);
  check(ReadDirectoryChangesW(folder, buffer, sizeof buffer, FALSE, all, &size, &overlapped, 0), "it begins again");
  check(CancelIo(folder) && !GetOverlappedResult(folder, &overlapped, &size, TRUE) &&
            GetLastError() == ERROR_OPERATION_ABORTED,
        "it is cancelled");
  CloseHandle(folder);
  folder = CreateFileA("watched", FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, 0, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, 0);
  thread = CreateThread(0, 0, work_later, 0, 0, 0);
  *text = 0;
  check(ReadDirectoryChangesW(folder, buffer, sizeof buffer, FALSE, all, &size, 0, 0), "a call that waits");
  describe((const char*)buffer, size, text);
  check(!strncmp(text, "+later.txt", 10), text);
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(folder);
  folder = FindFirstChangeNotificationA("watched", FALSE, FILE_NOTIFY_CHANGE_FILE_NAME);
  check(WaitForSingleObject(folder, 0) == WAIT_TIMEOUT, "no notification");
  check(DeleteFileA("watched\\later.txt") && WaitForSingleObject(folder, 1000) == WAIT_OBJECT_0, "a notification");
  check(FindNextChangeNotification(folder) && WaitForSingleObject(folder, 0) == WAIT_TIMEOUT, "none again");
  FindCloseChangeNotification(folder);
  check(RemoveDirectoryA("watched\\below") && RemoveDirectoryA("watched"), "the folder is removed");
}

static void links(void) {
  BY_HANDLE_FILE_INFORMATION facts = {0};
  HANDLE file = open("a.txt", GENERIC_WRITE, 7, CREATE_ALWAYS);
  DWORD size;
  WriteFile(file, "text", 4, &size, 0);
  check(CreateHardLinkA("b.txt", "a.txt", 0), "a second name");
  check(GetFileInformationByHandle(file, &facts) && facts.nNumberOfLinks == 2, "two names");
  CloseHandle(file);
  check(!CreateHardLinkA("b.txt", "a.txt", 0) && GetLastError() == ERROR_ALREADY_EXISTS, "the name is taken");
  check(!CreateHardLinkA("c.txt", "missing", 0) && GetLastError() == ERROR_FILE_NOT_FOUND, "no file");
  check(!CreateHardLinkA("c.txt", "C:\\windows\\system32\\ntdll.dll", 0) && GetLastError() == ERROR_NOT_SAME_DEVICE,
        "a file of another folder");
  check(!CreateSymbolicLinkA("c.txt", "a.txt", 0) && GetLastError() == ERROR_PRIVILEGE_NOT_HELD, "a symbolic link");
  check(DeleteFileA("a.txt") && GetFileAttributesA("b.txt") != INVALID_FILE_ATTRIBUTES, "the second name stays");
  DeleteFileA("b.txt");
}

int main(int count, char** words) {
  const char* const only = count > 1 ? words[1] : "";
  if (!*only || !strcmp(only, "sharing")) sharing();
  if (!*only || !strcmp(only, "attributes")) attributes();
  if (!*only || !strcmp(only, "drives")) drives();
  if (!*only || !strcmp(only, "names")) names();
  if (!*only || !strcmp(only, "watch")) watch();
  if (!*only || !strcmp(only, "links")) links();
  printf("%d wrong\n", wrong);
  return wrong;
}
