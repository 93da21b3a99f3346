// Marks of every shape, with their intervals.
const DASHES = [[], [6, 3], [7, 3, 2, 3], [2, 3]];
const GLYPHS = ["circle", "square", "diamond", "triangle", "plus", "cross"];
const BAND = 0.18, THICK = 0.72;

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// What others are compared with has a number below 0, and is grey in every picture.
const colourAt = (index) => colourOf(index < 0 ? "--axis" : `--user-${index % 7}`);
const numberAt = (series, i) => series.colours[i] ?? series.colour;
const kindOf = (kinds, index) => kinds[Math.max(index, 0) % kinds.length];

function stroke(ctx, points) {
  ctx.beginPath();
  points.forEach(([x, y], at) => (at === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  ctx.stroke();
}

function glyph(ctx, kind, x, y, size) {
  ctx.beginPath();
  if (kind === "circle") ctx.arc(x, y, size, 0, 2 * Math.PI);
  if (kind === "square") ctx.rect(x - size, y - size, 2 * size, 2 * size);
  const corners = { diamond: [[0, -1.4], [1.4, 0], [0, 1.4], [-1.4, 0]], triangle: [[-1.2, -1], [1.2, -1], [0, 1.2]] }[kind];
  if (corners) corners.forEach(([i, j], at) => ctx[at ? "lineTo" : "moveTo"](x + i * size, y + j * size));
  if (kind === "plus" || kind === "cross") {
    const [i, j] = kind === "plus" ? [1.3, 0] : [1, 1];
    for (const [a, b] of [[i, j], [-j, i]]) { ctx.moveTo(x - a * size, y - b * size); ctx.lineTo(x + a * size, y + b * size); }
  }
  ctx.closePath();
}

function whiskers(ctx, at, series, span, alongX) {
  const end = 4 * at.pixel;
  series.x.forEach((value, i) => {
    const low = span[0][i], high = span[1][i];
    if (value === null || series.y[i] === null || (low === null && high === null)) return;
    if (series.shape !== "bars") ctx.strokeStyle = colourAt(numberAt(series, i));
    // An end that is not known lies beyond the frame.
    if (alongX) {
      const y = at.y(series.y[i]);
      stroke(ctx, [[low === null ? at.left : at.x(low), y], [high === null ? at.right : at.x(high), y]]);
      for (const known of finite([low, high])) stroke(ctx, [[at.x(known), y - end], [at.x(known), y + end]]);
    } else {
      const x = at.x(value);
      stroke(ctx, [[x, low === null ? at.bottom : at.y(low)], [x, high === null ? at.top : at.y(high)]]);
      for (const known of finite([low, high])) stroke(ctx, [[x - end, at.y(known)], [x + end, at.y(known)]]);
    }
  });
}

// Parts of a line between gaps.
function runs(series) {
  const found = [[]];
  series.x.forEach((value, i) => {
    if (value === null || series.y[i] === null) found.push([]);
    else found[found.length - 1].push(i);
  });
  return found.filter((run) => run.length > 0);
}

const shapes = {
  line(ctx, at, series) {
    for (const run of runs(series)) {
      const known = series.ySpan === null ? [] : run.filter((i) => series.ySpan[0][i] !== null && series.ySpan[1][i] !== null);
      ctx.globalAlpha = BAND;
      ctx.beginPath();
      for (const i of known) ctx.lineTo(at.x(series.x[i]), at.y(series.ySpan[1][i]));
      for (const i of [...known].reverse()) ctx.lineTo(at.x(series.x[i]), at.y(series.ySpan[0][i]));
      ctx.fill();
      ctx.globalAlpha = 1;
      stroke(ctx, run.map((i) => [at.x(series.x[i]), at.y(series.y[i])]));
      ctx.setLineDash([]);
      for (const i of run) {
        glyph(ctx, kindOf(GLYPHS, series.colour), at.x(series.x[i]), at.y(series.y[i]), 2.6 * at.pixel);
        ctx.fill();
        ctx.stroke();
      }
      ctx.setLineDash(kindOf(DASHES, series.colour).map((part) => part * at.pixel));
    }
  },
  step(ctx, at, series) {
    for (const run of runs(series)) {
      const corners = run.flatMap((i, k) => [
        ...(k ? [[at.x(series.x[i]), at.y(series.y[run[k - 1]])]] : []), [at.x(series.x[i]), at.y(series.y[i])] ]);
      stroke(ctx, corners);
    }
  },
  points(ctx, at, series) {
    ctx.setLineDash([]);
    ctx.lineWidth = 1.3 * at.pixel;
    if (series.xSpan !== null) whiskers(ctx, at, series, series.xSpan, true);
    if (series.ySpan !== null) whiskers(ctx, at, series, series.ySpan, false);
    series.x.forEach((value, i) => {
      if (value === null || series.y[i] === null) return;
      ctx.strokeStyle = colourAt(numberAt(series, i));
      ctx.fillStyle = series.hollow[i] ? colourOf("--paper") : ctx.strokeStyle;
      // Where some are rings, all are round.
      const kind = series.hollow.length > 0 ? GLYPHS[0] : kindOf(GLYPHS, numberAt(series, i));
      glyph(ctx, kind, at.x(value), at.y(series.y[i]), 4 * at.pixel);
      ctx.fill();
      ctx.stroke();
    });
  },
  bars(ctx, at, series, thick) {
    ctx.setLineDash([]);
    const half = 0.45 * thick * (at.row - at.name);
    ctx.globalAlpha = 0.8;
    series.x.forEach((value, i) => {
      ctx.fillStyle = colourAt(numberAt(series, i));
      if (value !== null) ctx.fillRect(at.x(0), at.y(series.y[i]) - half, at.x(value) - at.x(0), 2 * half);
    });
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colourOf("--ink");
    ctx.lineWidth = 1.3 * at.pixel;
    if (series.xSpan !== null) whiskers(ctx, at, series, series.xSpan, true);
  },
  boxes(ctx, at, series, thick) {
    ctx.setLineDash([]);
    const half = 0.4 * thick * (at.row - at.name);
    ctx.lineWidth = 1.3 * at.pixel;
    series.x.forEach((value, i) => {
      const [low, high] = [series.box[0][i], series.box[1][i]];
      if (value === null || low === null || high === null) return;
      const y = at.y(series.y[i]);
      ctx.fillStyle = ctx.strokeStyle = colourAt(numberAt(series, i));
      ctx.globalAlpha = 0.3;
      ctx.fillRect(at.x(low), y - half, at.x(high) - at.x(low), 2 * half);
      ctx.globalAlpha = 1;
      ctx.strokeRect(at.x(low), y - half, at.x(high) - at.x(low), 2 * half);
      const [from, to] = [series.xSpan[0][i], series.xSpan[1][i]];
      stroke(ctx, [[at.x(from), y], [at.x(low), y]]);
      stroke(ctx, [[at.x(high), y], [at.x(to), y]]);
      for (const end of [from, to]) stroke(ctx, [[at.x(end), y - half / 2], [at.x(end), y + half / 2]]);
      ctx.save();
      ctx.strokeStyle = colourOf("--ink");
      ctx.lineWidth = 2 * at.pixel;
      stroke(ctx, [[at.x(value), y - half], [at.x(value), y + half]]);
      ctx.restore();
    });
  },
};

function drawMarks(plot, chart, at) {
  const { ctx } = plot;
  const abreast = chart.series.filter((series) => series.shape === "bars" || series.shape === "boxes").length;
  chart.series.forEach((series, index) => {
    if (!plot.series[index + 1].show) return;
    ctx.fillStyle = ctx.strokeStyle = colourAt(series.colour);
    ctx.lineWidth = 1.6 * at.pixel;
    ctx.setLineDash(kindOf(DASHES, series.colour).map((part) => part * at.pixel));
    shapes[series.shape](ctx, at, series, THICK / Math.max(abreast, 1));
  });
  ctx.setLineDash([]);
}

function drawBehind(plot, chart, at) {
  const { ctx, bbox } = plot;
  ctx.fillStyle = ctx.strokeStyle = colourOf("--axis");
  ctx.lineWidth = 1.2 * at.pixel;
  for (const band of chart.bands) {
    const low = at.x(band.low), high = at.x(band.high);
    ctx.globalAlpha = 0.25;
    ctx.fillRect(low, bbox.top, high - low, bbox.height);
    ctx.globalAlpha = 1;
    if (low === high) stroke(ctx, [[low, bbox.top], [low, bbox.top + bbox.height]]);
  }
  ctx.setLineDash([2 * at.pixel, 3 * at.pixel]);
  if (chart.frontier.length > 0) stroke(ctx, chart.frontier.map(([x, y]) => [at.x(x), at.y(y)]));
  ctx.setLineDash([]);
}
