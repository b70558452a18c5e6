// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/file_signature_win.h"

#include <windows.h>
// These come after windows.h, which they need.
#include <softpub.h>
#include <wincrypt.h>
#include <wintrust.h>
// Comes after wincrypt.h, which it needs.
#include <mscat.h>

#include "ground/os/files.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

struct Functions {
  decltype(&WinVerifyTrust) verify = nullptr;
  decltype(&WTHelperProvDataFromStateData) provider_data = nullptr;
  decltype(&WTHelperGetProvSignerFromChain) signer = nullptr;
  decltype(&WTHelperGetProvCertFromChain) certificate = nullptr;
  decltype(&CertGetNameStringW) name = nullptr;
  // Declared here because some headers are older than these functions.
  BOOL(WINAPI* open_catalogs)(HCATADMIN*, const GUID*, const wchar_t*, const void*, DWORD) = nullptr;
  BOOL(WINAPI* hash_file)(HCATADMIN, HANDLE, DWORD*, BYTE*, DWORD) = nullptr;
  decltype(&CryptCATAdminEnumCatalogFromHash) find_catalog = nullptr;
  decltype(&CryptCATCatalogInfoFromContext) catalog_info = nullptr;
  decltype(&CryptCATAdminReleaseCatalogContext) release_catalog = nullptr;
  decltype(&CryptCATAdminReleaseContext) close_catalogs = nullptr;
  bool embedded = false, catalogs = false;  // all functions of that group were found
};

Functions load_functions() {
  Functions to;
  const SystemLibrary trust(L"wintrust.dll");
  const SystemLibrary crypto(L"crypt32.dll");
  to.embedded =
      trust.bind("WinVerifyTrust", to.verify) && trust.bind("WTHelperProvDataFromStateData", to.provider_data) &&
      trust.bind("WTHelperGetProvSignerFromChain", to.signer) &&
      trust.bind("WTHelperGetProvCertFromChain", to.certificate) && crypto.bind("CertGetNameStringW", to.name);
  to.catalogs = trust.bind("CryptCATAdminAcquireContext2", to.open_catalogs) &&
                trust.bind("CryptCATAdminCalcHashFromFileHandle2", to.hash_file) &&
                trust.bind("CryptCATAdminEnumCatalogFromHash", to.find_catalog) &&
                trust.bind("CryptCATCatalogInfoFromContext", to.catalog_info) &&
                trust.bind("CryptCATAdminReleaseCatalogContext", to.release_catalog) &&
                trust.bind("CryptCATAdminReleaseContext", to.close_catalogs);
  return to;
}

std::string signer_of(const Functions& windows, HANDLE state) {
  CRYPT_PROVIDER_DATA* const data = windows.provider_data(state);
  CRYPT_PROVIDER_SGNR* const signer = data != nullptr ? windows.signer(data, 0, FALSE, 0) : nullptr;
  CRYPT_PROVIDER_CERT* const certificate = signer != nullptr ? windows.certificate(signer, 0) : nullptr;
  if (certificate == nullptr || certificate->pCert == nullptr) return {};
  wchar_t name[256] = {};
  windows.name(certificate->pCert, CERT_NAME_SIMPLE_DISPLAY_TYPE, 0, nullptr, name, 256);
  return utf8_of(name);
}

// `data` names the file or the catalog.
FileSignature verify(const Functions& windows, WINTRUST_DATA& data) {
  GUID action = WINTRUST_ACTION_GENERIC_VERIFY_V2;
  data.cbStruct = sizeof data;
  data.dwUIChoice = WTD_UI_NONE;
  data.fdwRevocationChecks = WTD_REVOKE_NONE;
  data.dwStateAction = WTD_STATEACTION_VERIFY;
  data.dwProvFlags = WTD_CACHE_ONLY_URL_RETRIEVAL;  // without network access
  const LONG result = windows.verify(static_cast<HWND>(INVALID_HANDLE_VALUE), &action, &data);
  FileSignature signature;
  signature.trusted = result == 0;
  signature.signer = signer_of(windows, data.hWVTStateData);
  signature.signed_at_all = signature.trusted || !signature.signer.empty();
  if (!signature.trusted) signature.error = system_error_text(static_cast<DWORD>(result));
  data.dwStateAction = WTD_STATEACTION_CLOSE;
  windows.verify(static_cast<HWND>(INVALID_HANDLE_VALUE), &action, &data);
  return signature;
}

FileSignature embedded_signature(const Functions& windows, const std::wstring& path) {
  WINTRUST_FILE_INFO file{};
  file.cbStruct = sizeof file;
  file.pcwszFilePath = path.c_str();
  WINTRUST_DATA data{};
  data.dwUnionChoice = WTD_CHOICE_FILE;
  data.pFile = &file;
  return verify(windows, data);
}

std::wstring hexadecimal(const BYTE* bytes, DWORD count) {
  std::wstring text;
  for (DWORD i = 0; i < count; ++i) {
    text += L"0123456789ABCDEF"[bytes[i] >> 4];
    text += L"0123456789ABCDEF"[bytes[i] & 15];
  }
  return text;
}

FileSignature catalog_signature(const Functions& windows, const std::wstring& path, HCATADMIN catalogs) {
  const HANDLE file =
      CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0, nullptr);
  if (file == INVALID_HANDLE_VALUE) return {};
  BYTE hash[64];
  DWORD size = sizeof hash;
  const bool hashed = windows.hash_file(catalogs, file, &size, hash, 0) != 0;
  CloseHandle(file);
  const HCATINFO catalog = hashed ? windows.find_catalog(catalogs, hash, size, 0, nullptr) : nullptr;
  if (catalog == nullptr) return {};
  FileSignature signature;
  CATALOG_INFO info{};
  info.cbStruct = sizeof info;
  if (windows.catalog_info(catalog, &info, 0) != 0) {
    const std::wstring member = hexadecimal(hash, size);
    WINTRUST_CATALOG_INFO named{};
    named.cbStruct = sizeof named;
    named.pcwszCatalogFilePath = info.wszCatalogFile;
    named.pcwszMemberFilePath = path.c_str();
    named.pcwszMemberTag = member.c_str();
    named.pbCalculatedFileHash = hash;
    named.cbCalculatedFileHash = size;
    WINTRUST_DATA data{};
    data.dwUnionChoice = WTD_CHOICE_CATALOG;
    data.pCatalog = &named;
    signature = verify(windows, data);
  }
  windows.release_catalog(catalogs, catalog, 0);
  return signature;
}

}  // namespace

std::optional<FileSignature> signature_of(const std::string& path) {
  static const Functions windows = load_functions();
  if (!windows.embedded) return std::nullopt;
  const std::wstring wide = native_path(path).wstring();
  FileSignature embedded = embedded_signature(windows, wide);
  if (embedded.signed_at_all) return embedded;
  HCATADMIN catalogs = nullptr;
  if (!windows.catalogs || windows.open_catalogs(&catalogs, nullptr, L"SHA256", nullptr, 0) == 0) return std::nullopt;
  FileSignature listed = catalog_signature(windows, wide, catalogs);
  windows.close_catalogs(catalogs, 0);
  return listed.signed_at_all ? listed : embedded;
}

}  // namespace wperf::os
