// SPDX-License-Identifier: BSD-3-Clause
// A table of any length of which only the rows that can be seen exist. Keyboard and screen readers know it as a tree
// grid: its rows say which of all they are, and which are open.

const kTableRow = 26;

class Table {
  // columns: { title, key, isNumber, isName, isBrief, text(row), value(row), bar(row) }.
  // actions: { chosen(row), menu(event, row), children(row) → rows or null }.
  constructor(label, columns, actions = {}) {
    this.columns = columns;
    this.actions = actions;
    this.sort = { column: columns.find((column) => column.sorts) ?? null, down: true };
    this.head = element("div", { role: "row", class: "table-head", "aria-rowindex": "1" },
      ...columns.map((column) => this.headerOf(column)));
    this.body = element("div", { class: "table-body", role: "rowgroup" });
    this.root = element("div", { class: "table", role: "treegrid", "aria-label": label, tabindex: "0", "aria-colcount": columns.length },
      element("div", { role: "rowgroup", class: "table-head-group" }, this.head), this.body);
    this.rows = [];
    this.at = 0;
    this.id = "table" + Table.made++;
    this.render = oncePerFrame(() => this.show());
    this.root.addEventListener("scroll", this.render);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focus", this.render);
    new ResizeObserver(this.render).observe(this.root);
  }
  headerOf(column) {
    const button = element("button", { type: "button", tabindex: "-1", onclick: () => this.sortBy(column) }, column.title);
    return element("div", { role: "columnheader", class: this.cellClass(column), title: column.hint }, column.value ? button : column.title);
  }
  cellClass(column) {
    return "cell " + (column.isName ? "name-cell" : column.isNumber ? "number-cell" : column.isBrief ? "brief-cell" : "text-cell");
  }
  sortBy(column) {
    this.sort = { column, down: this.sort.column === column ? !this.sort.down : column.isNumber === true };
    this.setRows(this.given);
  }
  setRows(rows) {
    this.given = rows;
    const { column, down } = this.sort;
    this.rows = column === null ? rows.slice() : rows.toSorted((a, b) => {
      const first = column.value(a), second = column.value(b);
      const order = typeof first === "string" ? (first < second ? -1 : first > second ? 1 : 0) : first - second;
      return down ? -order : order;
    });
    for (const row of this.rows) {
      row.level ??= 1;
      row.isOpen = false;
    }
    this.columns.forEach((one, i) => {
      this.head.children[i].setAttribute("aria-sort", one !== column ? "none" : down ? "descending" : "ascending");
    });
    this.at = Math.min(this.at, Math.max(this.rows.length - 1, 0));
    this.resized();
  }
  resized() {
    this.body.style.height = this.rows.length * kTableRow + "px";
    this.root.setAttribute("aria-rowcount", this.rows.length + 1);
    this.render();
  }

  show() {
    const { scrollTop, clientHeight } = this.root;
    const first = Math.max(0, Math.floor(scrollTop / kTableRow) - 4);
    const last = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / kTableRow) + 4);
    const made = [];
    for (let i = first; i < last; ++i) made.push(this.rowElement(this.rows[i], i));
    if (this.rows.length === 0) made.push(element("div", { role: "row", class: "table-row empty" }, element("div", { role: "gridcell", class: "cell" }, "Nothing passes the filters.")));
    this.body.replaceChildren(...made);
    if (this.rows.length > 0 && this.at >= first && this.at < last) this.root.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
    else this.root.removeAttribute("aria-activedescendant");
  }
  rowElement(row, index) {
    const opens = this.actions.children !== undefined && row.hasChildren;
    const made = element("div", { role: "row", id: `${this.id}-${index}`, class: "table-row" + (index === this.at ? " at" : ""), "aria-rowindex": index + 2,
      "aria-level": this.actions.children ? row.level : null, "aria-expanded": opens ? String(row.isOpen) : null, "aria-selected": String(index === this.at) });
    made.style.top = index * kTableRow + "px";
    for (const column of this.columns) {
      const cell = element("div", { role: "gridcell", class: this.cellClass(column) });
      if (column.bar) {
        const bar = element("span", { class: "bar", "aria-hidden": "true" });
        bar.style.width = Math.min(100, column.bar(row)) + "%";
        cell.append(bar);
      }
      if (column.isName && this.actions.children !== undefined) {
        const twist = element("span", { class: "twist", "aria-hidden": "true" }, opens ? (row.isOpen ? "▾" : "▸") : "");
        cell.style.paddingLeft = Math.min(row.level, 60) * 14 - 6 + "px";
        twist.addEventListener("click", (event) => { event.stopPropagation(); this.toggle(index); });
        cell.append(twist);
      }
      const text = column.text(row);
      cell.append(element("span", { class: "cell-text" }, text));
      cell.title = text;
      made.append(cell);
    }
    made.addEventListener("click", () => this.choose(index));
    made.addEventListener("dblclick", () => this.actions.opened?.(row));
    made.addEventListener("contextmenu", (event) => { this.choose(index); this.actions.menu?.(event, row); });
    return made;
  }
  choose(index) {
    if (index < 0 || index >= this.rows.length) return;
    this.at = index;
    const top = index * kTableRow, { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + kTableRow * 2 > scrollTop + clientHeight) this.root.scrollTop = top + kTableRow * 2 - clientHeight;
    this.render();
    this.actions.chosen?.(this.rows[index]);
  }
  toggle(index) {
    const row = this.rows[index];
    if (!row.hasChildren) return;
    row.isOpen = !row.isOpen;
    if (row.isOpen) {
      const below = this.actions.children(row);
      for (const child of below) child.level = row.level + 1;
      this.rows = [...this.rows.slice(0, index + 1), ...below, ...this.rows.slice(index + 1)];
    } else {
      let end = index + 1;
      while (end < this.rows.length && this.rows[end].level > row.level) ++end;
      this.rows.splice(index + 1, end - index - 1);
    }
    this.resized();
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.rows.length === 0) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / kTableRow) - 2);
    const row = this.rows[this.at];
    const parent = () => {
      let index = this.at;
      while (index > 0 && this.rows[index].level >= row.level) --index;
      return index;
    };
    const actions = {
      ArrowDown: () => this.choose(this.at + 1), ArrowUp: () => this.choose(this.at - 1),
      PageDown: () => this.choose(Math.min(this.rows.length - 1, this.at + page)), PageUp: () => this.choose(Math.max(0, this.at - page)),
      Home: () => this.choose(0), End: () => this.choose(this.rows.length - 1),
      ArrowRight: () => (row.hasChildren && !row.isOpen ? this.toggle(this.at) : this.choose(this.at + (row.isOpen ? 1 : 0))),
      ArrowLeft: () => (row.isOpen ? this.toggle(this.at) : this.choose(parent())),
      Enter: () => this.actions.opened?.(row),
      k: () => row.word && this.actions.keep?.(row.word), d: () => row.word && this.actions.drop?.(row.word),
    };
    if (actions[event.key] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}
Table.made = 0;
