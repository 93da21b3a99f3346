// What an axis must show: every mark, every end of an interval, and a little room.
const ROOM = 0.05;

const finite = (values) => values.filter((value) => value !== null && Number.isFinite(value));

const spans = (series, name) => (series[name] === null ? [] : series[name].flat());

function valuesAlong(chart, along) {
  const own = chart.series.flatMap((series) => [
    ...series[along], ...spans(series, `${along}Span`), ...(along === "x" ? spans(series, "box") : []) ]);
  return finite([...own, ...(along === "x" ? chart.bands.flatMap((band) => [band.low, band.high]) : [])]);
}

function extent(chart, along) {
  const axis = chart[along];
  let values = valuesAlong(chart, along);
  if (axis.log) values = values.filter((value) => value > 0);
  if (axis.zero && !axis.log) values.push(0);
  if (values.length === 0) return axis.log ? [1, 10] : [0, 1];
  const low = Math.min(...values), high = Math.max(...values);
  if (axis.log) {
    const room = low === high ? 2 : (high / low) ** ROOM;
    return [low / room, high * room];
  }
  const room = (high - low || Math.abs(high) || 1) * ROOM;
  return [axis.zero && low === 0 ? 0 : low - room, axis.zero && high === 0 ? 0 : high + room];
}
