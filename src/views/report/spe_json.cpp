// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.9. One client looks for events one level above the place in the schema, so they are in both places;
// clients allow additional keys.
#include <algorithm>

#include "ground/text/json_writer.h"
#include "views/report/count_report.h"
#include "views/report/spe_report.h"
#include "views/report/spe_tables.h"

namespace wperf::report {
namespace {

std::string document(const SampleJsonParts& parts, const operations::SpeProfile& profile,
                     const answers::CountProfile& counting, const SpeOptions& options, const WriteMembers& more) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.begin_object("sampling");
  json.written("events", parts.events);
  json.written("sampling", parts.sampling);
  if (options.memory && profile.memory.has_value()) {
    json.key("memory");
    write_memory(json, profile, options);
  }
  if (const std::vector<std::string> notes = spe_notes(profile); !notes.empty()) {
    json.begin_array("notes");
    for (const std::string& note : notes) json.string(note);
    json.end_array();
  }
  json.end_object();
  json.key("counting");
  write_count(json, counting);
  if (more) more(json);
  json.end_object();
  return out;
}

}  // namespace

std::string spe_json(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options, const WriteMembers& more) {
  const answers::CountProfile counts = counting != nullptr ? *counting : answers::CountProfile{};
  SampleOptions samples = options.samples;
  if (samples.most_bytes != 0) {
    const usize around = document({}, profile, counts, options, {}).size();
    samples.most_bytes = std::max<usize>(1, samples.most_bytes - std::min(samples.most_bytes, around));
  }
  return document(sample_json_parts(view, samples), profile, counts, options, more);
}

}  // namespace wperf::report
