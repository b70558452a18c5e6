// SPDX-License-Identifier: BSD-3-Clause
// The page: builds the views, and after each change of the state computes what they share, once.

class Page {
  constructor(profile) {
    this.profile = profile;
    this.names = profile.functions.name.map(harmlessName);
    this.isCounts = profile.events.length === 0;  // of stat -t: counters over time, and no samples
    this.store = new Store();
    this.losses = document.querySelectorAll("#plain .losses li").length;
    this.headline = document.getElementById("headline") ?? "";  // not in About alone
    this.tip = new Tip();
    this.help = helpDialog();
    this.timeline = new Timeline(this);
    let views = [["flame", "Flame graph", FlameGraph], ["functions", "Functions", FunctionTable], ["sandwich", "Callers & callees", SandwichView], ["tree", "Call tree", TreeView],
      ["threads", "Threads", ThreadTable], ["modules", "Modules", ModuleTable], ["code", "Code", CodeView]];
    if (profile.waits) views.splice(4, 0, ["waits", "Waits", WaitsView]);
    if (document.getElementById("memory") !== null) views.push(["memory", "Memory", MemoryView]);
    if (profile.counters.length + profile.marks.length > 0) views.push(["moments", "Counters & marks", MomentsView]);
    if (this.isCounts) views = [["moments", "Counters", MomentsView]];
    if (profile.difference) views = [views[0], ["changes", "Changes", ChangesView]];
    views.push(["about", "About", AboutView]);
    this.tabs = views.map(([id, title, View]) => ({ id, title, view: new View(this) }));
    this.build();
    this.store.listeners.push((state, before) => this.update(state, before));
    listenToKeys(this);
    addEventListener("hashchange", () => {
      const state = stateOf(location.hash, profile);
      if (fragmentOf(state) !== fragmentOf(this.store.state)) this.store.set(state);
    });
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  build() {
    const { profile } = this;
    const app = document.getElementById("app");
    const change = (part) => this.store.change(part);
    const events = profile.events.map((event, i) => [i, event.name, event.samples]).filter(([, , samples]) => samples > 0);
    this.event = this.selectOf("event", "Event", events.map(([i, name]) => [i, name]), (value) => change({ event: Number(value), zoom: "" }));
    const first = profile.events[events[0]?.[0] ?? 0];
    this.measure = this.selectOf("measure", "Weight", [["period", first && isAllTime(first) ? "time" : first && isClock(first) ? "CPU time" : "counted"], ["samples", "samples"]], (value) => change({ measure: value }));
    this.colour = this.selectOf("colour", "Colour by", this.colourChoices(events), (value) => {
      const over = /^ratio(\d+)$/.exec(value);
      change(over ? { colour: "ratio", over: Number(over[1]) } : { colour: value, over: -1 });
    });
    this.search = element("input", { type: "search", id: "search", placeholder: "Search ( / )", "aria-label": "Search functions and threads, as text or regular expression", spellcheck: "false", autocomplete: "off" });
    this.search.addEventListener("input", () => this.searchSoon());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.search.value !== "") this.keep("t:" + encodeURIComponent(this.search.value));
    });
    this.count = element("output", { class: "count", for: "search" });
    this.toggles = [["invert", "Invert", "Show callers below their callees (i)"], ["fold", "Fold recursion", "Show recursive calls as one frame (r)"], ["icicle", "Icicle", "Show the outermost caller on top (o)"]].map(([name, text, hint]) => {
      const button = element("button", { type: "button", title: hint, "aria-pressed": "false", onclick: () => change({ [name]: 1 - this.store.state[name], ...(name === "icicle" ? {} : { zoom: "" }) }) }, text);
      return { name, button };
    });
    this.more = element("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => this.showMore() }, "Controls");
    this.undoButton = element("button", { type: "button", title: "Undo (Escape)", onclick: () => this.store.undo() }, "Undo");
    const theme = element("button", { type: "button", title: "Light or dark", "aria-label": "Light or dark", onclick: () => this.switchTheme() }, "◐");
    const help = element("button", { type: "button", title: "Keys (?)", "aria-label": "Help", onclick: () => this.help.showModal() }, "?");
    const { difference } = profile;
    const file = difference ? profile.file : document.title.replace(/ - wperf$/, "");
    const choices = this.isCounts ? [] : difference ? [this.colour] : [this.event, this.measure, this.colour];
    const header = element("header", { class: "bar-top" },
      element("h1", { title: harmlessName(profile.file) }, element("span", { class: "logo", "aria-hidden": "true" }), harmlessName(file)), ...choices.map((one) => one.label),
      ...(this.isCounts ? [] : [element("div", { class: "search-box" }, this.search, this.count)]), element("div", { class: "tools" }, ...(this.isCounts ? [] : [this.more]), this.undoButton, theme, help));
    this.chips = element("div", { class: "chips" });
    this.summary = element("p", { class: "summary", "aria-live": "polite" });
    const tabList = element("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
    for (const tab of this.tabs) {
      tab.button = element("button", { type: "button", role: "tab", id: "tab-" + tab.id, "aria-controls": "panel-" + tab.id, onclick: () => this.open(tab.id) }, tab.title);
      tab.panel = element("div", { role: "tabpanel", id: "panel-" + tab.id, class: "panel", "aria-labelledby": "tab-" + tab.id }, tab.view.root);
      tabList.append(tab.button);
    }
    tabList.addEventListener("keydown", (event) => this.walkTabs(event));
    this.warning = element("button", { type: "button", class: "warning", onclick: () => this.open("about") });
    this.warning.textContent = difference || this.isCounts ? "About these numbers" : profile.missing;
    this.warning.title = this.warning.textContent;
    this.warning.classList.toggle("minor", profile.minor);
    this.warning.hidden = this.losses === 0;
    app.append(header, ...(difference ? [] : [this.timeline.root]),
      element("nav", { class: "bar-views", "aria-label": "Views and filters" }, tabList, ...(this.isCounts ? [] : [element("div", { class: "toggles" }, ...this.toggles.map((one) => one.button))])),
      element("section", { class: "bar-filters", "aria-label": "Filters" }, this.headline, this.chips, this.warning, this.summary), element("main", { class: "panels" }, ...this.tabs.map((tab) => tab.panel)));
    app.hidden = false;
    document.documentElement.classList.add("live");
  }
  // What the shares in rows of tables are shares of.
  basis() {
    return { whole: this.sums.whole, wholeSamples: this.sums.wholeSamples, event: this.profile.events[this.store.state.event] };
  }
  selectOf(id, text, choices, take) {
    const select = element("select", { id, onchange: () => take(select.value) }, ...choices.map(([value, name]) => element("option", { value }, harmlessName(name))));
    return { select, label: element("label", { for: id, class: "choice" }, element("span", {}, text), select) };
  }
  colourChoices(events) {
    if (this.profile.difference) return [["change", "change"], ["module", "module"]];
    const choices = [["module", "module"], ["kind", "kind of code"]];
    if (this.profile.functions.name.includes("[running]")) choices.push(["state", "running or waiting"]);
    for (const [i, name] of events.length > 1 ? events : []) choices.push(["ratio" + i, name + " per event"]);
    return choices;
  }
  start() {
    this.store.set(stateOf(location.hash, this.profile));
  }

  // What has changed says what is computed anew.
  update(state, before) {
    const differs = (...names) => this.weights === undefined || names.some((name) => state[name] !== before[name]);
    const rows = differs("event", "measure", "keep", "drop", "tasks");
    const weights = rows || differs("from", "to", "over");
    const tree = weights || differs("invert", "fold");
    if (weights && !this.isCounts) {
      this.weights = selfWeights(this.profile, state);
      this.sums = functionSums(this.profile, this.weights);
      this.colours ??= new Colours(this.profile, this.sums);
    }
    if (tree && !this.isCounts) this.shown = treeOfState(this.profile, this.weights, state);
    const changes = { rows, tree, zoom: differs("zoom") };
    if (tree || changes.zoom) this.tip.hide();  // what it told of is no longer there
    this.timeline.update(state, changes);
    for (const tab of this.tabs) {
      const isOpen = tab.id === state.tab;
      tab.panel.hidden = !isOpen;
      tab.button.setAttribute("aria-selected", String(isOpen));
      tab.button.tabIndex = isOpen ? 0 : -1;
      if (isOpen && tab.id !== before.tab) tab.button.scrollIntoView({ block: "nearest", inline: "center" });
      if (isOpen) tab.view.update(state, changes);
    }
    if (!this.tabs.some((tab) => tab.id === state.tab)) return this.store.change({ tab: this.tabs[0].id }, false);
    this.showControls(state);
  }
  showControls(state) {
    this.event.select.value = state.event;
    this.measure.select.value = state.measure;
    this.colour.select.value = state.colour === "ratio" ? "ratio" + state.over : state.colour;
    if (document.activeElement !== this.search) this.search.value = state.search;
    for (const { name, button } of this.toggles) button.setAttribute("aria-pressed", String(state[name] === 1));
    this.undoButton.disabled = this.store.past.length === 0;
    this.showChips(state);
    if (this.isCounts) return;
    this.showCount(state);
    if (this.profile.difference) {
      this.summary.textContent = this.profile.difference.summary;
      return;
    }
    const all = this.profile.events[state.event];
    const counted = weightText(all, "period", this.sums.whole);
    this.summary.textContent = isAllTime(all) ? `${counted} of threads' time` : `${wholeText(this.sums.wholeSamples)} of ${wholeText(all.samples)} samples` +
      (state.measure === "samples" ? "" : isClock(all) ? `, ${counted}` : `, ${counted} counted`) + (this.sums.wholeSamples < all.samples ? "; shares refer to these" : "");
  }
  // What was searched for last; several views ask.
  functionsMatching(text) {
    if (this.searched?.text !== text) this.searched = { text, matches: functionsMatching(this.profile, text) };
    return this.searched.matches;
  }
  tasksMatching(text) {
    if (this.searchedTasks?.text !== text) this.searchedTasks = { text, matches: tasksMatching(this.profile, text) };
    return this.searchedTasks.matches;
  }
  // How many of the threads that were seen a search finds.
  threadsFound(state) {
    if (state.search === "" || this.profile.difference) return 0;
    const { groups } = this.profile, matches = this.tasksMatching(state.search);
    this.seen ??= new Set(groups.task);
    return [...this.seen].reduce((found, task) => found + matches[task], 0);
  }
  showCount(state) {
    const threads = this.threadsFound(state), functions = this.countText(state);
    if (threads === 0) return this.count.replaceChildren(functions);
    this.count.replaceChildren(functions, "; ", element("button", { type: "button", title: "Show them", onclick: () => this.open("threads") }, `${wholeText(threads)} ${threads === 1 ? "thread" : "threads"}`));
  }
  countText(state) {
    if (state.search === "") return "";
    const matches = this.functionsMatching(state.search);
    let functions = 0;
    for (let i = 0; i < matches.length; ++i) functions += matches[i] === 1 && this.sums.allSamples[i] > 0 ? 1 : 0;
    if (functions === 0) return "no function with this name";
    const below = nodesBelow(this.profile, matches);
    let weight = 0;
    for (let node = 1; node < below.length; ++node) if (below[node] === 1) weight += this.weights.self[node];
    return `${wholeText(functions)} ${functions === 1 ? "function" : "functions"}, ${percentText(weight, this.sums.whole)} %`;
  }
  showChips(state) {
    const chips = [];
    const add = (text, title, remove) => chips.push(element("button", { type: "button", class: "chip", title, onclick: remove }, harmlessName(text), element("span", { class: "chip-end", "aria-label": "remove" }, "×")));
    for (const word of wordsOf(state.keep)) add("only " + wordText(this.profile, word), "Shows only stacks with it", () => this.store.change({ keep: withoutWord(state.keep, word), zoom: "" }));
    for (const word of wordsOf(state.drop)) add("not " + wordText(this.profile, word), "Hides stacks with it", () => this.store.change({ drop: withoutWord(state.drop, word), zoom: "" }));
    for (const word of wordsOf(state.tasks)) add(this.taskText(word), "Only this", () => this.store.change({ tasks: withoutWord(state.tasks, word), zoom: "" }));
    if (state.from >= 0) {
      const slice = this.timeline.seconds() / this.profile.slices;
      add(`${secondsText(state.from * slice)} to ${secondsText((state.to + 1) * slice)}`, "Shows only this time", () => this.store.change({ from: -1, to: -1 }));
    }
    if (state.zoom !== "") add("zoomed to " + (this.names[Number(wordsOf(state.zoom).at(-1))] ?? "?"), "Zoom", () => this.store.change({ zoom: "" }));
    this.chips.replaceChildren(...chips);
  }
  taskText(word) {
    const { tasks } = this.profile;
    return word[0] === "p" ? "process " + word.slice(1) : `${tasks.name[Number(word)] ?? "?"} (${tasks.tid[Number(word)] ?? "?"})`;
  }

  // Where there is little room, controls are shown when they are asked for.
  showMore(isShown) {
    this.more.setAttribute("aria-expanded", String(document.getElementById("app").classList.toggle("open", isShown)));
  }
  searchSoon() {
    clearTimeout(this.searching);
    this.searching = setTimeout(() => this.store.change({ search: this.search.value }, false), 60);
  }
  open(tab, chosen) {
    this.store.change(chosen === undefined ? { tab } : { tab, chosen });
  }
  keep(word) {
    this.store.change({ keep: withWord(this.store.state.keep, word), zoom: "" });
  }
  drop(word) {
    this.store.change({ drop: withWord(this.store.state.drop, word), zoom: "" });
  }
  clear() {
    this.store.change({ keep: "", drop: "", tasks: "", from: -1, to: -1, search: "", zoom: "" });
  }
  chosenFunction() {
    const { chosen } = this.store.state;
    if (chosen >= 0) return chosen;
    let hottest = -1;
    for (let i = 0; i < this.sums.self.length; ++i) if (this.sums.self[i] > (hottest < 0 ? 0 : this.sums.self[hottest])) hottest = i;
    return hottest;
  }
  hottestLine(function_, event) {
    const code = this.profile.code.find((one) => one.function === function_ && one.event === event);
    const line = code?.lines.find((one) => one.line > 0);
    return line === undefined ? null : `${harmlessName(line.file.split(/[\\/]/).pop())}:${line.line} (${percentText(line.period, code.period)} %) ${harmlessName(line.source.trim())}`;
  }

  functionActions() {
    return { opened: (row) => this.open("sandwich", row.id), menu: (event, row) => { event.preventDefault(); this.showMenu(event.clientX, event.clientY, row.id, []); },
      keep: (word) => this.keep(word), drop: (word) => this.drop(word) };
  }
  showMenu(x, y, function_, first) {
    const module = this.profile.functions.module[function_];
    const further = this.profile.difference ? [] : [["Callers and callees", () => this.open("sandwich", function_)], ["Code", () => this.open("code", function_)]];
    this.showItems({ clientX: x, clientY: y, preventDefault() {} }, [...first,
      ["Keep stacks with this function", () => this.keep("f" + function_)], ["Drop stacks with this function", () => this.drop("f" + function_)],
      ["Only samples in its module", () => this.keep("m" + module)], ["No samples in its module", () => this.drop("m" + module)],
      ...further]);
  }
  showFilterMenu(event, word) {
    this.showItems(event, [["Only this", () => this.keep(word)], ["Everything else", () => this.drop(word)]]);
  }
  showItems(event, items) {
    event.preventDefault();
    this.closeMenu();
    this.tip.hide();
    const menu = element("div", { class: "menu", role: "menu" }, ...items.map(([text, action]) => element("button", { type: "button", role: "menuitem", onclick: () => { this.closeMenu(); action(); } }, text)));
    document.body.append(menu);
    const box = menu.getBoundingClientRect();
    menu.style.left = Math.min(event.clientX, innerWidth - box.width - 6) + "px";
    menu.style.top = Math.min(event.clientY, innerHeight - box.height - 6) + "px";
    menu.addEventListener("keydown", (key) => {
      const step = key.key === "ArrowDown" ? 1 : key.key === "ArrowUp" ? -1 : 0;
      if (step === 0) return;
      key.preventDefault();
      key.stopPropagation();
      const at = [...menu.children].indexOf(document.activeElement);
      menu.children[(at + step + menu.children.length) % menu.children.length].focus();
    });
    this.menu = menu;
    this.focusBefore = document.activeElement;
    menu.firstElementChild.focus();
    setTimeout(() => document.addEventListener("pointerdown", (down) => { if (!menu.contains(down.target)) this.closeMenu(); }, { once: true }));
  }
  closeMenu() {
    if (this.menu === undefined) return false;
    this.menu.remove();
    this.menu = undefined;
    this.focusBefore?.focus();
    return true;
  }
  walkTabs(event) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = this.tabs.findIndex((tab) => tab.id === this.store.state.tab);
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    event.preventDefault();
    this.open(next.id);
    next.button.focus();
  }
  switchTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.recolour();
  }
  // Paper is light, and as long as the graph is high.
  print(begins) {
    const { dataset } = document.documentElement;
    if (begins) {
      this.themeOfScreen = dataset.theme;
      dataset.theme = "light";
    } else if (this.themeOfScreen === undefined) {
      delete dataset.theme;
    } else {
      dataset.theme = this.themeOfScreen;
    }
    this.recolour();
    for (const { view, panel } of this.tabs) if (!panel.hidden) view.print?.(begins);
  }
  recolour() {
    this.colours?.refresh();
    const state = this.store.state;
    this.update(state, state);
  }
}

readProfile().then((profile) => {
  const page = new Page(profile);
  page.start();
  // What only a closer look at the timeline shows comes when all else is there.
  setTimeout(() => readSamples(profile).then((samples) => {
    profile.samples = samples;
    page.timeline.redraw();
  }), 50);
  window.wperf = { page, ready: performance.now() };  // for tests, and for who wants to look inside
}).catch((error) => {
  document.body.prepend(element("p", { class: "failure", role: "alert" }, "The interactive views failed: " + error.message + ". They need a browser from 2023 or later. The text below works without them."));
});
