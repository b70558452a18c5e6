// SPDX-License-Identifier: BSD-3-Clause
// What is looked at: one frozen object that all views share. Each change makes a new one; those before it can be had
// back, and the fragment of the URL says all of it, so that a link to the file shows what its sender saw.

const kDefaults = Object.freeze({
  tab: "flame", event: 0, measure: "period", colour: "module", over: -1, search: "",
  keep: "", drop: "",     // of functions, modules and texts: "f12", "m3", "t:text", separated by blanks
  tasks: "",              // "3" a thread, "p17" a process, separated by blanks; empty: all
  from: -1, to: -1,       // slices, the last included; -1: all of the time
  window: "",             // what the timeline shows: nanoseconds, "begin-end"; empty: all of the time
  invert: 0, icicle: 0, fold: 0,
  zoom: "",               // functions on the way to the frame that is as wide as the view
  chosen: -1,             // a function, for its callers, callees and code
});

class Store {
  constructor() {
    this.listeners = [];
    this.past = [];
    this.state = kDefaults;
  }
  change(part, keepsPast = true) {
    const next = Object.freeze({ ...this.state, ...part });
    if (fragmentOf(next) === fragmentOf(this.state)) return;
    if (keepsPast) this.past.push(this.state);
    if (this.past.length > 200) this.past.shift();
    this.set(next);
  }
  undo() {
    // What is searched for is no change of what is looked at.
    if (this.past.length > 0) this.set(Object.freeze({ ...this.past.pop(), search: this.state.search }));
  }
  set(next) {
    const before = this.state;
    this.state = next;
    history.replaceState(null, "", "#" + fragmentOf(next));
    for (const listener of this.listeners) listener(next, before);
  }
}

function fragmentOf(state) {
  const words = new URLSearchParams();
  for (const name of Object.keys(kDefaults)) {
    if (state[name] !== kDefaults[name]) words.set(name, state[name]);
  }
  return words.toString();
}

function stateOf(fragment, profile) {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...kDefaults };
  for (const [name, standard] of Object.entries(kDefaults)) {
    if (!words.has(name)) continue;
    const text = words.get(name);
    if (typeof standard === "string") state[name] = text;
    else if (Number.isInteger(Number(text))) state[name] = Number(text);
  }
  state.keep = readableWords(state.keep);
  state.drop = readableWords(state.drop);
  const within = (value, count, otherwise) => (value >= 0 && value < count ? value : otherwise);
  const hot = profile.events.findIndex((event) => event.samples > 0);
  if (!words.has("event")) state.event = Math.max(hot, 0);
  // Where a thread was is less of a question than what it did there.
  if (!words.has("colour") && profile.events.some(isAllTime)) state.colour = "state";
  if (!words.has("colour") && profile.difference) state.colour = "change";
  state.event = within(state.event, profile.events.length, Math.max(hot, 0));
  state.over = within(state.over, profile.events.length, -1);
  state.chosen = within(state.chosen, profile.functions.name.length, -1);
  state.from = within(state.from, profile.slices, -1);
  state.to = within(state.to, profile.slices, -1);
  if (state.to < state.from || state.from < 0) state.from = state.to = -1;
  return Object.freeze(state);
}

const wordsOf = (text) => (text === "" ? [] : text.split(" "));
// Links are typed and cut by anyone: what is no text is left out.
const readableWords = (text) => wordsOf(text).filter((word) => {
  try {
    return decodeURIComponent(word) !== "";
  } catch {
    return false;
  }
}).join(" ");
const withWord = (text, word) => (wordsOf(text).includes(word) ? text : (text + " " + word).trim());
const withoutWord = (text, word) => wordsOf(text).filter((one) => one !== word).join(" ");
