// Where things stand, in device pixels. Rows of a narrow chart have their names above their marks.
const NARROW = 480, LINE = 15, ROW = 30, MARK = 15, LETTER = 7.5, BESIDE = 24;

const isNarrow = (chart, width) => chart.y.rows.length > 0 && width < NARROW;

function heightOf(chart, width) {
  const { rows } = chart.y;
  if (rows.length === 0) return width < NARROW ? 280 : 340;
  const abreast = chart.series.filter((series) => series.shape === "bars" || series.shape === "boxes").length;
  const names = nameHeight(chart, width);
  const lines = names ? 1 : linesOf(rows, BESIDE);
  return rows.length * Math.max(names + Math.max(ROW, MARK * abreast), 16 * lines + 6) + 62;
}

// A name on lines: they end at spaces, else behind punctuation, else anywhere. Letters of East Asian scripts are wide.
function wrapped(name, letters = BESIDE) {
  const lines = [""];
  for (const piece of name.match(/\s+|(?:[^\s,_=./-]|[,_=./-](?=\d))+[,_=./-]*|[,_=./-]+/g) ?? []) {
    if (room(lines[lines.length - 1] + piece.trimEnd()) <= letters) lines[lines.length - 1] += piece;
    else if (/\S/.test(piece)) lines.push(...slices(piece, letters));
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "").join("\n");
}

const room = (text) => [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) >= 0x1100 ? 2 : 1), 0);

function slices(text, letters) {
  const found = [""];
  for (const letter of text) {
    if (room(found[found.length - 1] + letter) > letters) found.push("");
    found[found.length - 1] += letter;
  }
  return found;
}

const linesOf = (names, letters) => Math.max(1, ...names.map((name) => wrapped(name, letters).split("\n").length));
const lettersAcross = (width) => Math.max(8, Math.floor(width / LETTER));
const nameHeight = (chart, width) =>
  isNarrow(chart, width) ? LINE * linesOf(chart.y.rows, lettersAcross(width - 20)) + 2 : 0;

// `narrow` rows keep room for their names.
function places(plot, chart) {
  const { rows } = chart.y, pixel = uPlot.pxRatio;
  const x = (value) => plot.valToPos(value, "x", true);
  const { left, top, width, height } = plot.bbox, frame = { left, right: left + width, top, bottom: top + height };
  if (rows.length === 0) return { x, y: (value) => plot.valToPos(value, "y", true), pixel, ...frame };
  const row = height / rows.length;
  const name = nameHeight(chart, plot.width) * pixel;
  const y = (value) => top + Math.round(value) * row + name + (value - Math.round(value) + 0.5) * (row - name);
  return { x, y, pixel, row, name, ...frame };
}
