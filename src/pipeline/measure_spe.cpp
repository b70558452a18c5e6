// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/measure_spe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "modules/for_each_module.h"
#include "os/output_file.h"
#include "pipeline/collecting.h"
#include "pipeline/count_profile_builder.h"
#include "pipeline/milliseconds.h"
#include "pipeline/outputs.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/sampled_program.h"
#include "pipeline/spe_decoding.h"
#include "pipeline/spe_records.h"
#include "plan/spe_plan.h"
#include "profile/spe_profile_builder.h"
#include "report/sample_report.h"

namespace wperf::pipeline {
namespace {

// What an SPE run counts besides cycles (contract 3.4).
struct PopulationEvent {
  const char* name;
  u16 code;
};
constexpr PopulationEvent kPopulationEvents[] = {
    {"sample_pop", 0x4000}, {"sample_feed", 0x4001}, {"sample_filtrate", 0x4002}, {"sample_collision", 0x4003}};

plan::CountPlan population_plan(const plan::SpePlan& plan, const plan::Capabilities& machine) {
  plan::CountPlan counts;
  plan::Schedule& schedule = counts.schedules[index_of(EventClass::core)];
  for (const PopulationEvent& event : kPopulationEvents) {
    plan::Entry entry;
    entry.name = event.name;
    entry.code = event.code;
    schedule.entries.push_back(std::move(entry));
  }
  schedule.counters = machine.counters_free[index_of(EventClass::core)];
  counts.cores = plan.cores;
  counts.kernel = plan.kernel;
  counts.period_ms = machine.period_default_ms;
  return counts;
}

// The bytes as they came, one file per core: `spe.data` when there is one, else spe.0.data and so on.
class ByteFiles {
 public:
  ByteFiles(const request::Outputs& outputs, bool several) : outputs_(outputs), several_(several) {}

  void write(const raw::SpePiece& piece) {
    auto found = files_.find(piece.core);
    if (found == files_.end()) {
      const std::string name = several_ ? fmt::format("spe.{}.data", piece.core) : "spe.data";
      found = files_.emplace(piece.core, os::OutputFile::create(output_path(outputs_, name))).first;
    }
    if (found->second.has_value()) found->second.value().write(piece.bytes);
  }
  // One that could not be opened is a warning; nobody asked for it by name.
  diag::Result<void> close(diag::Console& console) {
    diag::Result<void> first_failure;
    for (auto& [core, file] : files_) {
      if (!file.has_value()) {
        console.warn("warning: " + file.error().text);
        continue;
      }
      auto closed = file.value().close();
      if (first_failure.has_value()) first_failure = std::move(closed);
    }
    return first_failure;
  }

