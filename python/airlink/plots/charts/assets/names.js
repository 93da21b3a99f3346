// Names inside a chart: of rows where they have no room beside it, and of points where they cover nothing.
const DISTANCES = [6, 14, 24, 36, 52];
const DIRECTIONS = [[1, -1], [1, 1], [-1, -1], [-1, 1], [1, 0], [-1, 0], [0, -1], [0, 1]];

function drawRowNames(plot, chart, at) {
  const { ctx, bbox } = plot;
  ctx.fillStyle = colourOf("--ink");
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.font = `${12 * at.pixel}px system-ui, sans-serif`;
  chart.y.rows.forEach((name, row) => wrapped(name, lettersAcross(plot.width - 20)).split("\n").forEach((line, place) =>
    ctx.fillText(line, bbox.left, at.top + row * at.row + (3 + LINE * place) * at.pixel, bbox.width)));
}

const shared = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

function cost(box, taken, bbox) {
  const frame = { left: bbox.left, top: bbox.top, right: bbox.left + bbox.width, bottom: bbox.top + bbox.height };
  const area = (box.right - box.left) * (box.bottom - box.top);
  return 10 * (area - shared(box, frame)) + taken.reduce((sum, other) => sum + shared(box, other), 0);
}

// Where the intervals of named points are.
function intervals(at, series) {
  if (series.labels.length === 0) return [];
  const known = (span) => (span === null ? [] : series.x.map((_, i) => i).filter((i) => span[0][i] !== null && span[1][i] !== null));
  const across = known(series.xSpan).map((i) => ({
    left: at.x(series.xSpan[0][i]), right: at.x(series.xSpan[1][i]), top: at.y(series.y[i]) - at.pixel, bottom: at.y(series.y[i]) + at.pixel }));
  const up = known(series.ySpan).map((i) => ({
    left: at.x(series.x[i]) - at.pixel, right: at.x(series.x[i]) + at.pixel, top: at.y(series.ySpan[1][i]), bottom: at.y(series.ySpan[0][i]) }));
  return [...across, ...up];
}

function drawPointNames(plot, chart, at) {
  const { ctx, bbox } = plot;
  const named = chart.series.flatMap((series, index) => plot.series[index + 1].show
    ? series.labels.map((name, i) => ({ lines: wrapped(name).split("\n"), x: at.x(series.x[i]), y: at.y(series.y[i]) })) : []);
  const around = 5 * at.pixel;
  const taken = named.map(({ x, y }) => ({ left: x - around, right: x + around, top: y - around, bottom: y + around }));
  chart.series.forEach((series, index) => { if (plot.series[index + 1].show) taken.push(...intervals(at, series)); });
  ctx.font = `${12 * at.pixel}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const { lines, x, y } of named) {
    const width = Math.max(...lines.map((line) => ctx.measureText(line).width)), height = 14 * at.pixel * lines.length;
    const choices = DISTANCES.flatMap((distance) => DIRECTIONS.map(([right, down]) => {
      const left = x + right * distance * at.pixel - (width * (1 - right)) / 2;
      const top = y + down * distance * at.pixel - (height * (1 - down)) / 2;
      return { left, top, right: left + width, bottom: top + height, distance };
    }));
    const box = choices.map((each) => ({ ...each, cost: cost(each, taken, bbox) })).reduce((a, b) => (b.cost < a.cost ? b : a));
    taken.push(box);
    ctx.strokeStyle = colourOf("--axis");
    ctx.lineWidth = at.pixel;
    const near = [Math.min(Math.max(x, box.left), box.right), Math.min(Math.max(y, box.top), box.bottom)];
    if (box.distance > DISTANCES[0]) stroke(ctx, [near, [x, y]]);
    ctx.fillStyle = colourOf("--ink");
    lines.forEach((line, place) => ctx.fillText(line, box.left, box.top + (place + 0.5) * 14 * at.pixel));
  }
}
