// SPDX-License-Identifier: BSD-3-Clause
// The flame graph: one rectangle per node, as wide as what was counted in it and in what it called. Only what can be
// seen is drawn: of each depth a stretch found by halving, and what is narrower than half a pixel as one.

const kFrameHeight = 20;
const kLeastWidth = 0.5;

class FlameGraph {
  constructor(page) {
    this.page = page;
    this.canvas = element("canvas", { class: "graph", tabindex: "0", role: "application", id: "flame",
      "aria-label": "Flame graph. Arrow keys move, Enter zooms, K keeps and D drops the function, Escape goes back.",
      "aria-describedby": "spoken" });
    this.spoken = element("div", { id: "spoken", class: "spoken", "aria-live": "polite" });
    this.legend = element("div", { class: "legend" });
    this.root = element("section", { class: "view flame-view", "aria-label": "Flame graph" }, this.canvas, this.spoken, this.legend);
    this.view = { from: 0, to: 1, top: 0 };
    this.hovered = this.marked = 0;
    this.redraw = oncePerFrame(() => this.draw());
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    canvas.addEventListener("pointerleave", () => this.hover(0));
    canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => this.menu(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.redraw());
    canvas.addEventListener("blur", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  update(state, changes) {
    this.state = state;
    if (changes.tree || this.shown !== this.page.shown) {
      this.shown = this.page.shown;
      const laidOut = layoutOf(this.shown);
      this.x = laidOut.x;
      this.levels = laidOut.levels;
      this.whole = this.shown.weight.total[0];
      this.hovered = this.marked = 0;
    }
    this.zoomed = this.nodeOfPath(state.zoom);
    this.view.from = this.zoomed === 0 ? 0 : this.x[this.zoomed];
    this.view.to = this.zoomed === 0 ? this.whole : this.x[this.zoomed] + this.shown.weight.total[this.zoomed];
    if (changes.tree || changes.zoom) this.view.top = 0;
    if (this.marked === 0) this.marked = this.zoomed;
    this.findMatches();
    const lost = this.page.profile.lost.length > 0 ? [["var(--loss)", "in the timeline: data was lost"]] : [];
    this.legend.replaceChildren(...[...this.page.colours.legend(state), ...lost].map(([colour, text]) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colour;
      return element("span", { class: "legend-entry" }, swatch, harmlessName(text));
    }));
    this.redraw();
  }

  nodeOfPath(path) {
    let node = 0;
    for (const word of wordsOf(path)) {
      const wanted = Number(word);
      const { begins, children, functions } = this.shown;
      let found = -1;
      for (let i = begins[node]; i < begins[node + 1] && found < 0; ++i) if (functions[children[i]] === wanted) found = children[i];
      if (found < 0) break;
      node = found;
    }
    return node;
  }
  pathOf(node) {
    const path = [];
    for (; node > 0; node = this.shown.parent[node]) path.push(this.shown.functions[node]);
    return path.reverse().join(" ");
  }

  // Which functions the search names.
  findMatches() {
    const text = this.state.search;
    this.matches = text === "" ? null : this.page.functionsMatching(text);
    this.matchCounts = [];
  }
  // Before each node of a level, how many of its nodes match.
  matchesBefore(level) {
    if (this.matchCounts[level] !== undefined) return this.matchCounts[level];
    const nodes = this.levels[level], counts = new Int32Array(nodes.length + 1);
    for (let i = 0; i < nodes.length; ++i) counts[i + 1] = counts[i] + this.matches[this.shown.functions[nodes[i]]];
    return (this.matchCounts[level] = counts);
  }

  // Distance of a level's upper edge from the canvas's.
  yOf(level, height) {
    const down = level * kFrameHeight - this.view.top;
    return this.state.icicle ? down : height - kFrameHeight - down;
  }

  draw() {
    if (this.shown === undefined || this.canvas.clientWidth === 0) return;
    const { context, width, height } = contextOf(this.canvas);
    context.fillStyle = styled("--surface");
    context.fillRect(0, 0, width, height);
    context.font = "12px ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace";
    context.textBaseline = "middle";
    const pen = { context, width, height, characterWidth: context.measureText("m").width, scale: width / (this.view.to - this.view.from),
      ink: styled("--frame-ink"), edge: styled("--surface"), faint: styled("--frame-faint"), match: styled("--match"), matchInk: styled("--match-ink"), drawn: 0 };
    if (!(this.whole > 0)) {
      context.fillStyle = styled("--quiet");
      const isFiltered = this.page.chips.childElementCount > 0;
      context.fillText(isFiltered ? "No samples pass the filters. Escape goes back." : "No samples of this event. Take more with --freq 20000, or count it with `wperf stat`.", 16, 24);
      return;
    }
    const first = Math.max(0, Math.floor(this.view.top / kFrameHeight));
    const last = Math.min(this.levels.length, first + Math.ceil(height / kFrameHeight) + 1);
    for (let level = first; level < last; ++level) this.drawLevel(pen, level);
    this.drawn = pen.drawn;
    this.outline(pen, this.marked, document.activeElement === this.canvas ? 2.5 : 0);
    this.outline(pen, this.hovered, 1.5);
  }

  // At once: who prints waits for no frame. Paper gets a picture for each forty levels, because browsers draw none of
  // any size, and cut what is higher than a sheet.
  print(begins) {
    const kLevels = 40, kMostSheets = 50;
    const { style } = this.canvas, count = Math.ceil(Math.max(this.levels.length, 1) / kLevels), sheets = [];
    this.sheets?.remove();
    style.display = "";
    style.flex = begins ? "none" : "";
    for (let i = 0; begins && i < Math.min(count, kMostSheets); ++i) {
      style.height = Math.min(kLevels, Math.max(this.levels.length - i * kLevels, 2)) * kFrameHeight + "px";
      this.view.top = i * kLevels * kFrameHeight;
      this.draw();
      const sheet = element("canvas", { class: "graph sheet", width: this.canvas.width, height: this.canvas.height });
      sheet.style.height = style.height;
      sheet.getContext("2d").drawImage(this.canvas, 0, 0);
      sheets.push(sheet);
    }
    style.height = "";
    this.view.top = 0;
    if (!begins) return this.draw();
    style.display = "none";
    if (count > kMostSheets) sheets.push(element("p", {}, `Not printed: ${wholeText(this.levels.length - kMostSheets * kLevels)} of ${wholeText(this.levels.length)} levels, farthest from the outermost callers.`));
    this.sheets = element("div", {}, ...(this.state.icicle ? sheets : sheets.reverse()));
    this.canvas.before(this.sheets);
  }

  drawLevel(pen, level) {
    const nodes = this.levels[level], total = this.shown.weight.total, x = this.x;
    const { from, to } = this.view;
    const y = this.yOf(level, pen.height);
    const least = kLeastWidth / pen.scale;
    for (let i = this.firstAt(nodes, from); i < nodes.length && x[nodes[i]] < to; ++i) {
      const node = nodes[i];
      if (total[node] < least) {  // this and its narrow neighbours
        const begin = i;
        let end = x[node] + total[node];
        for (;;) {  // half a pixel at a time, however many are in it
          const next = this.firstAt(nodes, x[nodes[i]] + least, i + 1);
          i = next - 1;
          end = x[nodes[i]] + total[nodes[i]];
          if (next === nodes.length || total[nodes[next]] >= least || x[nodes[next]] - end >= least || x[nodes[next]] >= to) break;
          i = next;
        }
        const hasMatch = this.matches !== null && this.matchesBefore(level)[i + 1] > this.matchesBefore(level)[begin];
        pen.context.fillStyle = hasMatch ? pen.match : pen.faint;
        pen.context.fillRect((x[node] - from) * pen.scale, y, Math.max((end - x[node]) * pen.scale, 0.5), kFrameHeight - 1);
        ++pen.drawn;
        continue;
      }
      this.drawNode(pen, node, y);
    }
  }
  drawNode(pen, node, y) {
    const { context } = pen;
    const left = Math.max((this.x[node] - this.view.from) * pen.scale, 0);
    const right = Math.min((this.x[node] + this.shown.weight.total[node] - this.view.from) * pen.scale, pen.width);
    const wide = right - left;
    const isMatch = this.isMatch(node);
    context.globalAlpha = this.matches !== null && !isMatch ? 0.45 : 1;
    context.fillStyle = isMatch ? pen.match : this.page.colours.of(this.shown, node, this.state);
    context.fillRect(left, y, wide > 3 ? wide - 1 : wide, kFrameHeight - 1);
    ++pen.drawn;
    if (wide > 34) {
      context.fillStyle = isMatch ? pen.matchInk : pen.ink;
      const { difference } = this.page.profile, room = wide - 10;
      const name = (difference ? changeMark(this.shown, node) : "") + this.page.names[this.shown.functions[node]];
      const share = difference ? "" : `  ${percentText(this.shown.weight.total[node], this.whole)} %`;
      const hasRoom = (name.length + share.length) * pen.characterWidth <= room;
      context.fillText(hasRoom ? name + share : fittingText(name, room, pen.characterWidth), left + 5, y + kFrameHeight / 2);
    }
    context.globalAlpha = 1;
  }
  isMatch(node) {
    return this.matches !== null && this.matches[this.shown.functions[node]] === 1;
  }
  outline(pen, node, thickness) {
    if (node === 0 || thickness === 0) return;
    const left = Math.max((this.x[node] - this.view.from) * pen.scale, 0);
    const right = Math.min((this.x[node] + this.shown.weight.total[node] - this.view.from) * pen.scale, pen.width);
    pen.context.strokeStyle = styled("--outline");
    pen.context.lineWidth = thickness;
    pen.context.strokeRect(left + 0.5, this.yOf(this.shown.depth[node] - 1, pen.height) + 0.5, Math.max(right - left - 2, 1), kFrameHeight - 2);
  }

  // The first node of a level that ends behind `from`.
  // It is looked for from `low` on in steps that double: mostly it is near.
  firstAt(nodes, from, low = 0) {
    let high = Math.min(nodes.length, low + 8);
    for (let step = 16; high < nodes.length && this.x[nodes[high]] + this.shown.weight.total[nodes[high]] <= from; step *= 2) {
      low = high;
      high = Math.min(nodes.length, high + step);
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x[nodes[middle]] + this.shown.weight.total[nodes[middle]] <= from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  nodeAt(x, y) {
    if (this.shown === undefined || !(this.whole > 0)) return 0;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const down = this.state.icicle ? y : height - y;
    const nodes = this.levels[Math.floor((down + this.view.top) / kFrameHeight)];
    if (nodes === undefined || down + this.view.top < 0) return 0;
    const at = this.view.from + (x / width) * (this.view.to - this.view.from);
    const node = nodes[this.firstAt(nodes, at)];
    return node !== undefined && this.x[node] <= at ? node : 0;
  }

  describe(node) {
    const { page, shown, state } = this;
    const { profile } = page;
    const function_ = shown.functions[node];
    if (profile.difference) return [page.names[function_], harmlessName(profile.modules.name[profile.functions.module[function_]]), ...changeLines(profile.difference, shown, node)];
    const total = shown.weight.total[node], self = shown.weight.self[node];
    const event = profile.events[state.event];
    const text = (value) => weightText(event, state.measure, value);
    const samples = (column) => (isAllTime(event) ? "" : ` · ${wholeText(column[node])} samples`);
    const margin = isAllTime(event) ? "" : ` ±${marginOf(shown.samples.total[node], shown.samples.total[0]).toFixed(2)}`;
    const lines = [page.names[function_],
      `${harmlessName(profile.modules.name[profile.functions.module[function_]])} · ${kKinds[profile.functions.kind[function_]]}`,
      `total ${percentText(total, this.whole)} %${margin} · ${text(total)}${samples(shown.samples.total)}`,
      `self ${percentText(self, this.whole)} % · ${text(self)}${samples(shown.samples.self)}`];
    if (shown.other.total !== null) {
      lines.push(ratioText(profile.events[state.over], event, ratioOf(shown, node)));
    }
    const hot = page.hottestLine(function_, state.event);
    if (hot !== null) lines.push("hottest: " + hot);
    return lines;
  }
  hover(node, event) {
    if (node !== this.hovered) {
      this.hovered = node;
      this.canvas.style.cursor = node === 0 ? "default" : "pointer";
      this.redraw();
    }
    if (node === 0) this.page.tip.hide();
    else this.page.tip.show(event.clientX, event.clientY, this.describe(node));
  }
  mark(node) {
    this.marked = node;
    if (node === 0) return;
    this.spoken.textContent = this.describe(node).join(". ") + `. Depth ${this.shown.depth[node]}.`;
    const level = this.shown.depth[node] - 1;
    const y = level * kFrameHeight - this.view.top, height = this.canvas.clientHeight;
    if (y < 0) this.view.top = level * kFrameHeight;
    else if (y + kFrameHeight > height) this.view.top = (level + 1) * kFrameHeight - height;
    this.redraw();
  }
  zoom(node) {
    this.page.store.change({ zoom: this.pathOf(node) });
  }

  pointerMoved(event) {
    if (this.drag !== undefined && event.buttons === 1) {
      const dx = event.offsetX - this.drag.x, dy = event.offsetY - this.drag.y;
      if (Math.abs(dx) + Math.abs(dy) > 4) this.drag.moved = true;
      if (this.drag.moved) return this.pan(this.drag, dx, dy);
    }
    this.hover(this.nodeAt(event.offsetX, event.offsetY), event);
  }
  pointerDown(event) {
    if (event.button !== 0) return;
    this.drag = { x: event.offsetX, y: event.offsetY, ...this.view, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }
  pointerUp(event) {
    const drag = this.drag;
    this.drag = undefined;
    if (drag === undefined || drag.moved) return;
    const node = this.nodeAt(event.offsetX, event.offsetY);
    this.marked = node;
    if (node !== 0) this.zoom(node === this.zoomed ? this.shown.parent[node] : node);
    this.redraw();
  }
  pan(begin, dx, dy) {
    const { clientWidth: width } = this.canvas;
    const length = begin.to - begin.from;
    const from = Math.max(0, Math.min(this.whole - length, begin.from - (dx / width) * length));
    this.view.from = from;
    this.view.to = from + length;
    this.scrollTo(begin.top + (this.state.icicle ? -dy : dy));
    this.page.tip.hide();
    this.redraw();
  }
  scrollTo(top) {
    const most = Math.max(0, this.levels.length * kFrameHeight - this.canvas.clientHeight);
    this.view.top = Math.max(0, Math.min(most, top));
  }
  wheel(event) {
    event.preventDefault();
    if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && !event.shiftKey) {
      this.scrollTo(this.view.top + (this.state.icicle ? event.deltaY : -event.deltaY));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan({ ...this.view }, -(event.deltaX || event.deltaY), 0);
    } else {
      const { from, to } = this.view;
      const at = from + (event.offsetX / this.canvas.clientWidth) * (to - from);
      const factor = Math.exp(event.deltaY / 300);
      this.view.from = Math.max(0, at - (at - from) * factor);
      this.view.to = Math.max(this.view.from + this.whole * 1e-7, Math.min(this.whole, at + (to - at) * factor));
    }
    this.redraw();
  }
  menu(event) {
    const node = this.nodeAt(event.offsetX, event.offsetY);
    if (node === 0) return;
    event.preventDefault();
    this.page.showMenu(event.clientX, event.clientY, this.shown.functions[node], [["Zoom to this frame", () => this.zoom(node)]]);
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(this.whole > 0)) return;
    const { shown } = this;
    const node = this.marked;
    const inwards = this.state.icicle ? "ArrowDown" : "ArrowUp", outwards = this.state.icicle ? "ArrowUp" : "ArrowDown";
    const firstChild = shown.begins[node] < shown.begins[node + 1] ? shown.children[shown.begins[node]] : node;
    const actions = {
      [inwards]: () => this.mark(firstChild),
      [outwards]: () => this.mark(shown.depth[node] > 1 ? shown.parent[node] : node),
      ArrowRight: () => this.mark(this.neighbour(node, 1)),
      ArrowLeft: () => this.mark(this.neighbour(node, -1)),
      Home: () => this.mark(this.levels[0][0]),
      Enter: () => this.zoom(node === this.zoomed ? shown.parent[node] : node),
      k: () => this.page.keep("f" + shown.functions[node]),
      d: () => this.page.drop("f" + shown.functions[node]),
      c: () => this.page.open("code", shown.functions[node]),
      s: () => this.page.open("sandwich", shown.functions[node]),
    };
    const action = actions[event.key];
    if (action === undefined || (node === 0 && !event.key.startsWith("Arrow") && event.key !== "Home")) return;
    event.preventDefault();
    event.stopPropagation();
    if (node === 0) return this.mark(this.levels[0][0]);
    action();
  }
  // The next frame of the same depth.
  neighbour(node, step) {
    if (node === 0) return this.levels[0][0];
    const nodes = this.levels[this.shown.depth[node] - 1];
    const at = this.firstAt(nodes, this.x[node]) + step;
    return at >= 0 && at < nodes.length ? nodes[at] : node;
  }
}
