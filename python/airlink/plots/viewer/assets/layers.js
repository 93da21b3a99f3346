// Layers that are drawn column by column of pixels: bars of bytes, steps, lines, bars from zero, dots, shares, rows.
//
// A frame has ctx, view (from, to, scale: pixels a second), width, height, y (value to pixel), pixel (device pixels a
// CSS pixel), and colour (name to CSS colour).

const LAYERS = {
  spans: drawSpans,
  step: drawStep,
  line: drawLine,
  bars: drawBars,
  dots: drawDots,
  ticks: drawTicks,
  shares: drawShares,
  raster: drawRaster,
  heat: drawHeat,
};

const ARROW = 2.5; // half the width of an arrow's head, CSS pixels
const DASHES = [[1, 0], [7, 3], [7, 3, 2, 3], [2, 3]]; // CSS pixels, on and off, by number; page.css has them for legends

// From `low` to `high` at a time: a segment with the heads of tcptrace's arrows where there is room for them.
function drawSpans(frame, layer) {
  const { ctx, y, pixel } = frame;
  const found = gather(layer.levels, frame.view);
  const wide = Math.max(1, Math.round(pixel * (layer.thick || 1.6)));
  const least = Math.max(2, Math.round(2 * pixel)); // a segment stays to be seen at any height
  const roomy = found.count > 0 && frame.width / found.count > 3 * ARROW * pixel;
  ctx.fillStyle = frame.colour(layer.colour);
  for (let i = 0; i < found.count; i++) {
    const top = Math.round(y(found.high[i]));
    const high = Math.max(least, Math.round(y(found.low[i])) - top);
    ctx.fillRect(found.x[i] - (wide >> 1), top, wide, high);
    const tall = y(found.low[i]) - y(found.high[i]) > 4.5 * ARROW * pixel;
    if (roomy && tall && found.first[i] === found.last[i]) arrowHeads(frame, found.x[i], top, high);
  }
}

function arrowHeads({ ctx, pixel }, x, top, high) {
  const half = ARROW * pixel;
  ctx.beginPath();
  for (const [tip, back] of [[top, top + half * 1.4], [top + high, top + high - half * 1.4]]) {
    ctx.moveTo(x + 0.5, tip);
    ctx.lineTo(x + 0.5 - half, back);
    ctx.lineTo(x + 0.5 + half, back);
  }
  ctx.fill();
}

// A value that holds until the next one.
function drawStep(frame, layer) {
  const { ctx, view, y, width, height, pixel } = frame;
  const values = layer.levels.low[0];
  const found = gather(layer.levels, view);
  const thick = Math.max(1, Math.round(pixel * (layer.thick || 1.5)));
  const half = thick >> 1;
  const before = layer.levels.firstAt(view.from) - 1;
  ctx.fillStyle = frame.colour(layer.colour);
  let level = before >= 0 ? y(values[before]) : NaN;
  let left = 0;
  const across = (to) => {
    if (!Number.isFinite(level)) return;
    if (layer.filled) fillBelow(frame, left, to, level);
    if (layer.dash) return dashed(frame, layer.dash, left, to, Math.round(level) - half, thick);
    ctx.fillRect(left - half, Math.round(level) - half, to - left + thick, thick);
  };
  for (let i = 0; i < found.count; i++) {
    const x = found.x[i];
    across(x);
    const low = Number.isFinite(found.low[i]) ? y(found.low[i]) : NaN;
    const ends = Number.isFinite(low) ? [low, y(found.high[i]), ...(Number.isFinite(level) ? [level] : [])] : [];
    if (ends.length) {
      const top = Math.round(Math.min(...ends));
      ctx.fillRect(x - half, top - half, thick, Math.round(Math.max(...ends)) - top + thick);
    }
    level = y(values[found.last[i]]);
    left = x;
  }
  if (found.count || before >= 0) across(width);
  return height;
}

// A level line in dashes that begin at the same pixels whatever piece of the line they are in.
function dashed({ ctx, pixel }, number, from, to, top, thick) {
  const pattern = DASHES[number].map((length) => Math.round(length * pixel));
  const period = pattern.reduce((a, b) => a + b);
  for (let at = from - (((from % period) + period) % period); at < to; ) {
    pattern.forEach((length, i) => {
      const [begin, end] = [Math.max(at, from), Math.min(at + length, to)];
      if (i % 2 === 0 && end > begin) ctx.fillRect(begin, top, end - begin, thick);
      at += length;
    });
  }
}

function fillBelow({ ctx, height }, from, to, level) {
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = 0.18 * alpha;
  ctx.fillRect(from, level, to - from, height - level);
  ctx.globalAlpha = alpha;
}

// A value between whose samples it may be anything: straight from one to the next.
function drawLine(frame, layer) {
  const { ctx, view, y, pixel } = frame;
  const { time, low: [values] } = layer.levels;
  const found = gather(layer.levels, view);
  const at = (i) => [(time[i] - view.from) * view.scale, y(values[i])];
  const before = layer.levels.firstAt(view.from) - 1;
  const after = layer.levels.firstAt(view.to);
  ctx.strokeStyle = frame.colour(layer.colour);
  ctx.lineWidth = Math.max(1, pixel * (layer.thick || 1.25));
  ctx.lineJoin = "bevel";
  ctx.beginPath();
  if (before >= 0) ctx.moveTo(...at(before));
  for (let i = 0; i < found.count; i++) {
    const [x, first] = at(found.first[i]);
    ctx.lineTo(x, first);
    if (found.first[i] === found.last[i]) continue;
    ctx.lineTo(found.x[i] + 0.5, y(found.low[i]));
    ctx.lineTo(found.x[i] + 0.5, y(found.high[i]));
    ctx.lineTo(...at(found.last[i]));
  }
  if (after < time.length) ctx.lineTo(...at(after));
  ctx.stroke();
}

// Bars from zero, as wide as they last.
function drawBars(frame, layer) {
  const { ctx, view, y, height } = frame;
  const found = gather(layer.levels, view);
  const wide = Math.max(1, Math.floor(layer.lasts * view.scale) - (layer.lasts * view.scale > 4 ? 1 : 0));
  ctx.fillStyle = frame.colour(layer.colour);
  for (let i = 0; i < found.count; i++) {
    const top = Math.round(y(found.high[i]));
    ctx.fillRect(found.x[i], top, wide, height - top);
  }
}

// One dot a sample, one bar a column where a column holds many.
function drawDots(frame, layer) {
  const { ctx, y, pixel } = frame;
  const found = gather(layer.levels, frame.view);
  const size = Math.max(1, Math.round((layer.thick || 2) * pixel));
  ctx.fillStyle = frame.colour(layer.colour);
  for (let i = 0; i < found.count; i++) {
    const top = Math.round(y(found.high[i])) - (size >> 1);
    const bottom = Math.round(y(found.low[i])) - (size >> 1);
    ctx.fillRect(found.x[i] - (size >> 1), top, size, bottom - top + size);
  }
}

// Short strokes across: a duplicate ACK.
function drawTicks(frame, layer) {
  const { ctx, y, pixel } = frame;
  const found = gather(layer.levels, frame.view);
  const long = Math.round(3 * pixel);
  const thick = Math.max(1, Math.round(1.5 * pixel));
  ctx.fillStyle = frame.colour(layer.colour);
  for (let i = 0; i < found.count; i++) {
    const top = Math.round(y(found.high[i]));
    ctx.fillRect(found.x[i] - long, top, 2 * long, thick);
    if (found.high[i] > found.low[i]) ctx.fillRect(found.x[i], top, thick, Math.round(y(found.low[i])) - top);
  }
}
