// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/delivery.h"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "app/push/clickhouse_table.h"

namespace wperf::push {
namespace {

constexpr u64 kFirstWaitMs = 500;
constexpr u64 kLockWaitMs = 2'000, kLockStepMs = 50;

// Changes the time randomly, so that the hosts of a fleet do not all retry at the same time after the server was
// unreachable.
u64 spread(u64 milliseconds) {
  std::random_device random;
  return milliseconds / 2 + random() % (milliseconds / 2 + 1);
}

std::string waiting_text(usize profiles) {
  return profiles == 1 ? "1 profile waits" : fmt::format("{} profiles wait", profiles);
}

void wait(u64 milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

UploadResult Delivery::send_once(const Upload& upload) {
  if (server_.target == request::PushTarget::clickhouse && !has_table_) {
    UploadResult prepared = prepare_table(server_);
    if (prepared.outcome != Outcome::taken) return prepared;
    has_table_ = true;
  }
  UploadResult result = send(server_, upload);
  // The table may have been dropped, so it is checked again.
  if (result.outcome == Outcome::elsewhere) has_table_ = false;
  return result;
}

UploadResult Delivery::try_to_send(const Upload& upload, const std::string& tenant) {
  server_.tenant = tenant;
  u64 wait_ms = kFirstWaitMs;
  for (u32 tried = 1;; ++tried, wait_ms *= 2) {
    UploadResult result = send_once(upload);
    if (result.outcome == Outcome::taken) {
      ++totals_.sent;
      totals_.sent_bytes += upload.body.size();
      if (!result.text.empty()) warn_("note: " + result.text);
    }
    if (result.outcome == Outcome::refused) ++totals_.refused;
    if (result.outcome != Outcome::later || tried == tries_) return result;
    wait(result.wait_ms != 0 ? result.wait_ms : spread(wait_ms));
  }
}

diag::Result<void> Delivery::deliver(const std::vector<Upload>& uploads, const std::string& name) {
  return spool_.has_value() ? keep_and_send(uploads, name) : send_now(uploads, name);
}

diag::Result<void> Delivery::send_now(std::span<const Upload> uploads, const std::string& name) {
  for (const Upload& upload : uploads) {
    const UploadResult result = try_to_send(upload, server_.tenant);
    if (result.outcome == Outcome::taken) continue;
    if (result.outcome != Outcome::refused) ++totals_.lost;
    return diag::Error{.text = fmt::format("{} was not sent: {}", name, result.text),
                       .hint = result.outcome == Outcome::later && !spool_.has_value()
                                   ? "keep profiles that cannot be sent with --spool FOLDER"
                                   : ""};
  }
  return {};
}

diag::Result<void> Delivery::keep_and_send(const std::vector<Upload>& uploads, const std::string& name) {
  std::string last;
  for (usize i = 0; i < uploads.size(); ++i) {
    const Upload& upload = uploads[i];
    const auto added = spool_->add({.server = server_.url, .tenant = server_.tenant, .name = name, .upload = upload});
    if (!added.has_value()) {
      warn_(fmt::format("warning: {}; the profile is sent without being kept", added.error().text));
      return send_now(std::span(uploads).subspan(i), name);
    }
    last = added.value().file;
    if (added.value().dropped == 0) continue;
    totals_.dropped += added.value().dropped;
    warn_(fmt::format("warning: the spool folder {} is full: the {} oldest profiles were dropped ({} bytes)",
                      spool_->folder(), added.value().dropped, added.value().dropped_bytes));
  }
  return empty_spool(last, name);
}

diag::Result<std::optional<os::FileLock>> Delivery::wait_for_lock() const {
  for (u64 waited_ms = 0;; waited_ms += kLockStepMs) {
    WPERF_TRY(std::optional<os::FileLock> lock, spool_->lock());
    if (lock.has_value() || waited_ms >= kLockWaitMs) return lock;
    wait(kLockStepMs);
  }
}

std::optional<SpoolEntry> Delivery::sendable(const std::string& file) {
  std::optional<diag::Result<SpoolEntry>> read = spool_->read(file);
  if (!read.has_value()) return std::nullopt;
  if (!read->has_value()) {
    warn_(fmt::format("warning: {} in the spool folder {} cannot be sent ({}); it was renamed to {}", file,
                      spool_->folder(), read->error().text, spool_->set_aside(file)));
    return std::nullopt;
  }
  if (read->value().server != server_.url) {
    ++of_others_;
    return std::nullopt;
  }
  return std::move(*read).value();
}

diag::Result<void> Delivery::empty_spool(const std::string& own, const std::string& own_name) {
  auto locked = wait_for_lock();
  if (!locked.has_value()) {
    return diag::Error{.text = fmt::format("{} was not sent: {}", own_name, locked.error().text),
                       .hint = fmt::format("{} in {}; after that file is removed, the next push sends them",
                                           waiting_text(spool_->files().size()), spool_->folder())};
  }
  const std::optional<os::FileLock> lock = std::move(locked).value();
  if (!lock.has_value()) {
    warn_(fmt::format("note: another wperf is sending the profiles in {}, including {}", spool_->folder(), own_name));
    return {};
  }
  std::set<std::string> passed;
  diag::Result<void> result;
  of_others_ = 0;
  // Other processes may add files at the same time, and rely on the holder of the lock to send them.
  for (bool found = true; found;) {
    found = false;
    for (const std::string& file : spool_->files()) {
      if (!passed.insert(file).second) continue;
      found = true;
      const std::optional<SpoolEntry> entry = sendable(file);
      if (!entry.has_value()) continue;
      const UploadResult sent = try_to_send(entry->upload, entry->tenant);
      if (sent.outcome == Outcome::taken) {
        spool_->remove(file);
        continue;
      }
      if (sent.outcome != Outcome::refused) {
        return diag::Error{.text = fmt::format("{} was not sent: {}", own_name, sent.text),
                           .hint = fmt::format("{} in {}; the next push sends them",
                                               waiting_text(spool_->files().size()), spool_->folder())};
      }
      spool_->remove(file);
      diag::Error refused{.text = fmt::format("{} was dropped: {}", entry->name, sent.text), .hint = {}};
      if (file == own) {
        result = std::move(refused);
      } else {
        warn_("warning: " + refused.text);
      }
    }
  }
  if (of_others_ != 0) {
    warn_(fmt::format("note: {} profiles in {} are for other servers and stay there", of_others_, spool_->folder()));
  }
  return result;
}

diag::Result<Delivery> make_delivery(const request::Push& asked, u32 tries, DeliveryWarning warn) {
  WPERF_TRY(Server server, known_server(asked));
  std::optional<Spool> spool;
  if (asked.spool.has_value()) {
    WPERF_TRY(Spool opened, Spool::open(*asked.spool, asked.spool_bytes));
    spool.emplace(std::move(opened));
  }
  return Delivery(std::move(server), std::move(spool), tries, std::move(warn));
}

}  // namespace wperf::push
