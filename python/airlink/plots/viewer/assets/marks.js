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
  let drawn = 0;
  for (let i = begin; i < end; i++, drawn++) {
    const x = Math.floor((time[i] - view.from) * view.scale);
    const top = Math.round(y(high[i]));
    if (high[i] > low[i]) ctx.fillRect(x, top, thick, Math.round(y(low[i])) - top);
    if (crowded) ctx.fillRect(x - (small >> 1), top - (small >> 1), small, small);
    else ctx.drawImage(stamp.image, x - stamp.half, top - (layer.below ? -stamp.away : stamp.above));
  }
  return drawn;
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
  // R stands above its segment, O on its point, 3 below the ACK: where they come together none hides the others.
  const away = Math.round(3 * pixel);
  return { image, half: size >> 1, above: glyph === "O" ? size >> 1 : size + away, away };
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
  let drawn = 0;
  for (let i = begin; i < end; i++, drawn++) {
    ctx.fillStyle = frame.colour(events.rows[i].colour);
    ctx.fillRect(Math.floor((events.levels.time[i] - view.from) * view.scale), 0, Math.max(1, Math.round(pixel)), height);
  }
  ctx.globalAlpha = 1;
  return drawn;
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
    const left = x + 4 * pixel + wide > frame.width ? x - wide : x + 4 * pixel;
    const row = taken.findIndex((until) => until <= left);
    const high = height / rows;
    const top = row < 0 ? height - 0.4 * high : row * high; // no flag crosses a name
    ctx.fillStyle = frame.colour(events.rows[i].colour);
    ctx.fillRect(x, Math.round(top), Math.max(1, Math.round(1.5 * pixel)), Math.ceil(row < 0 ? 0.4 * high : high));
    if (row < 0) continue;
    taken[row] = left + wide;
    ctx.fillText(events.rows[i].name, left, top + 0.5 * high);
  }
  return end - begin;
}
