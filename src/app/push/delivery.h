// SPDX-License-Identifier: BSD-3-Clause
// Delivers profiles to a server; retries if the server is unreachable for a short time, and uses a spool if the user
// gave one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/push/server.h"
#include "app/push/spool.h"
#include "app/push/upload.h"
#include "ground/diag/result.h"

namespace wperf::push {

using DeliveryWarning = std::function<void(std::string_view line)>;

// The fate of profiles, including those that were waiting in the spool.
struct DeliveryTotals {
  u64 sent = 0, sent_bytes = 0;
  u64 refused = 0;  // permanently refused by the server
  u64 dropped = 0;  // because the spool had no room
  u64 lost = 0;     // not sent, and there is no spool
};

inline constexpr u32 kTriesOfOne = 4;  // tries for a profile that would otherwise be lost
// tries for a profile that is kept in the spool, or soon followed by another one
inline constexpr u32 kTriesOfKept = 2;

class Delivery {
 public:
  Delivery(Server server, std::optional<Spool> spool, u32 tries, DeliveryWarning warn)
      : server_(std::move(server)), spool_(std::move(spool)), tries_(tries), warn_(std::move(warn)) {}

  // `uploads`: the parts of one profile. `name`: for messages. An error means that the server does not have the
  // profile; the error's text says whether the profile is kept.
  diag::Result<void> deliver(const std::vector<Upload>& uploads, const std::string& name);
  // Sends only the profiles in the spool.
  diag::Result<void> send_waiting() { return empty_spool({}, "what waits"); }
  const DeliveryTotals& totals() const { return totals_; }
  u64 waiting() const { return spool_.has_value() ? spool_->files().size() : 0; }

 private:
  UploadResult send_once(const Upload& upload);
  diag::Result<void> send_now(std::span<const Upload> uploads, const std::string& name);
  // Stores a profile in the spool and sends it; if it cannot be stored, it is sent nevertheless.
  diag::Result<void> keep_and_send(const std::vector<Upload>& uploads, const std::string& name);
  // Sends all waiting profiles, oldest first; `own` is the file of the current one.
  diag::Result<void> empty_spool(const std::string& own, const std::string& own_name);
  // The entry in a file; nullopt if it is gone, damaged, or for another server.
  std::optional<SpoolEntry> sendable(const std::string& file);
  diag::Result<std::optional<os::FileLock>> wait_for_lock() const;
  // Sends an upload; retries for some seconds.
  UploadResult try_to_send(const Upload& upload, const std::string& tenant);

  Server server_;
  std::optional<Spool> spool_;
  u32 tries_;
  DeliveryWarning warn_;
  DeliveryTotals totals_;
  bool has_table_ = false;  // ClickHouse's table was checked
  u64 of_others_ = 0;       // number of files in the spool for other servers
};

// Uses --spool from the command line.
diag::Result<Delivery> make_delivery(const request::Push& asked, u32 tries, DeliveryWarning warn);

}  // namespace wperf::push
