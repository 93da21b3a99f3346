// Marks: what is never left out, at any zoom. Each one in view is drawn; where they crowd they shrink, they don't go.

const CROWDED = 7; // CSS pixels a mark below which letters become small squares
const SMALL = 3; // their side, CSS pixels

// Draws every mark of the layer in view and returns how many there were.
function drawMarks(frame, layer) {
  const { ctx, view, y, width, pixel } = frame;
  const { time, low: [low], high: [high] } = layer.levels;
  const begin = layer.levels.firstAt(view.from);
  const end = layer.levels.firstAt(view.to);
  const crowded = (end - begin) * CROWDED * pixel > width;
  const stamp = stampOf(layer.glyph, frame.colour(layer.colour), pixel);
  const thick = Math.max(1, Math.round(pixel));
  const small = Math.max(2, Math.round(SMALL * pixel));
  ctx.fillStyle = frame.colour(layer.colour);
  for (let i = begin; i < end; i++) {
    const x = Math.floor((time[i] - view.from) * view.scale);
    const top = Math.round(y(high[i]));
    if (high[i] > low[i]) ctx.fillRect(x, top, thick, Math.round(y(low[i])) - top);
    if (crowded) ctx.fillRect(x - (small >> 1), top - (small >> 1), small, small);
    else ctx.drawImage(stamp.image, x - stamp.half, top - stamp.above);
  }
  return end - begin;
}

const stamps = new Map();

// A mark drawn once, to be set many times.
function stampOf(glyph, colour, pixel) {
  const key = [glyph, colour, pixel].join(" ");
  if (!stamps.has(key)) stamps.set(key, stamp(glyph, colour, pixel));
  return stamps.get(key);
}

function stamp(glyph, colour, pixel) {
  const size = Math.round(13 * pixel);
  const image = blankImage(size, colour);
  const ctx = image.getContext("2d");
  const half = size / 2;
  if (SHAPES[glyph]) {
    ctx.lineWidth = 1.7 * pixel;
    ctx.beginPath();
    SHAPES[glyph](ctx, half, 3.6 * pixel);
    ctx.stroke();
    return { image, half: size >> 1, above: size >> 1 };
  }
  ctx.font = `700 ${Math.round(11.5 * pixel)}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(glyph, half, half + 0.5 * pixel);
  return { image, half: size >> 1, above: size };
}

function blankImage(size, colour) {
  const image = document.createElement("canvas");
  image.width = image.height = size;
  const ctx = image.getContext("2d");
  ctx.fillStyle = ctx.strokeStyle = colour;
  return image;
}

const SHAPES = {
  cross: (ctx, c, r) => lines(ctx, [[c - r, c - r, c + r, c + r], [c - r, c + r, c + r, c - r]]),
  plus: (ctx, c, r) => lines(ctx, [[c - r, c, c + r, c], [c, c - r, c, c + r]]),
  star: (ctx, c, r) => (SHAPES.cross(ctx, c, r * 0.8), SHAPES.plus(ctx, c, r)),
  box: (ctx, c, r) => ctx.rect(c - r, c - r, 2 * r, 2 * r),
  ring: (ctx, c, r) => ctx.arc(c, c, r, 0, 2 * Math.PI),
  diamond: (ctx, c, r) => lines(ctx, [[c, c - r, c + r, c], [c + r, c, c, c + r], [c, c + r, c - r, c], [c - r, c, c, c - r]]),
};

function lines(ctx, strokes) {
  for (const [fromX, fromY, toX, toY] of strokes) {
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
  }
}

// Events: a line down every panel. Returns how many there were.
function drawEvents(frame, events) {
  const { ctx, view, height, pixel } = frame;
  const begin = events.levels.firstAt(view.from);
  const end = events.levels.firstAt(view.to);
  const crowded = (end - begin) * 2 * CROWDED * pixel > frame.width;
  ctx.globalAlpha = crowded ? 0.25 : 0.6;
  for (let i = begin; i < end; i++) {
    ctx.fillStyle = frame.colour(events.rows[i].colour);
    ctx.fillRect(Math.floor((events.levels.time[i] - view.from) * view.scale), 0, Math.max(1, Math.round(pixel)), height);
  }
  ctx.globalAlpha = 1;
  return end - begin;
}

// The strip of the events' names: every event has its flag, and its name where there is room.
function drawFlags(frame, events) {
  const { ctx, view, pixel, height } = frame;
  const rows = Math.max(1, Math.floor(height / (15 * pixel)));
  const taken = new Array(rows).fill(-Infinity);
  ctx.font = `600 ${Math.round(11 * pixel)}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  const begin = events.levels.firstAt(view.from);
  const end = events.levels.firstAt(view.to);
  for (let i = begin; i < end; i++) {
    const x = Math.floor((events.levels.time[i] - view.from) * view.scale);
    const wide = ctx.measureText(events.rows[i].name).width + 8 * pixel;
    const left = Math.min(x + 4 * pixel, frame.width - wide);
    const row = taken.findIndex((until) => until <= left);
    const top = (Math.max(row, 0) * height) / rows; // below the name that stands there already
    ctx.fillStyle = frame.colour(events.rows[i].colour);
    ctx.fillRect(x, top, Math.max(1, Math.round(1.5 * pixel)), height - top);
    if (row < 0) continue;
    taken[row] = left + wide;
    ctx.fillText(events.rows[i].name, left, top + (0.5 * height) / rows);
  }
  return end - begin;
}
