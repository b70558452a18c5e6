// SPDX-License-Identifier: BSD-3-Clause
// Colours of frames. All of one lightness, so that none shouts and text on them is readable; names stand on the frames
// and in the legend, so that nobody needs to tell colours apart.

const kKinds = ["user code", "kernel", "inlined", "no name", "code generated at run time"];
const kHues = [212, 28, 152, 330, 258, 88, 190, 48, 288, 120, 8, 235];

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toned(hue, strength = 1) {
  return isDark() ? `hsl(${hue} ${34 * strength}% 31%)` : `hsl(${hue} ${66 * strength}% 80%)`;
}

// Blue where there is less than on average, orange where there is more.
function divergent(ratio, average) {
  if (!(average > 0) || !Number.isFinite(ratio)) return toned(220, 0);
  const step = Math.max(-1, Math.min(1, Math.log2(Math.max(ratio, 1e-9) / average) / 2));
  return toned(step < 0 ? 215 : 28, Math.abs(step));
}

// What the other event counted for each of this one.
const ratioOf = (shown, node) => shown.other.total[node] / (shown.counted.total ?? shown.weight.total)[node];

// As people write it: instructions per cycle, but misses per thousand instructions.
function ratioText(over, event, ratio) {
  const isWork = (name) => /^(instructions|inst_|cycles|cpu_cycles|cpu-cycles)/i.test(name);
  const perThousand = /^(instructions|inst_)/i.test(event.name) && !isWork(over.name) && !isClock(over);
  return `${over.name} per ${perThousand ? "thousand " : ""}${event.name}: ${((perThousand ? 1000 : 1) * ratio).toPrecision(4)}`;
}

// Of threads' time, in graphs, in the timeline and in the legend.
const kStateColours = { running: () => toned(152), ready: () => toned(48), waiting: () => toned(8), unknown: () => toned(220, 0), callers: () => toned(215, 0.25) };

function stateColour(name) {
  const state = /^\[(running|ready|waiting|unknown(?=:))/.exec(name);
  return kStateColours[state === null ? "callers" : state[1]]();
}

class Colours {
  constructor(profile, sums) {
    this.profile = profile;
    const byModule = new Float64Array(profile.modules.name.length);
    for (let i = 0; i < sums.self.length; ++i) byModule[profile.functions.module[i]] += sums.self[i];
    const order = [...byModule.keys()].sort((a, b) => byModule[b] - byModule[a]);
    this.rankOfModule = new Int32Array(order.length);
    order.forEach((module, rank) => { this.rankOfModule[module] = rank; });
    this.order = order;
    this.kept = new Map();
  }
  refresh() {
    this.kept.clear();
  }
  ofModule(module) {
    const rank = this.rankOfModule[module];
    return toned(kHues[rank % kHues.length], rank < kHues.length ? 1 : 0.35);
  }
  of(shown, node, state) {
    const function_ = shown.functions[node];
    if (state.colour === "change") return changeColour(changeOf(shown, node).step);
    if (state.colour === "ratio" && shown.other.total !== null) {
      return divergent(ratioOf(shown, node), ratioOf(shown, 0));
    }
    const key = state.colour + function_;
    let colour = this.kept.get(key);
    if (colour === undefined) {
      const { module, kind, name } = this.profile.functions;
      if (state.colour === "kind") colour = toned(kHues[kind[function_]], kind[function_] === 3 ? 0 : 1);
      else if (state.colour === "state") colour = stateColour(name[function_]);
      else colour = this.ofModule(module[function_]);
      this.kept.set(key, colour);
    }
    return colour;
  }
  // Those there are: of most recordings all of the time is known.
  states() {
    return Object.keys(kStateColours).filter((name) => name !== "unknown" || this.profile.functions.name.includes("[unknown: not recorded]"));
  }
  // What the colours mean: [[colour, text]].
  legend(state) {
    if (state.colour === "change") return changeLegend();
    if (state.colour === "kind") return kKinds.map((name, kind) => [toned(kHues[kind], kind === 3 ? 0 : 1), name]);
    if (state.colour === "state") return this.states().map((name) => [kStateColours[name](), name]);
    if (state.colour === "ratio") return [[toned(215), "a quarter of the average or less"], [toned(220, 0), "average"], [toned(28), "four times the average or more"]];
    return this.order.slice(0, 6).map((module) => [this.ofModule(module), this.profile.modules.name[module]]);
  }
}
