// Readout: the values of every panel at the cursor, and what the mark, event or sample beside the pointer is.

const REACH = 9; // CSS pixels within which a mark is the one that is meant

function valueAt(layer, time) {
  if (layer.kind === "shares") return causeAt(layer, time);
  if (!layer.levels || layer.kind === "marks") return null;
  const at = layer.levels.firstAt(time + 1e-12) - 1;
  if (at < 0) return null;
  if (layer.lasts && time > layer.levels.time[at] + layer.lasts) return null;
  return written(layer.levels.low[0][at], layer.unit);
}

function causeAt(layer, time) {
  const at = layer.levels.firstAt(time + 1e-12) - 1;
  return at >= 0 && time < layer.ends[at] ? layer.kinds[layer.causes[at]].name : null;
}

// Writes the values at a time into the legends; without a time they are emptied.
function showValues(panels, time) {
  for (const panel of panels) {
    for (const layer of panel.layers) {
      if (!layer.place) continue;
      const value = time === null || !layer.shown ? null : valueAt(layer, time);
      layer.place.textContent = value === null ? "" : value;
    }
  }
}

// The values at a time in words, for those who can't see the legends.
function spoken(panels, time) {
  const told = panels.map((panel) => {
    const values = panel.layers.filter((layer) => layer.place && layer.place.textContent);
    const words = values.map((layer) => `${layer.name} ${layer.place.textContent}`);
    return words.length ? `${panel.title}: ${words.join(", ")}` : "";
  });
  return [`${time.toFixed(6)}\u202fs`, ...told.filter(Boolean)].join(". ");
}

// The nearest thing within reach of a point of a panel (device pixels), as lines of text; null when there is none.
function nearest(panel, range, x, y, events) {
  const reach = REACH * panel.pixel;
  const scale = panel.plotWidth / (range.to - range.from);
  const time = range.from + x / scale;
  let best = { distance: reach, lines: null };
  for (const layer of panel.layers) {
    if (!layer.shown || !layer.levels || !layer.details) continue;
    const end = layer.levels.firstAt(time + reach / scale);
    const begin = Math.max(layer.levels.firstAt(time - reach / scale), end - 4000);
    for (let i = begin; i < end; i++) {
      const distance = distanceTo(panel, layer, i, x, y, scale, range);
      if (distance < best.distance) best = { distance, lines: describe(layer, i) };
    }
  }
  return best.lines || eventNear(events, time, reach / scale) || inRows(panel, time, y);
}

function inRows(panel, time, y) {
  const value = panel.low + (1 - y / panel.canvas.height) * (panel.high - panel.low);
  const found = panel.layers.filter((layer) => layer.rows && layer.shown).map((layer) => rowAt(layer, time, value));
  return found.find((lines) => lines && lines.length > 1) || found[0] || null;
}

function distanceTo(panel, layer, i, x, y, scale, range) {
  const acrossX = (layer.levels.time[i] - range.from) * scale - x;
  const top = panel.y(layer.levels.high[0][i]);
  const bottom = panel.y(layer.levels.low[0][i]);
  const acrossY = y < top ? top - y : y > bottom ? y - bottom : 0;
  return Math.hypot(acrossX, acrossY) - (layer.kind === "marks" ? 3 : 0);
}

function describe(layer, i) {
  const lines = [layer.what || layer.name, `at ${layer.levels.time[i].toFixed(6)}\u202fs`];
  for (const [label, values, unit] of layer.details) lines.push(`${label} ${exactly(values[i], unit)}`);
  return lines;
}

function exactly(value, unit) {
  if (unit !== "B" || !Number.isFinite(value)) return unit === "s" && Number.isFinite(value) ? `${value.toFixed(6)}\u202fs` : written(value, unit);
  return `${value.toLocaleString("en").replaceAll(",", "\u202f")}\u202fB`;
}

function eventNear(events, time, reach) {
  const { levels, rows } = events;
  const end = levels.firstAt(time + reach);
  let best = null;
  for (let i = levels.firstAt(time - reach); i < end; i++) {
    if (best === null || Math.abs(levels.time[i] - time) < Math.abs(levels.time[best] - time)) best = i;
  }
  return best === null ? null : rows[best].lines;
}

class Tooltip {
  constructor(place) {
    this.place = place;
  }

  show(lines, x, y) {
    this.place.replaceChildren(...lines.map((text, i) => element(i ? "span" : "b", text)));
    this.place.hidden = false;
    const box = this.place.getBoundingClientRect();
    const left = x + 14 + box.width > window.innerWidth - 8 ? x - 14 - box.width : x + 14;
    const top = Math.min(y + 14, window.innerHeight - box.height - 8);
    this.place.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  }

  hide() {
    this.place.hidden = true;
  }
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
