// The page: what is embedded is unpacked, panels are built from their description, and drawn when something changed.

const MOST_PIXELS = 2; // device pixels a CSS pixel; finer screens are drawn at this
const STILL_MS = 150; // what is out of sight is drawn when nothing has moved for so long

class Viewer {
  constructor(view, tables) {
    this.root = document.getElementById("viewer");
    this.live = document.getElementById("live");
    this.say = (text) => (this.live.textContent = text);
    this.colours = new Map();
    this.range = new Range(view.start, view.stop, () => this.moved());
    this.panels = view.panels.map((spec) => this.build(spec, tables));
    this.axis = document.getElementById("axis");
    this.cursor = new Cursor(this);
    this.events = new Events(this, view.events);
    this.tooltip = new Tooltip(document.getElementById("tooltip"));
    this.theme = new Theme(() => this.recolour());
  }

  build(spec, tables) {
    const place = document.getElementById(`panel-${spec.id}`);
    for (const layer of spec.layers) prepare(layer, tables, spec.rows);
    buildLegend(place.querySelector(".legend"), spec, () => this.schedule());
    return new Panel(spec, place);
  }

  listen() {
    const help = document.getElementById("help");
    const timeAt = (x) => this.timeAt(x);
    listenToKeys(this.root, actions(this, help));
    const within = (event) => event.target.closest("canvas") && event.clientX >= this.box.left + this.gutter;
    listenToWheel(this.root, this.range, timeAt, within);
    listenToPointers(this.root, this.range, timeAt, new Band(this), within);
    this.root.addEventListener("pointermove", (event) => this.hover(event));
    this.root.addEventListener("pointerdown", (event) => this.hover(event));
    this.root.addEventListener("pointerleave", () => this.tooltip.hide());
    new ResizeObserver(() => this.resize()).observe(this.root);
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
    for (const name of ["scroll", "resize"]) window.addEventListener(name, () => this.schedule(), { passive: true });
  }

  // At once: what is printed next must have it.
  recolour() {
    this.colours.clear();
    this.redraw(true);
  }

  // Paper is light and narrow, and its pixels are fine.
  print(on) {
    this.root.classList.toggle("paper", on);
    this.theme.show(on ? "light" : this.theme.chosen);
    this.resize();
  }

  resize() {
    const paper = this.root.classList.contains("paper");
    const pixel = paper ? MOST_PIXELS : Math.min(window.devicePixelRatio || 1, MOST_PIXELS);
    const style = getComputedStyle(this.root);
    this.gutter = parseFloat(style.getPropertyValue("--gutter"));
    this.pixel = pixel;
    for (const panel of this.panels) panel.resize(pixel, this.gutter);
    this.box = this.axis.getBoundingClientRect();
    this.redraw(true);
  }

  // Beside what has moved away stands no tooltip.
  moved() {
    this.tooltip.hide();
    this.schedule();
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.redraw();
    });
  }

  // Draws what is in sight, and the rest when nothing has moved for a while: a picture of the whole page has all of it.
  redraw(all = false) {
    clearTimeout(this.rest);
    if (!all) this.rest = setTimeout(() => this.redraw(true), STILL_MS);
    const colour = (name) => this.colour(name);
    for (const panel of this.panels) {
      const box = panel.canvas.getBoundingClientRect();
      if (all || (box.bottom > -50 && box.top < window.innerHeight + 50)) panel.draw(this.range, this.events, colour);
    }
    drawTimeAxis(this.axis, this.gutter, this.pixel, this.range, colour);
    this.cursor.place();
    document.getElementById("range").textContent = writtenRange(this.range);
  }

  colour(name) {
    if (!this.colours.has(name)) {
      this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    }
    return this.colours.get(name);
  }

  timeAt(clientX) {
    const left = this.box.left + this.gutter;
    const share = (clientX - left) / Math.max(1, this.box.width - this.gutter);
    return this.range.from + Math.min(Math.max(share, 0), 1) * this.range.span;
  }

  xOf(time) {
    return this.gutter + ((time - this.range.from) / this.range.span) * (this.box.width - this.gutter);
  }

  hover(event) {
    const canvas = event.target.closest("canvas");
    const over = canvas || document.elementFromPoint(event.clientX, event.clientY)?.closest("#viewer canvas");
    const panel = this.panels.find((each) => each.canvas === over);
    if (!panel || event.buttons > (event.type === "pointerdown" ? 1 : 0)) return this.tooltip.hide();
    const box = over.getBoundingClientRect();
    if (event.clientX < box.left + this.gutter) return this.tooltip.hide();
    this.cursor.set(this.timeAt(event.clientX));
    const x = (event.clientX - box.left - this.gutter) * this.pixel;
    const lines = nearest(panel, this.range, x, (event.clientY - box.top) * this.pixel, this.events);
    if (lines) this.tooltip.show(lines, event.clientX, event.clientY);
    else this.tooltip.hide();
  }
}

// The samples of a layer, found in the tables by name.
function prepare(layer, tables, rows) {
  const table = tables[layer.table];
  layer.shown = layer.shown !== false;
  layer.dash = (layer.dash || 0) % DASHES.length;
  layer.holds = layer.kind === "step" || layer.kind === "line";
  layer.details = layer.details && layer.details.map(([label, column, unit]) => [label, table[column], unit]);
  if (layer.user) return prepareRows(layer, table, rows);
  layer.levels = new Levels(table[layer.time], table[layer.low], table[layer.high]);
  if (layer.kind === "shares") [layer.begins, layer.ends, layer.causes] = [table.from_s, table.to_s, table.cause];
}

async function start() {
  const began = performance.now();
  const view = JSON.parse(document.getElementById("view").textContent);
  const tables = await unpackTables(view.tables);
  const viewer = new Viewer(view, tables);
  viewer.resize();
  viewer.listen();
  viewer.loadMs = performance.now() - began;
  window.airlink = viewer;
  document.documentElement.dataset.state = "ready";
}

start().catch((error) => {
  document.getElementById("trouble").textContent = `The picture could not be drawn: ${error.message}`;
  throw error;
});
