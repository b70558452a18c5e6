// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/topdown/method.h"

#include <algorithm>
#include <iterator>

namespace wperf::topdown {
namespace {

constexpr std::string_view kSlots = "percent of slots";

// "y + z" for "x / (y + z) * 100". Formulas with slots are longer, but for these the unit is sufficient.
std::string whole_of(const pmu::Metric& metric) {
  if (metric.unit == kSlots) return "slots";
  const std::string_view formula = metric.formula;
  const usize slash = formula.find(" / "), end = formula.rfind(" * 100");
  if (slash == std::string_view::npos || end == std::string_view::npos || end < slash) return "cycles";
  std::string_view whole = formula.substr(slash + 3, end - slash - 3);
  if (whole.starts_with('(') && whole.ends_with(')')) whole = whole.substr(1, whole.size() - 2);
  return std::string(whole);
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const usize comma = std::min(list.find(','), list.size());
    if (comma != 0) words.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

u32 Method::find(std::string_view metric) const {
  for (u32 i = 0; i < nodes.size(); ++i) {
    if (nodes[i].metric.name == metric) return i;
  }
  return kNone;
}

bool Method::is_whole() const {
  return roots.size() > 2;
}

Method method_of(pmu::Product product) {
  Method method;
  const auto row_of = [&](std::string_view name) -> std::optional<pmu::TopdownNode> {
    for (usize i = 0; i < product.topdown_count(); ++i) {
      if (product.topdown_node(i).metric == name) return product.topdown_node(i);
    }
    return std::nullopt;
  };
  const auto add = [&](const pmu::TopdownNode& row, u32 parent) {
    const std::optional<pmu::Metric> metric = product.find_metric(row.metric);
    if (!metric.has_value() || method.find(row.metric) != kNone) return;
    Node node{.metric = *metric, .parent = parent, .events = words_of(row.events), .of = whole_of(*metric)};
    if (parent != kNone) {
      node.level = method.nodes[parent].level + 1;
      method.nodes[parent].children.push_back(static_cast<u32>(method.nodes.size()));
    }
    method.nodes.push_back(std::move(node));
  };
  for (usize i = 0; i < product.topdown_count(); ++i) {
    if (product.topdown_node(i).is_root) add(product.topdown_node(i), kNone);
  }
  for (u32 i = 0; i < method.nodes.size(); ++i) method.roots.push_back(i);
  for (u32 i = 0; i < method.nodes.size(); ++i) {
    for (const std::string_view next : words_of(row_of(method.nodes[i].metric.name)->next)) {
      if (const auto row = row_of(next); row.has_value()) {
        add(*row, i);
      } else {
        method.nodes[i].groups.push_back(next);
      }
    }
  }
  return method;
}

namespace {

struct Meaning {
  std::string_view name, text;
};
// Alphabetical.
constexpr Meaning kMeanings[] = {
    {"Atomics_Effectiveness",
     "Failed compare-and-swaps are retried: let fewer threads use one word, or use it less often."},
    {"Branch_Effectiveness", "Branches were mispredicted: make them predictable, or compute both ways and select."},
    {"CME_IQ_Effectiveness", "Queues of the matrix unit are full: too many of its operations wait for earlier ones."},
    {"CME_Ilock_From_CME",
     "Kind of matrix unit result that the core waits for: flags, predicates or general registers."},
    {"CME_Ilock_To_CME", "Kind of value that the matrix unit waits for: flags, predicates or general registers."},
    {"CME_L1D_Cache_Effectiveness", "The matrix unit's data misses its first-level cache: work on smaller tiles."},
    {"CME_L3D_Cache_Effectiveness",
     "The matrix unit's data comes from the shared cache or beyond: work on smaller tiles."},
    {"CME_LL_Cache_Effectiveness",
     "The matrix unit's data comes from memory: reuse loaded data more often, or prefetch it."},
    {"CME_Operation_Mix", "Kinds of operations of the matrix unit."},
    {"CME_Port_Utilization", "Utilization of the matrix unit's ports: one that is always busy is the limit."},
    {"CME_System_Memory_Effectiveness",
     "Where data comes from when the matrix unit misses its cache: memory takes longest."},
    {"DTLB_Effectiveness", "Data is spread over too many pages: keep it closer together, or use large pages."},
    {"IQ_Effectiveness", "Shows which issue queue was full; the units that it feeds are the limit."},
    {"ITLB_Effectiveness", "Code is spread over too many pages: order functions by use, or use large pages for code."},
    {"L1D_Cache_Effectiveness", "Data comes from the second-level cache: work on smaller blocks."},
    {"L1I_Cache_Effectiveness",
     "Code does not fit into the first-level cache: inline less, and place hot functions next to each other."},
    {"L2D_Cache_Effectiveness",
     "Data comes from beyond the second-level cache, or from another core's cache: work on smaller blocks, and let "
     "each thread write to its own cache lines."},
    {"L2I_Cache_Effectiveness",
     "Code comes from beyond the second-level cache: reduce its size, and place hot functions next to each other."},
    {"L2_Cache_Effectiveness", "Data or code comes from beyond the second-level cache: work on smaller blocks."},
    {"LL_Cache_Effectiveness", "Data comes from memory: touch less of it, access it in order, or prefetch it."},
    {"MCQ_Effectiveness", "The reorder buffer was full: an old operation in it takes long."},
    {"Operation_Mix", "Kinds of operations: loads and stores, branches, integers, floating point and vectors."},
    {"Port_Utilization", "Utilization of each group of units: one near 100 % is the limit."},
    {"Prefetcher_Effectiveness",
     "Share of the data that was prefetched: sequential accesses are predicted, jumps are not."},
    {"Rename_Effectiveness",
     "Which kind of register ran out: shorten dependency chains, or keep fewer results of that kind in flight."},
    {"backend_bound", "Decoded operations waited: for data, for room to store, or for busy units."},
    {"backend_busy_bound",
     "Execution units were busy, or their queues full: long operations such as divisions, or chains in which each "
     "operation waits for the previous one."},
    {"backend_busy_ls_bound", "The units for loads and stores were busy: make fewer or wider accesses."},
    {"backend_busy_vpu_arb_bound",
     "Vector operations waited because the unit is shared with another core: let one of the two do less vector work."},
    {"backend_cache_l1d_bound", "Loads missed the first-level cache and hit the second: work on smaller blocks."},
    {"backend_cache_l2d_bound",
     "Loads waited for data from beyond the second-level cache: touch less of it, access it in order, or prefetch it. "
     "Threads that write to the same cache line cause this too."},
    {"backend_cme_backpressure_bound",
     "The matrix unit accepted no more work because it was overloaded: give it fewer or larger operations."},
    {"backend_cme_busy_arb_bound",
     "This core waited for the matrix unit, which other cores use too: keep matrix work together, and on few threads."},
    {"backend_cme_cpu_bound", "Work for the matrix unit was delayed in the core, before it got there."},
    {"backend_core_bound", "Operations waited for the core itself and not for memory: for units, queues or registers."},
    {"backend_core_cme_bound", "Operations of the matrix unit (SME) waited: for the unit, or on their way to it."},
    {"backend_core_other_bound",
     "The core itself delayed operations, but not because of registers, busy units or the matrix unit."},
    {"backend_core_rename_bound", "No register was free for renaming: too many results are in flight."},
    {"backend_mem_bound", "Operations waited for memory: for loads, for stores, or for address translation."},
    {"backend_mem_cache_bound", "Loads missed caches."},
    {"backend_mem_cme_barrier_bound",
     "Loads and stores waited for a barrier between those of the core and those of the matrix unit: enter and leave "
     "streaming mode less often."},
    {"backend_mem_cme_bound", "Loads and stores of the core and of the matrix unit waited for each other."},
    {"backend_mem_cme_hazard_cpu_bound",
     "The matrix unit's loads and stores waited for the core's accesses to the same addresses: leave time between "
     "them, or use other memory."},
    {"backend_mem_cme_lsrt_full_bound",
     "The table that tracks loads and stores of the matrix unit was full: make fewer, wider accesses."},
    {"backend_mem_cpu_hazard_cme_bound",
     "The core's loads and stores waited for the matrix unit's accesses to the same addresses: leave time between "
     "them, or use other memory."},
    {"backend_mem_store_bound",
     "Stores waited for room: there are too many, or they go to cache lines held by other cores."},
    {"backend_mem_tlb_bound",
     "Addresses of data were looked up in page tables: keep data on fewer pages, or use large pages."},
    {"backend_stall_interlock_bound",
     "An instruction waited for the result of an earlier one: put independent work between the two."},
    {"backend_stall_interlock_from_cme_bound",
     "The core waited for results of the matrix unit: let it do other work meanwhile."},
    {"backend_stall_interlock_ls_bound",
     "An instruction waited for a loaded value: load earlier, and use the value later."},
    {"backend_stall_interlock_ptr_chase_bound",
     "An address waited for the load that returns it, as when walking lists and trees; arrays of indices avoid this."},
    {"backend_stall_interlock_to_cme_bound", "The matrix unit waited for values of the core: compute them earlier."},
    {"backend_stall_interlock_vpu_bound",
     "An instruction waited for a result of the vector unit: use several independent sums instead of one."},
    {"backend_stalled_cycles", "In these cycles nothing was issued because the backend had no room."},
    {"bad_speculation",
     "Work was thrown away because a branch was mispredicted: make it predictable, or select without a branch."},
    {"cme_backend_bound", "The matrix unit had work but was blocked: by its units, or by missing data."},
    {"cme_backend_core_bound", "The matrix unit was blocked by its own units or queues, and not by memory."},
    {"cme_backend_mem_bound", "The matrix unit waited for memory: for loads or for stores."},
    {"cme_backend_mem_cache_bound", "The matrix unit's loads missed caches: work on smaller tiles."},
    {"cme_backend_mem_store_bound",
     "The matrix unit's stores waited for room: keep sums in its array for longer, and store them once."},
    {"cme_backend_prefetch_bound",
     "The matrix unit waited for prefetched data that had not arrived yet: prefetch earlier."},
    {"cme_frontend_bound", "The matrix unit had too little work."},
    {"cme_frontend_cpu_bound",
     "The core that uses the matrix unit gave it too little work: do less other work between matrix operations."},
    {"cme_frontend_other_bound",
     "The matrix unit worked for another core meanwhile: keep matrix work on fewer threads."},
    {"cme_retiring", "The matrix unit did useful work: only fewer or wider operations can improve this."},
    {"frontend_bound", "The core had too little work: fetching and decoding were too slow."},
    {"frontend_cache_l1i_bound", "Code came from the second-level cache: it does not fit into the first."},
    {"frontend_cache_l2i_bound",
     "Code came from beyond the second-level cache: there is too much of it, or it is used only once."},
    {"frontend_core_bound", "Fetching was delayed by the core itself and not by memory."},
    {"frontend_core_flow_bound",
     "The flow of instructions was interrupted: taken branches close together, or barriers."},
    {"frontend_core_flush_bound", "The pipeline was refilled after a misprediction."},
    {"frontend_core_flush_machine_clear_bound",
     "The pipeline was flushed for another reason than a mispredicted branch: memory accesses in the wrong order, "
     "instruction barriers, exceptions."},
    {"frontend_core_flush_resteer_bound",
     "The pipeline was refilled from another address after a mispredicted branch: make it predictable, or select "
     "without a branch."},
    {"frontend_mem_bound", "Fetching waited for memory: for code, or for the translation of its addresses."},
    {"frontend_mem_cache_bound", "Code missed caches: reduce its size, or place hot functions next to each other."},
    {"frontend_mem_tlb_bound",
     "Addresses of code were looked up in page tables: order functions by use, or use large pages."},
    {"frontend_stalled_cycles", "In these cycles nothing was issued because the frontend delivered nothing."},
    {"retiring", "Slots did useful work: only fewer or wider instructions can improve this."},
};

}  // namespace

std::string_view meaning_of(std::string_view name) {
  const auto* const found =
      std::lower_bound(std::begin(kMeanings), std::end(kMeanings), name,
                       [](const Meaning& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kMeanings) && found->name == name ? found->text : std::string_view{};
}

}  // namespace wperf::topdown