 private:
  const request::Outputs& outputs_;
  bool several_;
  std::map<u32, diag::Result<os::OutputFile>> files_;
};

struct SpeOutcome {
  Collection collection;
  u64 start_ns = 0, end_ns = 0;
  std::vector<raw::SpeTally> tallies;
  std::optional<profile::CountProfile> counting;
  std::vector<raw::Process> processes;
};

diag::Result<SpeOutcome> profile_once(const request::Request& request, const plan::SpePlan& plan, Machine& machine,
                                      u32 pid, diag::Console& console, const raw::SpeSink& sink) {
  SpeOutcome outcome;
  device::Device& device = *machine.device;
  const plan::CountPlan counts = population_plan(plan, machine.capabilities);
  std::unique_ptr<device::CountSession> counting;
  if (counts.schedules[index_of(EventClass::core)].counters != 0) {
    WPERF_TRY(counting, device.open_count(counts));
  }
  WPERF_TRY(const auto session, device.open_spe(plan));
  // The counters enclose the profiling: what they call filtered is what comes out.
  if (counting != nullptr) WPERF_CHECK_OK(counting->start());
  WPERF_CHECK_OK(session->start());
  outcome.start_ns = device.programs().now_ns();
  u64 bytes = 0;
  const raw::SpeSink counted = [&](const raw::SpePiece& piece) {
    bytes += piece.bytes.size();
    sink(piece);
  };
  const auto drain = [&]() -> diag::Result<Collected> {
    WPERF_CHECK_OK(session->drain(counted));
    return Collected{.amount = bytes};
  };
  const u64 duration_ms = request.duration_ms();
  WPERF_TRY(outcome.collection, collect_samples(machine, duration_ms, pid, console, kSpeDrainNs, drain));
  WPERF_CHECK_OK(session->stop());
  outcome.end_ns = device.programs().now_ns();
  if (counting != nullptr) WPERF_CHECK_OK(counting->stop());
  WPERF_CHECK_OK(session->drain(counted));
  tell_collected(outcome.collection, console);
  outcome.tallies = session->tallies();
  if (counting != nullptr) {
    WPERF_TRY(const raw::CountCapture capture, counting->read());
    outcome.counting = build_count_profile(counts, machine.capabilities, machine.vocabulary, capture);
  }
  outcome.processes = device.programs().processes();
  return outcome;
}

u64 counted(const profile::CountUnit& unit, std::string_view name) {
  for (const profile::CountRow& row : unit.rows) {
    if (row.name == name) return row.scaled;
  }
  return 0;
}

// What was counted of the sampling itself, on all cores and on each of those in `cores`.
void add_population(const profile::CountProfile& counting, profile::SpeRun& run) {
  profile::SpePopulation sum;
  run.recorded_of_core.assign(run.cores.size(), 0);
  for (const profile::CountUnit& unit : counting.classes[index_of(EventClass::core)].units) {
    sum.operations += counted(unit, "sample_pop");
    sum.chosen += counted(unit, "sample_feed");
    sum.recorded += counted(unit, "sample_filtrate");
    sum.collided += counted(unit, "sample_collision");
    for (usize i = 0; i < run.cores.size(); ++i) {
      if (run.cores[i].core == unit.number) run.recorded_of_core[i] = counted(unit, "sample_filtrate");
    }
  }
  run.population = sum;
}

std::vector<profile::SpeCore> cores_of(const SpeDecoding& decoding, const std::vector<raw::SpeTally>& tallies) {
  std::vector<profile::SpeCore> cores = decoding.cores();
  for (const raw::SpeTally& tally : tallies) {
    auto found = std::find_if(cores.begin(), cores.end(), [&](const auto& one) { return one.core == tally.core; });
    if (found == cores.end()) {
      found = cores.insert(cores.end(), profile::SpeCore{});
      found->core = tally.core;
    }
    found->full = tally.full;
    found->stopped_ns = tally.stopped_ns;
    found->collisions = tally.collisions;
    found->data_losses = tally.data_losses;
    found->faulted = tally.faulted;
  }
  std::sort(cores.begin(), cores.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
  return cores;
}

std::vector<profile::SpeThread> threads_of(const std::vector<raw::Process>& processes) {
  std::vector<profile::SpeThread> threads;
  for (const raw::Process& process : processes) {
    for (const u32 thread : process.threads) {
      threads.push_back({.context = thread, .process = process.pid, .thread = thread});
    }
  }
  std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.context < b.context; });
  return threads;
}

diag::Result<profile::SpeProfile> name_tally(const SpeDecoding& decoding, const SpeOutcome& outcome,
                                             const SampledProgram& sampled, const modules::SymbolOptions& symbols,
                                             const plan::SpePlan& plan) {
  const raw::Process* process = find_process(outcome.processes, sampled.pid);
  const std::vector<modules::LoadedModule> loaded =
      modules::load_modules(process != nullptr ? process->modules : std::vector<raw::Module>{}, symbols);
  profile::SpeRun run;
  run.target = target_of(sampled, process, loaded);
  run.threads = threads_of(outcome.processes);
  run.processes = process_names(outcome.processes);
  run.cores = cores_of(decoding, outcome.tallies);
  if (outcome.counting.has_value()) add_population(*outcome.counting, run);
  // The contract's clock resolves milliseconds.
  const u64 elapsed_ms = (outcome.end_ns - outcome.start_ns) / kNanosecondsPerMillisecond;
  run.elapsed_seconds = static_cast<double>(elapsed_ms) / 1e3;
  if (process != nullptr && !process->running) run.exit_code = process->exit_code;

  const auto wanted = profile::spe_addresses_to_name(decoding.tally(), run);
  std::vector<std::vector<profile::AddressAnswer>> answers(wanted.size());
  modules::for_each_module(std::min(wanted.size(), loaded.size()),
                           [&](size_t i) { answers[i] = answers_of(loaded[i], wanted[i], symbols.decorated); });
  profile::SpeProfile profile = profile::make_spe_profile(decoding.tally(), std::move(run), answers);
  WPERF_CHECK_OK(add_code_and_sources(profile.samples, code_of(loaded, symbols.decorated), plan.display));
  return profile;
}

}  // namespace

diag::Result<MeasuredSpe> measure_spe(const request::Request& request, Machine& machine, diag::Console& console) {
  WPERF_TRY(const plan::SpePlan plan, plan::make_spe_plan(request, machine.capabilities));
  SpawnedProgram program(machine.device->programs());
  WPERF_TRY(const SampledProgram sampled, start_or_find(request, plan.program_core, machine, program));
  const modules::SymbolOptions symbols = symbol_options(request);
  console.out(report::sample_start_text(target_before(machine.device->programs(), sampled, symbols), sampled.pe_file,
                                        request.outputs.verbose));

  const auto& midrs = machine.capabilities.core_midr;
  SpeDecoding decoding({.memory = plan.display.memory}, midrs);
  ByteFiles files(request.outputs, plan.cores.size() > 1);
  KeptPieces kept;
  const auto take = [&](const raw::SpePiece& piece) {
    decoding.take(piece);
    files.write(piece);
    if (request.sampling.records_file.has_value()) kept.keep(piece);
  };
  WPERF_TRY(SpeOutcome outcome, profile_once(request, plan, machine, sampled.pid, console, take));
  decoding.finish();
  auto written = files.close(console);

  MeasuredSpe measured;
  WPERF_TRY(measured.profile, name_tally(decoding, outcome, sampled, symbols, plan));
  if (request.sampling.records_file.has_value()) {
    diag::Result<void> replayed;
    auto records = write_records(records_request(request, midrs), measured.profile, runs_of(kept, replayed), console);
    if (records.has_value()) records = std::move(replayed);
    if (written.has_value()) written = std::move(records);
  }
  measured.counting = std::move(outcome.counting);
  measured.trouble = std::move(outcome.collection.trouble);
  if (!written.has_value() && !measured.trouble.has_value()) measured.trouble = std::move(written).error();
  return measured;
}

}  // namespace wperf::pipeline
