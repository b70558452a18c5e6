// SPDX-License-Identifier: BSD-3-Clause
// Facts about files: where the driver is, its machine type and version, and its signer.
#include <windows.h>

#include <vector>

#include "abi/device_interface.h"
#include "devgen/windows_machine.h"
#include "ground/os/file_signature_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::devgen {
namespace {

class File {
 public:
  explicit File(const std::wstring& path)
      : handle_(CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
                            nullptr)) {}
  ~File() {
    if (open()) CloseHandle(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool open() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  bool read_at(DWORD offset, void* to, DWORD size) const {
    DWORD done = 0;
    return SetFilePointer(handle_, static_cast<LONG>(offset), nullptr, FILE_BEGIN) == offset &&
           ReadFile(handle_, to, size, &done, nullptr) && done == size;
  }

 private:
  HANDLE handle_;
};

bool exists(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

// Fills in the facts from the headers of a program file.
void read_headers(const File& file, FileFacts& facts) {
  IMAGE_DOS_HEADER dos = {};
  IMAGE_NT_HEADERS64 nt = {};
  if (!file.read_at(0, &dos, sizeof dos) || dos.e_magic != IMAGE_DOS_SIGNATURE || dos.e_lfanew < 0) return;
  if (!file.read_at(static_cast<DWORD>(dos.e_lfanew), &nt, sizeof nt) || nt.Signature != IMAGE_NT_SIGNATURE) return;
  facts.processor = nt.FileHeader.Machine;
  const bool has_certificates = nt.OptionalHeader.Magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC &&
                                nt.OptionalHeader.NumberOfRvaAndSizes > IMAGE_DIRECTORY_ENTRY_SECURITY &&
                                nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_SECURITY].Size != 0;
  facts.signature = has_certificates ? Signature::embedded : Signature::none;
}

// 3.8.0, or 3.8.0.1 if the last number is not 0.
std::string version_of(const std::wstring& path) {
  const DWORD size = GetFileVersionInfoSizeW(path.c_str(), nullptr);
  if (size == 0) return {};
  std::vector<BYTE> block(size);
  VS_FIXEDFILEINFO* fixed = nullptr;
  UINT length = 0;
  if (!GetFileVersionInfoW(path.c_str(), 0, size, block.data()) ||
      !VerQueryValueW(block.data(), L"\\", reinterpret_cast<void**>(&fixed), &length) || length < sizeof *fixed) {
    return {};
  }
  std::string text = std::to_string(HIWORD(fixed->dwFileVersionMS)) + "." +
                     std::to_string(LOWORD(fixed->dwFileVersionMS)) + "." +
                     std::to_string(HIWORD(fixed->dwFileVersionLS));
  if (LOWORD(fixed->dwFileVersionLS) != 0) text += "." + std::to_string(LOWORD(fixed->dwFileVersionLS));
  return text;
}

std::wstring program_folder() {
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path.substr(0, path.find_last_of(L"\\/") + 1);
}

std::wstring in_current_folder(const std::string& name) {
  std::wstring path(32768, L'\0');
  path.resize(GetFullPathNameW(os::wide_of(name).c_str(), static_cast<DWORD>(path.size()), path.data(), nullptr));
  return path;
}

}  // namespace

FileFacts WindowsMachine::file(const std::string& path) {
  FileFacts facts;
  const std::wstring wide = os::wide_of(path);
  facts.exists = exists(wide);
  if (!facts.exists) return facts;
  facts.version = version_of(wide);
  const File file(wide);
  if (!file.open()) return facts;
  read_headers(file, facts);
  if (const auto signature = os::signature_of(path); signature.has_value()) {
    facts.signer = signature->signer;
    if (signature->signed_at_all && !signature->trusted) facts.signature_error = signature->error;
    if (signature->signed_at_all && facts.signature != Signature::embedded) facts.signature = Signature::catalog;
  } else if (facts.signature != Signature::embedded) {
    facts.signature = Signature::unknown;  // a catalog might have a signature, but cannot be searched
  }
  return facts;
}

std::optional<std::string> WindowsMachine::find_file(Folder folder, const std::string& name) {
  const std::wstring path =
      folder == Folder::of_program ? program_folder() + os::wide_of(name) : in_current_folder(name);
  return !path.empty() && exists(path) ? std::optional(os::utf8_of(path)) : std::nullopt;
}

std::string WindowsMachine::plain_driver_path() {
  wchar_t folder[MAX_PATH] = {};
  GetSystemDirectoryW(folder, MAX_PATH);
  return os::utf8_of(folder) + "\\drivers\\" + WPERF_PLAIN_DRIVER_FILE;
}

Win32Error WindowsMachine::copy_file(const std::string& from, const std::string& to) {
  return CopyFileW(os::wide_of(from).c_str(), os::wide_of(to).c_str(), FALSE) ? 0 : GetLastError();
}

Win32Error WindowsMachine::delete_file(const std::string& path) {
  return DeleteFileW(os::wide_of(path).c_str()) || GetLastError() == ERROR_FILE_NOT_FOUND ? 0 : GetLastError();
}

}  // namespace wperf::devgen
