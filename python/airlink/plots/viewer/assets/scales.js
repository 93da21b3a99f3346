// Scales: values to pixels, round ticks, and numbers with their units.

function linear(low, high, height) {
  const scale = height / (high - low || 1);
  return (value) => height - (value - low) * scale;
}

function logarithmic(low, high, height) {
  const floor = Math.log(low);
  const scale = height / (Math.log(high) - floor || 1);
  return (value) => height - (Math.log(Math.max(value, low)) - floor) * scale;
}

// Round steps: 1, 2 or 5 times a power of ten, about `wanted` of them.
function linearTicks(low, high, wanted) {
  const step = roundStep((high - low) / Math.max(wanted, 1));
  const ticks = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let n = first; n * step <= high + step * 1e-9; n++) ticks.push(n * step);
  return { ticks, step };
}

function roundStep(rough) {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const ratio = rough / power;
  return (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1) * power;
}

function logarithmicTicks(low, high, wanted) {
  const decades = Math.log10(high / low);
  const factors = decades * 3 <= wanted + 1 ? [1, 2, 5] : decades * 2 <= wanted + 1 ? [1, 3] : [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return { ticks, step: ticks[0] || low };
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];
const PREFIXED = new Set(["B", "b/s", "s"]);

// A function that writes numbers of this unit, to the digits that a step needs.
function writer(unit, greatest, step) {
  const [factor, prefix] = prefixOf(unit, greatest);
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9)));
  const name = prefix + unit;
  return (value) => {
    const text = (value / factor).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1").replace("-", "\u2212");
    return name ? `${text}\u202f${name}` : text;
  };
}

function prefixOf(unit, greatest) {
  if (!PREFIXED.has(unit) || !(Math.abs(greatest) > 0)) return [1, ""];
  const least = unit === "s" ? 1e-6 : 1;
  const found = PREFIXES.find(([factor]) => Math.abs(greatest) >= factor * (1 - 1e-9) && factor >= least);
  return unit === "s" && Math.abs(greatest) >= 1 ? [1, ""] : found || [least, unit === "s" ? "µ" : ""];
}

// One number to four digits, for the readout.
function written(value, unit) {
  if (Number.isNaN(value)) return "\u2013";
  if (Math.abs(value) === Infinity) return "\u221e";
  if (unit === "" && Number.isInteger(value)) return String(value);
  const [factor] = prefixOf(unit, value);
  const step = Math.max(10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) - 3), unit === "B" ? 1 : 0);
  return writer(unit, value, Math.min(step, factor))(value);
}

// One number to two digits, for a scale.
function rounded(value, unit) {
  if (value === 0) return unit && !PREFIXED.has(unit) ? `0\u202f${unit}` : "0";
  return written(Number(value.toPrecision(2)), unit).replace(/(\.\d*?)0+(?=\D*$)/, "$1").replace(/\.(?=\D*$)/, "");
}

function writtenRange({ from, to, span }) {
  return `${writtenTime(from, span)} to ${writtenTime(to, span)}`;
}

function writtenTime(time, span) {
  const digits = Math.min(6, Math.max(1, 3 - Math.floor(Math.log10(span))));
  return `${time.toFixed(digits)}\u202fs`;
}
