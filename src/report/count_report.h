// SPDX-License-Identifier: BSD-3-Clause
// The answers of `stat`: text (contract 5.2-5.5), JSON (5.6, 6.4) and timeline CSV (6.2). Pure functions of the
// profile; lines end in LF, the writer of the bytes turns them into CR LF where the platform wants it.
#pragma once
#include <string>

#include "profile/count_profile.h"

namespace wperf::report {

struct CountTextOptions {
  bool verbose = false;  // ours: adds the fraction measured and the 95 % interval of multiplexed events
  bool elapsed = true;   // ends with the time; false where sections of another kind follow
};
std::string count_text(const profile::CountProfile& profile, const CountTextOptions& options);
std::string count_json(const profile::CountProfile& profile);
// What CSV has no place for: the notes of all counts together.
std::string timeline_notes(const profile::TimelineProfile& timeline);
std::string timeline_json(const profile::TimelineProfile& timeline);
// The CSV of one event class.
std::string timeline_csv(const profile::TimelineProfile& timeline, EventClass event_class);

}  // namespace wperf::report
