// Rows: a row a user, of the slots that it won (darker: more of the time) or of a value in bins of time, by colour.

const ROW = 0.44; // half of a row's height, of the distance of two
const FAINTEST = 0.35; // of a column of pixels in which the user won one slot of many
const OUTER = 0.02; // the share of values at either end that are beyond the scale of colours
const RAMP = ["heat-0", "heat-1", "heat-2", "heat-3", "heat-4"];
const SHADES = 64;

// A column of pixels is as dark as the share of its time that the user had.
function drawRaster(frame, layer) {
  const { ctx, view, width } = frame;
  const slots = 1 / (view.scale * layer.lasts); // in a column
  const wide = Math.max(1, Math.floor(layer.lasts * view.scale));
  ctx.fillStyle = frame.colour(layer.colour);
  layer.rows.forEach(({ levels }, user) => {
    const [top, high] = rowOf(frame, user);
    const { time } = levels;
    for (let i = levels.firstAt(view.from - layer.lasts); i < time.length && time[i] < view.to; ) {
      const x = Math.floor((time[i] - view.from) * view.scale);
      const next = slots > 1 ? Math.max(i + 1, levels.firstAt(view.from + (x + 1) / view.scale)) : i + 1;
      ctx.globalAlpha = slots > 1 ? Math.min(1, FAINTEST + ((1 - FAINTEST) * (next - i)) / slots) : 1;
      if (x < width) ctx.fillRect(x, top, wide, high);
      i = next;
    }
  });
  ctx.globalAlpha = 1;
}

// A value in bins, by its place between the ends of the scale. Grey where it is zero and that means something.
function drawHeat(frame, layer) {
  const { ctx, view } = frame;
  const shades = shadesOf(RAMP.map(frame.colour));
  layer.rows.forEach(({ levels, values }, user) => {
    const [top, high] = rowOf(frame, user);
    const { time } = levels;
    for (let i = levels.firstAt(view.from - layer.lasts); i < time.length && time[i] < view.to; i++) {
      if (!(layer.zeros ? values[i] >= 0 : values[i] > 0)) continue; // NaN as well
      const x = Math.floor((time[i] - view.from) * view.scale);
      ctx.fillStyle = values[i] === 0 ? frame.colour("idle") : shades[Math.round((SHADES - 1) * placeOf(layer, values[i]))];
      ctx.fillRect(x, top, Math.floor((time[i] + layer.lasts - view.from) * view.scale) - x, high);
    }
  });
}

// 0..1, from the least colour to the greatest; what is beyond the scale has the colour of its end.
function placeOf({ least, greatest, logarithmic }, value) {
  if (!(greatest > least)) return 1;
  const share = logarithmic ? Math.log(value / least) / Math.log(greatest / least) : (value - least) / (greatest - least);
  return Math.min(Math.max(share, 0), 1);
}

// The value at a place of the scale.
function valueOf({ least, greatest, logarithmic }, place) {
  return logarithmic ? least * (greatest / least) ** place : least + (greatest - least) * place;
}

const ramps = new Map();

// Colours between those of the ramp, each mixed of two.
function shadesOf(colours) {
  const key = colours.join();
  if (!ramps.has(key)) {
    const parts = colours.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    ramps.set(key, Array.from({ length: SHADES }, (_, i) => mixed(parts, (i / (SHADES - 1)) * (parts.length - 1))));
  }
  return ramps.get(key);
}

function mixed(parts, place) {
  const below = Math.min(Math.floor(place), parts.length - 2);
  return `rgb(${parts[below].map((part, i) => Math.round(part + (parts[below + 1][i] - part) * (place - below))).join()})`;
}

function rowOf({ y }, user) {
  const [a, b] = [Math.round(y(user - ROW)), Math.round(y(user + ROW))];
  return [Math.min(a, b), Math.max(1, Math.abs(b - a))];
}

// The name of a row: of what it is and its number.
function rowName({ noun, numbers }, row) {
  return `${noun} ${numbers ? numbers[row] : row}`;
}

// The rows of a table by user, each in order of its time, and the ends of the scale of all values.
function prepareRows(layer, table, rows) {
  layer.nameOf = (row) => rows.names?.[row] ?? rowName(rows, row);
  const places = Array.from({ length: layer.users }, () => []);
  table[layer.user].forEach((user, i) => places[user].push(i));
  const values = table[layer.low];
  layer.rows = places.map((mine) => {
    const time = Float64Array.from(mine, (i) => table[layer.time][i]);
    return { levels: new Levels(time, time, time), values: Float64Array.from(mine, (i) => values[i]), places: mine };
  });
  const known = values.filter((value) => value > 0 && value < Infinity).sort();
  const at = (share) => known[Math.round(share * (known.length - 1))];
  layer.least = layer.logarithmic ? at(OUTER) : 0;
  layer.greatest = at(1 - OUTER);
  layer.below = layer.logarithmic && known[0] < layer.least;
  layer.above = known.at(-1) > layer.greatest;
}

// What a point of a row is, as lines of text; null where nothing is.
function rowAt(layer, time, value) {
  const user = Math.round(value);
  const row = layer.rows[user];
  if (!row || Math.abs(value - user) > ROW) return null;
  const i = row.levels.firstAt(time + 1e-9) - 1;
  if (i < 0 || time > row.levels.time[i] + layer.lasts) return [layer.nameOf(user)];
  const lines = [`${layer.nameOf(user)}: ${layer.name}`, `from ${row.levels.time[i].toFixed(6)}\u202fs`];
  for (const [label, values, unit] of layer.details) lines.push(`${label} ${exactly(values[row.places[i]], unit)}`);
  return lines;
}
