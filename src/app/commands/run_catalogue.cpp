// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "ground/diag/nearest.h"
#include "machine/plan/spe_plan.h"
#include "views/report/tool_reports.h"

namespace wperf::commands {
namespace {

answers::CatalogueListing listing_of(const measure::OpenedMachine& machine) {
  answers::CatalogueListing listing;
  for (const EventClass event_class : kEventClasses) {
    listing.classes[index_of(event_class)] = machine.capabilities.counters_total[index_of(event_class)] > 0;
  }
  if (machine.capabilities.kernel != nullptr) {
    listing.product_events = machine.capabilities.kernel->counts_catalogue();
    for (usize i = 0; i < machine.catalog.product.event_count(); ++i) {
      const u16 code = machine.catalog.product.event(i).code;
      if (machine.capabilities.kernel->counts_code(code) == false) listing.absent_events.push_back(code);
    }
    for (plan::KernelEvents::Word& word :
         machine.capabilities.kernel->words(machine.capabilities.kernel->has_counters())) {
      listing.words.push_back({.name = std::move(word.name),
                               .kind = std::move(word.kind),
                               .description = word.same_as.empty()
                                                  ? std::move(word.description)
                                                  : std::string(report::kAnotherNameOf) + word.same_as});
    }
  }
  for (const plan::MetricDefinition& metric : machine.catalog.metrics) {
    answers::ListedMetric listed{
        .name = metric.name, .definition = metric.definition, .formula = {}, .unit = {}, .description = {}};
    if (metric.solution.has_value()) {
      listed.formula = metric.solution->formula;
      listed.unit = metric.solution->unit;
      listed.description = metric.solution->description;
    }
    listing.metrics.push_back(std::move(listed));
  }
  if (machine.capabilities.pmsidr != 0) {
    listing.spe_version = pmu::spe_version_name(machine.capabilities.id_aa64dfr0);
  }
  return listing;
}

// armv8-a and armv9-a first, then all products and aliases, sorted.
std::string known_products() {
  std::vector<std::string> names;
  for (usize i = 0; i < pmu::product_count(); ++i) names.emplace_back(pmu::product_at(i).name());
  for (const pmu::Alias& alias : pmu::aliases()) names.emplace_back(alias.alias);
  const auto generic = [](const std::string& name) { return name == "armv8-a" || name == "armv9-a"; };
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(!generic(a), a) < std::pair(!generic(b), b);
  });
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<plan::KernelEvents::Word> words_of_kernel(const measure::OpenedMachine& machine) {
  const auto& kernel = machine.capabilities.kernel;
  return kernel != nullptr ? kernel->words(true) : std::vector<plan::KernelEvents::Word>();
}

std::vector<std::string_view> names_of(const std::vector<pmu::Product>& products) {
  std::vector<std::string_view> names;
  for (const pmu::Product product : products) {
    for (usize i = 0; i < product.metric_count(); ++i) names.push_back(product.metric(i).name);
    for (usize i = 0; i < product.event_count(); ++i) names.push_back(product.event(i).name);
    for (usize i = 0; i < product.group_count(); ++i) names.push_back(product.group(i).name);
  }
  return names;
}

// Refuses names that `list` prints but that have no manual page: events outside of the cores, SPE and its filters.
diag::Result<void> check_has_page(const std::string& name) {
  for (const EventClass event_class : kEventClasses) {
    const std::string prefix = fmt::format("/{}/", class_name(event_class));
    if (event_class == EventClass::core || !name.starts_with(prefix)) continue;
    if (!pmu::find_uncore_event(event_class, std::string_view(name).substr(prefix.size())).has_value()) break;
    return diag::usage_error(fmt::format("{} is an event of the {} and has no manual page", name,
                                         event_class == EventClass::dsu ? "cluster of cores" : "memory controller"),
                             "`wperf list -v` has its number");
  }
  if (name.starts_with("arm_spe_0") || plan::find_spe_setting(name) != nullptr) {
    return diag::usage_error(name + " belongs to SPE, which has no manual page",
                             "docs/user/spe.md explains SPE and its filters");
  }
  return {};
}

// The page of an event that the kernel names.
std::optional<answers::ManualPage> page_of_word(const std::vector<plan::KernelEvents::Word>& words,
                                                std::string_view name) {
  const auto found = std::ranges::find(words, name, &plan::KernelEvents::Word::name);
  if (found == words.end()) return std::nullopt;
  const auto first = std::ranges::find(words, found->same_as, &plan::KernelEvents::Word::name);
  const bool is_other_name = !found->same_as.empty() && first != words.end();
  return report::kernel_event_page(
      {.name = found->name,
       .kind = found->kind,
       .description = is_other_name ? fmt::format("{}{}: {}", report::kAnotherNameOf, first->name, first->description)
                                    : found->description});
}

// The hint for an event that Linux names: where the catalogue explains it. Returns an empty text if no CPU in the
// catalogue has this event, or if the CPU of this machine is in the catalogue.
std::string way_to_catalogue(const std::vector<pmu::Product>& products, const measure::OpenedMachine& machine,
                             std::string_view name) {
  const bool is_linux = machine.capabilities.kernel != nullptr && !machine.capabilities.kernel->is_windows();
  const bool is_known = std::ranges::any_of(products, [](pmu::Product one) { return one.has_own_events(); });
  if (!is_linux || is_known) return {};
  std::optional<pmu::Product> having = pmu::find_product("neoverse-n1");
  const auto has_it = [&](pmu::Product product) { return report::find_manual_page(product, name).has_value(); };
  if (having.has_value() && !has_it(*having)) having.reset();
  for (usize i = 0; i < pmu::product_count() && !having.has_value(); ++i) {
    if (has_it(pmu::product_at(i))) having = pmu::product_at(i);
  }
  if (!having.has_value()) return {};
  return fmt::format("this machine's CPU is not in the catalogue; name one: `wperf man {}/{}`", having->name(), name);
}

diag::Error no_such_page(const std::string& name, std::vector<std::string_view> names, std::string way_out) {
  diag::Error error =
      diag::contract_error("warning: \"" + name + "\" not found! Ensure it is compatible with the specified CPU");
  error.hint = way_out.empty() ? diag::did_you_mean(diag::nearest(name, names)) : std::move(way_out);
  return error;
}

}  // namespace

