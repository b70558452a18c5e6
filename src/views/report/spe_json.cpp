// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.9. One client looks for the events one level above where the schema has them, so they are in both places;
// clients allow additional keys.
#include <algorithm>

#include "ground/text/json_writer.h"
#include "views/report/count_report.h"
#include "views/report/memory_json.h"
#include "views/report/spe_notes.h"
#include "views/report/spe_report.h"

namespace wperf::report {
namespace {

std::string memory_and_notes(const operations::SpeProfile& profile, const SpeOptions& options) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  if (options.memory && profile.memory.has_value()) {
    json.key("memory");
    write_memory(json, profile, options);
  }
  const std::vector<std::string> notes = spe_notes(profile);
  if (!notes.empty()) {
    json.begin_array("notes");
    for (const std::string& note : notes) json.string(note);
    json.end_array();
  }
  json.end_object();
  return out;
}

}  // namespace

std::string spe_json(const operations::SpeProfile& profile, const answers::CountProfile* counting,
                     const SpeOptions& options) {
  constexpr std::string_view kBegin = "{\"sampling\":{\"events\":", kSampling = ",\"sampling\":",
                             kCounting = "},\"counting\":", kEnd = "}";
  std::string counts = count_json(counting != nullptr ? *counting : answers::CountProfile{});
  while (counts.ends_with('\n')) counts.pop_back();
  const std::string ours = memory_and_notes(profile, options);
  SampleOptions samples = options.samples;
  if (samples.most_bytes != 0) {
    const usize around =
        kBegin.size() + kSampling.size() + kCounting.size() + kEnd.size() + counts.size() + ours.size();
    samples.most_bytes = std::max<usize>(1, samples.most_bytes - std::min(samples.most_bytes, around));
  }
  const SampleJsonParts parts = sample_json_parts(profile.samples, samples);
  std::string out(kBegin);
  out += parts.events;
  out += kSampling;
  out += parts.sampling;
  if (ours.size() > 2) {  // its members, without the braces
    out += ',';
    out += std::string_view(ours).substr(1, ours.size() - 2);
  }
  out += kCounting;
  out += counts;
  out += kEnd;
  return out;
}

}  // namespace wperf::report
