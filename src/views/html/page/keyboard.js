// SPDX-License-Identifier: BSD-3-Clause
// Keys that work everywhere. Views have keys of their own, which the help lists, too.

const kKeys = [
  ["/", "search"], ["Escape", "undo the last change; in the search field, clear it"], ["1 … 9", "choose a view"], ["i", "invert the graph: callers below their callees"],
  ["r", "fold recursion"], ["o", "icicle: the outermost caller on top"], ["x", "clear all filters"], ["?", "this help"],
  ["Arrows", "move in the graph, a table or the timeline"], ["Enter", "zoom to the marked frame, and back"], ["k / d", "keep or drop stacks with the marked function"],
  ["+ / − / z", "timeline: zoom in, zoom out, zoom to the selection"], ["n / p", "timeline: next and previous mark"],
  ["s / c", "callers and callees, or code, of the marked frame"], ["Wheel", "scroll; with Ctrl zoom, with Shift move"],
];

function helpDialog() {
  const list = element("table", {}, element("tbody", {}, ...kKeys.map(([key, text]) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, text)))));
  const dialog = element("dialog", { class: "help", "aria-label": "Keys" }, element("h2", {}, "Keys"), list,
    element("p", { class: "quiet" }, "The address of this page stores the current view: send it along with the file."),
    element("form", { method: "dialog" }, element("button", {}, "Close")));
  document.body.append(dialog);
  return dialog;
}

function listenToKeys(page) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "Escape") {
      if (page.closeMenu()) return;
      if (isTyping && event.target === page.search) {
        page.search.value = "";
        page.store.change({ search: "" }, false);
        page.search.blur();
        return;
      }
      if (document.activeElement?.id === "time" && page.store.state.from >= 0) return page.store.change({ from: -1, to: -1 });
      return page.store.undo();
    }
    if (isTyping) return;
    const { state } = page.store;
    const actions = {
      "/": () => { page.showMore(true); page.search.focus(); }, "?": () => page.help.showModal(), x: () => page.clear(),
      i: () => page.store.change({ invert: 1 - state.invert, zoom: "" }), r: () => page.store.change({ fold: 1 - state.fold, zoom: "" }), o: () => page.store.change({ icicle: 1 - state.icicle }),
    };
    const tab = page.tabs[Number(event.key) - 1];
    const action = tab !== undefined ? () => {
      page.open(tab.id);
      tab.panel.querySelector('[tabindex="0"]')?.focus();  // its keys are those of this view now
    } : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