diag::Result<void> run_list(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const measure::OpenedMachine machine,
            measure::open_machine(request, console, device::Device::Spe::asked_for));
  const auto blocks = report::list_report(machine.catalog.product, machine.catalog.extra.all(), listing_of(machine),
                                          request.outputs.verbose);
  return output::show(
      request.outputs, console, [&] { return report::blocks_text(blocks); },
      [&] { return report::blocks_json(blocks); });
}

diag::Result<void> run_man(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const measure::OpenedMachine machine,
            measure::open_machine(request, console, device::Device::Spe::asked_for));
  if (!request.man_topic.has_value()) {
    return diag::contract_error(
        "warning: no argument(s) specified, specify an event, metric, or group of metrics to obtain relevant, manual "
        "style, information.");
  }
  std::string name = request.man_topic->substr(0, request.man_topic->find(','));
  WPERF_CHECK_OK(check_has_page(name));
  std::vector<pmu::Product> products = plan::kinds_of_cores(machine.capabilities);
  const std::vector<plan::KernelEvents::Word> words = words_of_kernel(machine);
  std::optional<answers::ManualPage> page = page_of_word(words, name);
  std::string way_out = way_to_catalogue(products, machine, name);
  if (const size_t slash = name.find('/'); slash != std::string::npos && !page.has_value()) {
    const std::string cpu = name.substr(0, slash);
    name.erase(0, slash + 1);
    const auto named = pmu::find_product(cpu);
    if (!named.has_value()) {
      return diag::contract_error("warning: CPU name: \"" + cpu + "\" not found, use " + known_products() + ".");
    }
    products = {*named};
    way_out.clear();
  }
  for (const pmu::Product product : products) {
    if (!page.has_value()) page = report::find_manual_page(product, name, way_out);
  }
  if (!page.has_value()) {
    std::vector<std::string_view> names = names_of(products);
    for (const plan::KernelEvents::Word& word : words) names.push_back(word.name);
    return no_such_page(name, std::move(names), std::move(way_out));
  }
  return output::show(
      request.outputs, console, [&] { return report::manual_text(*page); }, [&] { return report::manual_json(*page); });
}

}  // namespace wperf::commands
