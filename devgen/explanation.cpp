// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/explanation.h"

#include <algorithm>
#include <array>

#include "devgen/codes.h"

namespace wperf::devgen {
namespace {

constexpr const char* kAsAdministrator =
    "open a console with \"Run as administrator\" (or use sudo) and run the same command there";
constexpr const char* kRestart = "restart Windows and run the same command again";
constexpr const char* kCatalog =
    "make and sign wperf-driver.cat (see installing-on-windows.md), or use `wperf-devgen install --service`, which "
    "needs "
    "no catalog";

struct Row {
  Win32Error error;
  const char* text;
  const char* hint;
};

// Sorted by number. explain() handles cases that depend on more than the number.
constexpr std::array kRows = std::to_array<Row>({
    {code::kFileNotFound, "a file of the driver is missing",
     "unpack the whole archive into one folder: wperf-driver.inf and wperf-driver.sys must be in the same folder as "
     "wperf-devgen.exe"},
    {code::kPathNotFound, "a folder of the driver is missing", "unpack the archive again"},
    {code::kAccessDenied, "Windows refused access", kAsAdministrator},
    {code::kGenFailure, "the driver was loaded but could not start",
     "`wperf-devgen status` shows what Windows knows; look at the System log for WPERFDRV"},
    {code::kSharingViolation, "the driver file is in use", "end every wperf, then run the same command again"},
    {code::kModuleNotFound, "this Windows has no newdev.dll and cannot install devices",
     "use `wperf-devgen install --service`"},
    {code::kProcedureNotFound, "the newdev.dll of this Windows is too old", "use `wperf-devgen install --service`"},
    {code::kServiceDisabled, "the service WPERFDRV is disabled", "sc config WPERFDRV start= demand"},
    {code::kServiceDoesNotExist, "the service WPERFDRV does not exist", "wperf-devgen install"},
    {code::kServiceMarkedForDelete, "the service WPERFDRV is marked for deletion, but something still has it open",
     "end every wperf and close services.msc; if that does not help, restart Windows"},
    {code::kServiceExists, "the driver is already installed as a device",
     "nothing to do; to install the plain service, run `wperf-devgen uninstall` first"},
    {code::kCancelled, "interrupted; nothing is left behind", ""},
    {code::kDriverBlocked, "Windows blocks this driver from loading",
     "look at the CodeIntegrity log in the Event Viewer; it names the policy of this machine (App Control) that blocks "
     "the driver"},
    {code::kBadDriver, "Windows could not load the driver",
     "look at the System log; wperf-driver.sys may be damaged: unpack the archive again"},
    {code::kRestartRequired, "a restart is needed before the driver can run", kRestart},
    {code::kTrustBadDigest, "the driver does not match its signature: a file was changed after it was signed",
     "unpack the archive again, or sign again"},
    {code::kTrustSubjectNotTrusted, "the publisher of the driver is not trusted on this machine", kCatalog},
    {code::kTrustNoSignature, "the driver package has no signature", kCatalog},
    {code::kCertExpired, "the certificate of the driver's signature has expired", "sign again with a time stamp"},
    {code::kCertUntrustedRoot, "the certificate of the driver's signature is not trusted on this machine",
     "add it to Trusted Root Certification Authorities and Trusted Publishers of the local machine (certutil "
     "-addstore)"},
    {code::kNoSuchDevice, "Windows rejected the device created for the driver", kRestart},
    {code::kNoCompatibleDriver, "wperf-driver.inf has no driver for this processor",
     "use the archive made for this machine"},
    {code::kNoCatalogForInf, "the driver package has no catalog", kCatalog},
    {code::kInWow64, "this wperf-devgen.exe is for another processor",
     "use the wperf-devgen.exe made for this machine"},
    {code::kAuthenticodeDisallowed, "this machine does not accept drivers that Microsoft has not signed", ""},
    {code::kAuthenticodeNotEstablished, "the publisher of the driver could not be verified", kCatalog},
    {code::kAuthenticodePublisherNotTrusted, "the publisher of the driver is not trusted on this machine",
     "add the certificate to Trusted Publishers of the local machine: certutil -addstore TrustedPublisher FILE.cer"},
    {code::kSignatureSystemMismatch, "the catalog was made for another version of Windows",
     "create it again for this version; `inf2cat /?` lists the names of versions"},
    {code::kOnlyAuthenticode, "this machine requires a catalog signed by Microsoft", ""},
    {code::kDriverStoreAddFailed, "the driver package could not be added to the driver store",
     "setupapi.dev.log in the inf folder of Windows names the reason; usually it is the signature"},
    {code::kDeviceInstallBlocked, "a policy of this machine forbids installing this device",
     "ask the administrator of this machine; wperf-devgen cannot override the policy"},
    {code::kDriverInstallBlocked, "a policy of this machine forbids installing this driver",
     "ask the administrator of this machine; wperf-devgen cannot override the policy"},
    {code::kFileHashNotInCatalog, "the catalog was made for another wperf-driver.sys or .inf",
     "create and sign the catalog again, as the last step"},
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::error), "find() halves the table");

constexpr std::array kCatalogErrors = {
    code::kTrustSubjectNotTrusted,  code::kTrustNoSignature,           code::kCertUntrustedRoot,
    code::kNoCatalogForInf,         code::kAuthenticodeNotEstablished, code::kAuthenticodePublisherNotTrusted,
    code::kSignatureSystemMismatch, code::kDriverStoreAddFailed,       code::kFileHashNotInCatalog,
    code::kOnlyAuthenticode,        code::kAuthenticodeDisallowed,     code::kModuleNotFound,
    code::kProcedureNotFound,
};

Explanation machine_mismatch(const Facts& facts, const FileFacts& file) {
  if (file.exists && file.processor == 0) {
    return {.text = "wperf-driver.sys is not a driver file", .hint = "unpack the archive again"};
  }
  return {.text = "wperf-driver.sys is made for " + processor_name(file.processor) + ", this machine is " +
                  processor_name(facts.processor),
          .hint = facts.processor == code::kMachineArm64 ? "use the archive for Windows on Arm"
                                                         : "the driver runs on Windows on Arm only"};
}

Explanation refused_signature(const Facts& facts, const FileFacts& file) {
  if (file.signature == Signature::none) {
    return {.text = "wperf-driver.sys has no signature, and Windows loads only signed drivers",
            .hint = "sign it (see installing-on-windows.md)"};
  }
  std::string text = "Windows does not accept the signature of wperf-driver.sys";
  if (!file.signer.empty()) text += " (signed by " + file.signer + ")";
  if (facts.test_mode == Switch::on) {
    return {.text = text + ", although test mode is on",
            .hint = facts.memory_integrity == Switch::on
                        ? "memory integrity is on and has its own requirements; the CodeIntegrity log in the Event "
                          "Viewer names the reason"
                        : "the file was changed after it was signed, or the signature is not SHA-256: sign it again"};
  }
  return {.text = text, .hint = test_mode_hint(facts)};
}

}  // namespace

Explanation explain(Win32Error error, const Facts& facts, const FileFacts& file) {
  if (error == code::kInvalidImageHash) return refused_signature(facts, file);
  if (error == code::kMachineMismatch || error == code::kBadExeFormat) return machine_mismatch(facts, file);
  if ((error == code::kAccessDenied || error == code::kElevationRequired) && facts.elevated) {
    return {.text = "Windows refused access although this console runs as administrator",
            .hint = "end every wperf and try again; security software or a policy may forbid drivers here"};
  }
  if (error == code::kElevationRequired) error = code::kAccessDenied;
  const auto* const row = std::ranges::lower_bound(kRows, error, {}, &Row::error);
  if (row == kRows.end() || row->error != error) {
    return {.text = "Windows answered with error " + number_text(error),
            .hint = "setupapi.dev.log in the inf folder of Windows may say more"};
  }
  if (error == code::kAccessDenied) {
    return {.text = "only an administrator may install or remove a driver", .hint = row->hint};
  }
  return {.text = row->text, .hint = row->hint};
}

Win32Error error_of_problem(u32 problem) {
  switch (problem) {
    case 0:
      return 0;
    case code::kProblemUnsignedDriver:
      return code::kInvalidImageHash;
    case code::kProblemDriverBlocked:
      return code::kDriverBlocked;
    case code::kProblemDriverFailedLoad:
      return code::kBadDriver;
    case code::kProblemNeedsRestart:
    case code::kProblemWillBeRemoved:
    case code::kProblemDriverFailedPriorUnload:
    case code::kProblemHeldForEject:
      return code::kRestartRequired;
    default:
      return code::kGenFailure;
  }
}

bool plain_service_survives(Win32Error error, const Facts& facts, const FileFacts& file) {
  if (std::ranges::find(kCatalogErrors, error) == kCatalogErrors.end()) return false;
  return file.signature == Signature::embedded && facts.test_mode == Switch::on;
}

std::string signature_concern(const FileFacts& file) {
  if (file.signature == Signature::none) {
    return "wperf-driver.sys has no signature; Windows will not load it. Sign it first (see installing-on-windows.md)";
  }
  return {};
}

std::string test_mode_hint(const Facts& facts) {
  std::string hint;
  if (facts.secure_boot == Switch::on) {
    hint =
        "for a test-signed driver first turn Secure Boot off in the firmware (it prevents test mode; have the "
        "BitLocker recovery key ready), then ";
  } else {
    hint = "for a test-signed driver ";
  }
  return hint + "run `bcdedit /set testsigning on` as administrator, restart, and install again";
}

std::string processor_name(u16 processor) {
  switch (processor) {
    case code::kMachineArm64:
      return "ARM64";
    case code::kMachineX64:
      return "x64";
    case code::kMachineX86:
      return "x86";
    case 0:
      return "an unknown processor";
    default:
      return "another processor";
  }
}

std::string number_text(Win32Error error) {
  if (error < 0x80000000u) return std::to_string(error);
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(error >> shift) & 0xF];
  return text;
}

}  // namespace wperf::devgen
