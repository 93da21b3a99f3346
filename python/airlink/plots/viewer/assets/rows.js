// Rows: a row a user, of the slots that it won or of a value in bins of time. What is more is darker.

const ROW = 0.44; // half of a row's height, of the distance of two

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
      ctx.globalAlpha = slots > 1 ? Math.min(1, 0.2 + (0.8 * (next - i)) / slots) : 1;
      if (x < width) ctx.fillRect(x, top, wide, high);
      i = next;
    }
  });
  ctx.globalAlpha = 1;
}

// A value in bins: as dark as its share of the greatest, or of the way from least to greatest on a logarithmic scale.
function drawHeat(frame, layer) {
  const { ctx, view } = frame;
  ctx.fillStyle = frame.colour(layer.colour);
  layer.rows.forEach(({ levels, values }, user) => {
    const [top, high] = rowOf(frame, user);
    const { time } = levels;
    for (let i = levels.firstAt(view.from - layer.lasts); i < time.length && time[i] < view.to; i++) {
      if (!(values[i] > 0)) continue;
      const x = Math.floor((time[i] - view.from) * view.scale);
      ctx.globalAlpha = darkness(layer, values[i]);
      ctx.fillRect(x, top, Math.floor((time[i] + layer.lasts - view.from) * view.scale) - x, high);
    }
  });
  ctx.globalAlpha = 1;
}

function darkness({ least, greatest, logarithmic }, value) {
  if (!logarithmic) return 0.06 + 0.94 * (value / greatest);
  return 0.06 + 0.94 * (greatest > least ? Math.log(value / least) / Math.log(greatest / least) : 1);
}

function rowOf({ y }, user) {
  const [a, b] = [Math.round(y(user - ROW)), Math.round(y(user + ROW))];
  return [Math.min(a, b), Math.max(1, Math.abs(b - a))];
}

// The rows of a table by user, each in order of its time, and the extent of all values.
function prepareRows(layer, table) {
  const places = Array.from({ length: layer.users }, () => []);
  table[layer.user].forEach((user, i) => places[user].push(i));
  const values = table[layer.low];
  layer.rows = places.map((mine) => {
    const time = Float64Array.from(mine, (i) => table[layer.time][i]);
    return { levels: new Levels(time, time, time), values: Float64Array.from(mine, (i) => values[i]), places: mine };
  });
  const known = Array.from(values).filter((value) => value > 0);
  layer.least = known.reduce((a, b) => Math.min(a, b), Infinity);
  layer.greatest = known.reduce((a, b) => Math.max(a, b), 0);
}

// What a point of a row is, as lines of text; null where nothing is.
function rowAt(layer, time, value) {
  const user = Math.round(value);
  const row = layer.rows[user];
  if (!row || Math.abs(value - user) > ROW) return null;
  const i = row.levels.firstAt(time + 1e-9) - 1;
  if (i < 0 || time > row.levels.time[i] + layer.lasts) return [`user ${user}`];
  const lines = [`user ${user}: ${layer.name}`, `from ${row.levels.time[i].toFixed(6)}\u202fs`];
  for (const [label, values, unit] of layer.details) lines.push(`${label} ${exactly(values[row.places[i]], unit)}`);
  return lines;
}
