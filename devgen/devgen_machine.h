// SPDX-License-Identifier: BSD-3-Clause
// The installer's interface to Windows: the facts on which it decides, and the calls by which it changes Windows.
// installer.cpp and setup_status.cpp use this interface; windows_machine.h has the real implementation, and the tests
// use a fake one. Strings are UTF-8. A Win32Error is the value of GetLastError(); 0 is success.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::devgen {

using Win32Error = u32;

enum class Switch { unknown, off, on };

// Windows' requirements for a driver, and the user's rights.
struct Facts {
  bool elevated = false;
  Switch test_mode = Switch::unknown;         // bcdedit testsigning
  Switch secure_boot = Switch::unknown;       // a firmware setting; with it, test mode cannot be turned on
  Switch memory_integrity = Switch::unknown;  // HVCI: the hypervisor checks kernel code
  u16 processor = 0;                          // IMAGE_FILE_MACHINE_… of the machine itself, 0: unknown
};

// A device with our hardware id.
struct DeviceFacts {
  std::string instance_id;
  bool has_driver = false;  // a service is bound to it
  bool state_known = false;
  bool started = false;
  u32 problem = 0;       // CM_PROB_…; 0 without a problem
  std::string inf_name;  // oemNN.inf of the driver package it uses
};

// The counters' overflow interrupt, as the running driver reports it (abi/wire.h).
enum class Interrupt { unknown, not_asked, held, refused, not_given_again, maybe_not_again };

enum class ServiceState { absent, stopped, running, other };

struct ServiceFacts {
  ServiceState state = ServiceState::absent;
  bool marked_for_deletion = false;
  bool plug_and_play = false;  // Parameters\PnP is 1: the driver waits for its device
  std::string image_path;
};

enum class Signature { unknown, none, embedded, catalog };

// A driver file on disk.
struct FileFacts {
  bool exists = false;
  u16 processor = 0;  // IMAGE_FILE_MACHINE_… of its header; 0 if it is not a program file
  std::string version;
  Signature signature = Signature::unknown;
  std::string signer;           // the name in the certificate
  std::string signature_error;  // Windows' text about why it does not trust the signature
};

enum class Folder { of_program, current };

struct Change {
  Win32Error error = 0;
  bool restart = false;  // Windows needs a restart to complete the change
};

class DevgenMachine {
 public:
  virtual ~DevgenMachine() = default;

  virtual Facts facts() = 0;
  virtual std::vector<DeviceFacts> devices() = 0;
  // Instance ids of devices of Arm's WindowsPerf, whose driver has files of the same names as ours.
  virtual std::vector<std::string> windowsperf_devices() = 0;
  // Whether a program could open the driver now, through its interface or under the plain service's name.
  virtual bool driver_answers() = 0;
  // Asks the driver itself, not Windows. Returns unknown if the driver may not be opened, or is an older version.
  virtual Interrupt interrupt() = 0;
  virtual ServiceFacts service() = 0;
  virtual FileFacts file(const std::string& path) = 0;
  // Full path of NAME in this folder, if there is such a file.
  virtual std::optional<std::string> find_file(Folder folder, const std::string& name) = 0;
  // Returns false for an .inf file that has this name but belongs to another driver.
  virtual bool is_our_inf(const std::string& path) = 0;
  // The driver packages in the driver store that were made from this project's .inf, as oemNN.inf.
  virtual std::vector<std::string> packages() = 0;
  // The path to which a plain service's driver is copied.
  virtual std::string plain_driver_path() = 0;
  virtual bool interrupted() = 0;  // Ctrl-C was pressed

  // Creates a device with our hardware id and the .inf file's setup class. It has no driver yet.
  virtual Win32Error create_device(const std::string& inf_path, std::string& instance_id) = 0;
  virtual Change update_driver(const std::string& inf_path) = 0;
  virtual Change remove_device(const std::string& instance_id) = 0;
  virtual Win32Error remove_package(const std::string& inf_name) = 0;
  virtual Win32Error copy_file(const std::string& from, const std::string& to) = 0;
  virtual Win32Error delete_file(const std::string& path) = 0;
  virtual Win32Error create_plain_service(const std::string& image_path) = 0;
  virtual Win32Error start_service() = 0;
  virtual Win32Error stop_service() = 0;
  virtual Win32Error delete_service() = 0;
};

// Receives the installer's output, line by line, without line ends.
class Console {
 public:
  virtual ~Console() = default;
  virtual void out(const std::string& line) = 0;
  virtual void err(const std::string& line) = 0;
};

}  // namespace wperf::devgen
