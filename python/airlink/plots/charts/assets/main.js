// Each chart of the page: uPlot has axes, grid, zoom and cursor; marks are drawn into its canvas.
const FONT = "12px system-ui, sans-serif";

function sizeOf(plot, values, index, cycle) {
  const axis = plot.axes[index];
  if (cycle > 1) return axis._size;
  plot.ctx.font = axis.font[0];
  const lines = (values ?? []).flatMap((value) => String(value ?? "").split("\n"));
  const widest = Math.max(0, ...lines.map((line) => plot.ctx.measureText(line).width)) / uPlot.pxRatio;
  return Math.ceil(axis.ticks.size + axis.gap + widest + 4);
}

// Round numbers of a logarithmic axis: of a short one 2 and 5 as well.
function logSplits(low, high) {
  const steps = Math.log10(high / low) < 2.2 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    const numbers = steps.map((step) => Number(`${step}e${power}`));
    found.push(...numbers.filter((number) => number >= low && number <= high));
  }
  return found;
}

function ticks(axis) {
  if (!axis.log) return {};
  const splits = (plot, index, low, high) => logSplits(low, high);
  return { splits, filter: (plot, found) => found, values: (plot, found) => found.map((value) => shown(value)) };
}

function axes(chart, narrow) {
  const look = {
    stroke: () => colourOf("--ink"), font: FONT, labelFont: FONT,
    grid: { stroke: () => colourOf("--grid"), width: 1 }, ticks: { stroke: () => colourOf("--axis"), width: 1, size: 5 },
  };
  const x = { ...look, label: chart.x.label, labelSize: 20, size: 30, space: 56, ...ticks(chart.x) };
  if (chart.y.rows.length === 0) return [x, { ...look, label: chart.y.label, labelSize: 22, size: sizeOf }];
  const none = { show: false };
  if (narrow) return [x, { ...look, size: 6, values: () => [], grid: none, ticks: none }];
  const rows = chart.y.rows.map((_, row) => row);
  const names = () => chart.y.rows.map((name) => wrapped(name));
  return [x, { ...look, splits: () => rows, values: names, size: sizeOf, grid: none, gap: 4, ticks: { ...look.ticks, size: 0 } }];
}

function options(chart, width) {
  const rows = chart.y.rows.length, narrow = isNarrow(chart, width);
  const clipped = (plot, draw) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - 6, bbox.top - 6, bbox.width + 12, bbox.height + 12);
    ctx.clip();
    draw();
    ctx.restore();
  };
  return {
    width, height: heightOf(chart, width),
    padding: [8, 14, 0, 0],
    scales: {
      x: { time: false, distr: chart.x.log ? 3 : 1, range: (_, low, high) => [low, high] },
      y: rows > 0 ? { dir: -1, range: [-0.5, rows - 0.5] } : { range: extent(chart, "y") },
    },
    axes: axes(chart, narrow),
    series: [{}, ...chart.series.map(({ name }) => ({ label: name, paths: () => null, points: { show: false } }))],
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    hooks: {
      drawAxes: [(plot) => clipped(plot, () => drawBehind(plot, chart, places(plot, chart)))],
      draw: [(plot) => clipped(plot, () => {
        const at = places(plot, chart);
        drawMarks(plot, chart, at);
        if (narrow) drawRowNames(plot, chart, at);
        drawPointNames(plot, chart, at);
      })],
    },
  };
}

function makeChart(chart, tooltip) {
  const place = document.getElementById(`chart-${chart.id}`);
  const live = place.querySelector(".live"), legend = place.querySelector(".legend");
  const data = [extent(chart, "x"), ...chart.series.map(() => [null, null])];
  let plot = null, narrow = null;
  const fit = () => {
    const width = live.clientWidth;
    if (width === 0) return;
    if (plot !== null && narrow === isNarrow(chart, width)) return plot.setSize({ width, height: heightOf(chart, width) });
    plot?.destroy();
    legend.replaceChildren();
    narrow = isNarrow(chart, width);
    plot = new uPlot(options(chart, width), data, live);
    makeLegend(plot, chart, legend);
    followPointer(plot, chart, tooltip);
  };
  fit();
  new ResizeObserver(fit).observe(live);
  return { chart, redraw: () => plot.redraw(), get plot() { return plot; } };
}

const root = document.documentElement;
root.classList.add("drawn");
const tooltip = document.getElementById("tooltip");
const charts = JSON.parse(document.querySelector("script[type='application/json']").textContent).map((chart) => makeChart(chart, tooltip));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((each) => each.redraw()));
addEventListener("keydown", (event) => { if (event.key === "Escape") tooltip.hidden = true; });
window.airlink = { charts };
requestAnimationFrame(() => (root.dataset.state = "ready"));
