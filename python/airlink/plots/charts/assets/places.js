// Where things stand, in device pixels. Rows of a narrow chart have their names above their marks.
const NARROW = 480, NAME = 17, ROW = 30, MARK = 15;

const isNarrow = (chart, width) => chart.y.rows.length > 0 && width < NARROW;

function heightOf(chart, width) {
  const { rows } = chart.y;
  if (rows.length === 0) return width < NARROW ? 280 : 340;
  const abreast = chart.series.filter((series) => series.shape === "bars" || series.shape === "boxes").length;
  const names = isNarrow(chart, width) ? NAME : 0;
  const lines = names ? 1 : Math.max(...rows.map((name) => wrapped(name).split("\n").length));
  return rows.length * Math.max(names + Math.max(ROW, MARK * abreast), 16 * lines + 6) + 62;
}

function wrapped(name, letters = 24) {
  const lines = [""];
  for (const word of name.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + word.length >= letters) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}

// `narrow` rows keep room for their names.
function places(plot, chart) {
  const { rows } = chart.y, pixel = uPlot.pxRatio;
  const x = (value) => plot.valToPos(value, "x", true);
  const { left, top, width, height } = plot.bbox, frame = { left, right: left + width, top, bottom: top + height };
  if (rows.length === 0) return { x, y: (value) => plot.valToPos(value, "y", true), pixel, ...frame };
  const row = height / rows.length;
  const name = isNarrow(chart, plot.width) ? NAME * pixel : 0;
  const y = (value) => top + Math.round(value) * row + name + (value - Math.round(value) + 0.5) * (row - name);
  return { x, y, pixel, row, name, ...frame };
}
