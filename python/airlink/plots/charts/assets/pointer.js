// What is nearest to the pointer, in words.
const REACH = 48;

const shown = (value) => (value === null ? "?" : value.toLocaleString("en", { maximumSignificantDigits: 4 }));

function withSpan(value, span, i) {
  if (span === null || (span[0][i] === null && span[1][i] === null)) return shown(value);
  return `${shown(value)} [${shown(span[0][i])}, ${shown(span[1][i])}]`;
}

function sentences(chart, series, i) {
  const row = chart.y.rows[Math.round(series.y[i])];
  const head = [row, series.name, series.labels[i]].filter((name) => name && name.length > 0).join(", ");
  const lines = [`${chart.x.label}: ${withSpan(series.x[i], series.xSpan, i)}`];
  if (row === undefined) lines.push(`${chart.y.label}: ${withSpan(series.y[i], series.ySpan, i)}`);
  return [head, ...lines, series.told[i] ?? ""].filter((line) => line !== "");
}

function nearest(plot, chart, at, left, top) {
  let best = null, least = REACH * at.pixel;
  chart.series.forEach((series, index) => {
    if (!plot.series[index + 1].show) return;
    series.x.forEach((value, i) => {
      if (value === null || series.y[i] === null) return;
      const across = chart.y.rows.length > 0 ? 0 : at.x(value) - left;
      const away = Math.hypot(across, at.y(series.y[i]) - top);
      if (away < least) { least = away; best = { series, i }; }
    });
  });
  return best;
}

function followPointer(plot, chart, tooltip) {
  const hide = () => (tooltip.hidden = true);
  const show = (event) => {
    const frame = plot.over.getBoundingClientRect(), at = places(plot, chart);
    const left = (event.clientX - frame.left) * at.pixel + plot.bbox.left;
    const top = (event.clientY - frame.top) * at.pixel + plot.bbox.top;
    const found = nearest(plot, chart, at, left, top);
    if (found === null) return hide();
    tooltip.replaceChildren(...sentences(chart, found.series, found.i).map((line) => {
      const part = document.createElement("div");
      part.textContent = line;
      return part;
    }));
    tooltip.hidden = false;
    const x = Math.min(event.clientX + 14, innerWidth - tooltip.offsetWidth - 8);
    const y = event.clientY + 18 + tooltip.offsetHeight > innerHeight ? event.clientY - tooltip.offsetHeight - 12 : event.clientY + 18;
    tooltip.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
  };
  for (const kind of ["pointermove", "pointerdown"]) plot.over.addEventListener(kind, show);
  plot.over.addEventListener("pointerleave", hide);
  addEventListener("scroll", hide, { passive: true });
}
