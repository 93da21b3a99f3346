// Levels: least and greatest value of 4, 16, 64, ... neighbours, so that a frame costs as much as the screen is wide.
//
// `gather` walks the samples of a stretch of time by the largest nodes that lie within one column of pixels, and joins
// what falls into the same column. What comes out is exact to the pixel at every zoom: nothing is sampled or left out.

const BRANCH = 4;

class Levels {
  constructor(time, low, high) {
    this.time = time;
    this.low = [low];
    this.high = [high];
    for (let level = 0; this.low[level].length > BRANCH; level++) {
      this.low.push(reduced(this.low[level], (a, b) => b < a, Infinity));
      this.high.push(reduced(this.high[level], (a, b) => b > a, -Infinity));
    }
  }

  // Index of the first sample at or after a time.
  firstAt(time) {
    let from = 0;
    let to = this.time.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.time[middle] < time) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  // Least and greatest finite value of samples first..last-1; [Infinity, -Infinity] when there is none.
  extent(first, last) {
    let least = Infinity;
    let greatest = -Infinity;
    for (let i = first; i < last; ) {
      let level = 0;
      let size = 1;
      while (level + 1 < this.low.length && i % (size * BRANCH) === 0 && i + size * BRANCH <= last) {
        level++;
        size *= BRANCH;
      }
      const low = this.low[level][i / size];
      const high = this.high[level][i / size];
      if (low < least) least = low;
      if (high > greatest && high !== Infinity) greatest = high;
      i += size;
    }
    return [least, greatest];
  }
}

function reduced(values, better, worst) {
  const out = new Float64Array(Math.ceil(values.length / BRANCH));
  for (let i = 0; i < out.length; i++) {
    let best = worst;
    const end = Math.min((i + 1) * BRANCH, values.length);
    for (let j = i * BRANCH; j < end; j++) {
      if (better(best, values[j]) && Math.abs(values[j]) !== Infinity) best = values[j];
    }
    out[i] = best;
  }
  return out;
}

// The columns of pixels that hold samples: where, which samples (first..last), and their extent. Used again each call.
const columns = { count: 0, x: new Int32Array(0), first: [], last: [], low: [], high: [] };

function gather(levels, view) {
  const { time } = levels;
  const begin = levels.firstAt(view.from);
  const end = levels.firstAt(view.to);
  columns.count = 0;
  let current = -1;
  for (let i = begin; i < end; ) {
    const x = Math.floor((time[i] - view.from) * view.scale);
    let level = 0;
    let size = 1;
    while (
      level + 1 < levels.low.length && i % (size * BRANCH) === 0 && i + size * BRANCH <= end &&
      Math.floor((time[i + size * BRANCH - 1] - view.from) * view.scale) === x
    ) {
      level++;
      size *= BRANCH;
    }
    if (x !== current) startColumn((current = x), i);
    joinColumn(i + size - 1, levels.low[level][i / size], levels.high[level][i / size]);
    i += size;
  }
  return columns;
}

function startColumn(x, first) {
  const at = columns.count++;
  if (at >= columns.x.length) growColumns(Math.max(1024, 2 * at));
  columns.x[at] = x;
  columns.first[at] = first;
  columns.low[at] = Infinity;
  columns.high[at] = -Infinity;
}

function joinColumn(last, low, high) {
  const at = columns.count - 1;
  columns.last[at] = last;
  if (low < columns.low[at]) columns.low[at] = low;
  if (high > columns.high[at] && high !== Infinity) columns.high[at] = high;
}

function growColumns(size) {
  columns.x = grown(columns.x, new Int32Array(size));
  for (const name of ["first", "last", "low", "high"]) columns[name] = grown(columns[name], new Float64Array(size));
}

function grown(before, after) {
  after.set(before);
  return after;
}
