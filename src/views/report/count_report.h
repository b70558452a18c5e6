// SPDX-License-Identifier: BSD-3-Clause
// The answers of `stat`: text (contract 5.2-5.5), JSON (5.6, 6.4), timeline CSV (6.2) and Prometheus' text. Pure
// functions of the profile; lines end in LF, which are converted to CR LF on output if necessary.
#pragma once
#include <map>
#include <string>

#include "ground/text/json_writer.h"
#include "model/answers/count_profile.h"

namespace wperf::report {

struct CountTextOptions {
  bool verbose = false;  // wperf's addition: the measured share and the 95 % interval of multiplexed events
  bool elapsed = true;   // ends with the elapsed time; false if other sections follow
};
std::string count_text(const answers::CountProfile& profile, const CountTextOptions& options);
std::string count_json(const answers::CountProfile& profile);
// the same document as count_json(), as a value
void write_count(text::JsonWriter& json, const answers::CountProfile& profile);
// In the text format of Prometheus and node_exporter.
std::string count_prometheus(const answers::CountProfile& profile);
// Adds up consecutive counts to counters that only increase. An event that was not counted adds nothing.
class CountSums {
 public:
  void add(const answers::CountProfile& profile);
  std::string text() const;

 private:
  std::map<std::string, double> values_;  // keyed by labels
  double seconds_ = 0;
  u64 counts_ = 0;
};
// The notes on all counts, which are not in the CSV.
std::string timeline_notes(const answers::TimelineProfile& timeline);
std::string timeline_json(const answers::TimelineProfile& timeline);
// The CSV of one event class.
std::string timeline_csv(const answers::TimelineProfile& timeline, EventClass event_class);

}  // namespace wperf::report
