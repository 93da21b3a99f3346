// Columns: numbers as the page holds them, unpacked to Float64Array. airlink/plots/viewer/packing.py writes them.

const NOT_A_NUMBER = -(2 ** 31);
const INFINITE = 2 ** 31 - 1;

async function unpackTables(tables) {
  const names = Object.keys(tables);
  const unpacked = await Promise.all(names.map((name) => unpackTable(tables[name])));
  return Object.fromEntries(names.map((name, place) => [name, unpacked[place]]));
}

async function unpackTable(columns) {
  const names = Object.keys(columns);
  const values = await Promise.all(names.map((name) => unpackColumn(columns[name])));
  return Object.fromEntries(names.map((name, place) => [name, values[place]]));
}

async function unpackColumn(packed) {
  const bytes = await inflate(bytesOf(packed.data));
  return packed.step === 0 ? new Float64Array(bytes.buffer) : summed(bytes, packed);
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Differences, byte planes one after the other, summed up again. Whole numbers below 2^53: the sums are exact.
function summed(bytes, { rows, first, step }) {
  const values = new Float64Array(rows);
  let sum = first;
  for (let i = 0; i < rows; i++) {
    const d = bytes[i] | (bytes[rows + i] << 8) | (bytes[2 * rows + i] << 16) | (bytes[3 * rows + i] << 24);
    if (d === NOT_A_NUMBER) values[i] = NaN;
    else if (d === INFINITE) values[i] = Infinity;
    else {
      sum += d;
      values[i] = sum * step;
    }
  }
  return values;
}
