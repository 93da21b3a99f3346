// Names of the series: each a switch that hides or shows it. Of more than MOST_NAMES the pointer tells the name.
const MOST_NAMES = 24;

function makeLegend(plot, chart, legend) {
  const rows = chart.y.rows.length > 0 && chart.y.label !== "" ? `Rows: ${chart.y.label}` : "";
  for (const words of [rows, chart.key === "" ? "" : `Names: ${chart.key}`].filter((each) => each !== "")) {
    const told = document.createElement("span");
    told.className = "key";
    told.append(words);
    legend.append(told);
  }
  const named = chart.series.map((series, index) => ({ series, index })).filter(({ series }) => series.name !== "");
  for (const { series, index } of named.length <= MOST_NAMES ? named : []) {
    const key = document.createElement("button"), swatch = document.createElement("span");
    key.type = "button";
    key.className = "key";
    key.setAttribute("aria-pressed", "true");
    swatch.className = `swatch ${series.shape} dashes-${Math.max(series.colour, 0) % DASHES.length}`;
    swatch.style.setProperty("--is", series.colour < 0 ? "var(--axis)" : `var(--user-${series.colour % 7})`);
    key.append(swatch, series.name);
    key.addEventListener("click", () => {
      const show = !plot.series[index + 1].show;
      key.setAttribute("aria-pressed", String(show));
      plot.setSeries(index + 1, { show });
      plot.redraw();
    });
    legend.append(key);
  }
  for (const band of chart.bands.filter(({ name }) => name !== "")) {
    const key = document.createElement("span"), swatch = document.createElement("span");
    key.className = "key";
    swatch.className = band.low === band.high ? "swatch line" : "swatch bars faint";
    swatch.style.setProperty("--is", "var(--axis)");
    key.append(swatch, band.name);
    legend.append(key);
  }
}
