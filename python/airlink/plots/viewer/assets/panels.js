// Panels: one canvas each, one above the other, all with the same gutter, so that a moment is one vertical line.

const SOFT_ROOM = 0.6; // of the height that the data need
const ROW_TEXT = 11.5; // CSS pixels of a row that has its name

class Panel {
  constructor(spec, place) {
    Object.assign(this, spec);
    this.place = place;
    this.canvas = place.querySelector("canvas");
    this.ctx = this.canvas.getContext("2d", { alpha: true });
    this.drawn = {};
  }

  resize(pixel, gutter) {
    const box = this.canvas.getBoundingClientRect();
    this.pixel = pixel;
    this.gutter = Math.round(gutter * pixel);
    this.canvas.width = Math.round(box.width * pixel);
    this.canvas.height = Math.round(box.height * pixel);
  }

  get plotWidth() {
    return Math.max(1, this.canvas.width - this.gutter);
  }

  draw(range, events, colour) {
    const { ctx, canvas } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    const frame = this.frame(range, colour);
    this.axes(frame);
    ctx.setTransform(1, 0, 0, 1, this.gutter, 0);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, frame.width, frame.height);
    ctx.clip();
    this.drawn = { events: this.scale === "flags" ? drawFlags(frame, events) : drawEvents(frame, events) };
    for (const layer of this.layers) {
      if (!layer.shown) continue;
      ctx.globalAlpha = layer.faint || 1;
      if (layer.kind === "marks") this.drawn[layer.name] = drawMarks(frame, layer);
      else LAYERS[layer.kind](frame, layer);
      ctx.globalAlpha = 1;
    }
    ctx.restore();
  }

  frame(range, colour) {
    const width = this.plotWidth;
    const { canvas: { height }, ctx, pixel } = this;
    const view = { from: range.from, to: range.to, scale: width / (range.to - range.from) };
    [this.low, this.high] = this.extent(range);
    const scale = this.scale === "log" ? logarithmic : linear;
    this.y = scale(this.low, this.high, height);
    return { ctx, view, width, height, y: this.y, pixel, colour };
  }

  // What is in view, with some air; a soft layer (a window far above the data) may add SOFT_ROOM.
  extent(range) {
    if (this.fixed) return this.fixed;
    const hard = this.joined(range, (layer) => !layer.soft);
    const all = this.joined(range, () => true);
    let [low, high] = hard[0] <= hard[1] ? hard : all;
    if (!(low <= high)) return this.scale === "log" ? [0.1, 1] : [0, 1];
    const room = (high - low || Math.abs(high) || 1) * SOFT_ROOM;
    if (all[1] > high) high = Math.min(all[1], high + room);
    if (all[0] < low) low = Math.max(all[0], low - room);
    if (this.scale === "log") return [Math.max(low, 1e-9) / 1.15, Math.max(high, 1e-9) * 1.15];
    if (this.zero) low = Math.min(0, low);
    const air = (high - low || Math.abs(high) || 1) * 0.07;
    return [this.zero && low === 0 ? 0 : low - air, high + air];
  }

  joined(range, wanted) {
    let low = Infinity;
    let high = -Infinity;
    for (const layer of this.layers) {
      if (!layer.shown || !layer.levels || !wanted(layer)) continue;
      const first = layer.levels.firstAt(range.from);
      const [least, greatest] = layer.levels.extent(Math.max(0, first - (layer.holds ? 1 : 0)), layer.levels.firstAt(range.to));
      low = Math.min(low, least);
      high = Math.max(high, greatest);
    }
    return [low, high];
  }

  axes(frame) {
    const { ctx, pixel, gutter } = this;
    ctx.setTransform(1, 0, 0, 1, gutter, 0);
    ctx.fillStyle = frame.colour("grid");
    const thin = Math.max(1, Math.round(pixel * 0.75));
    for (const tick of timeTicks(frame.view, frame.width / pixel).ticks) {
      ctx.fillRect(Math.round((tick - frame.view.from) * frame.view.scale), 0, thin, frame.height);
    }
    if (this.scale !== "flags" && this.scale !== "strip") this.valueAxis(frame, thin);
    ctx.fillStyle = frame.colour("axis");
    ctx.fillRect(-thin, 0, thin, frame.height);
    ctx.fillRect(-thin, frame.height - thin, frame.width + thin, thin);
  }

  valueAxis(frame, thin) {
    const { ctx, pixel } = this;
    const wanted = Math.min(8, Math.max(2, frame.height / pixel / 34));
    const make = this.scale === "log" ? logarithmicTicks : linearTicks;
    const each = this.rows && frame.height / (this.low - this.high) > ROW_TEXT * pixel;
    const { ticks, step } = make(Math.min(this.low, this.high), Math.max(this.low, this.high), each ? this.low - this.high : wanted);
    const write = this.writes(step);
    ctx.font = `${Math.round(11 * pixel)}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const tick of this.whole ? ticks.filter(Number.isInteger) : ticks) {
      const y = Math.round(this.y(tick));
      ctx.fillStyle = frame.colour("grid");
      if (!each) ctx.fillRect(0, y, frame.width, thin);
      if (y < 6 * pixel || y > frame.height - 5 * pixel) continue;
      ctx.fillStyle = frame.colour("soft");
      ctx.fillText(write(tick), -6 * pixel, y);
    }
    ctx.textAlign = "left";
  }

  // What a tick is called.
  writes(step) {
    if (this.rows) return (tick) => rowName(this.rows, tick);
    if (this.scale === "log") return (tick) => writer(this.unit, tick, tick)(tick);
    return writer(this.unit, Math.max(Math.abs(this.low), Math.abs(this.high)), this.whole ? 1 : step);
  }
}

// Ticks of the shared axis for a width in CSS pixels.
function timeTicks(view, width) {
  return linearTicks(view.from, view.to, Math.max(2, width / 110));
}

// The axis of time below all panels.
function drawTimeAxis(canvas, gutter, pixel, range, colour) {
  const ctx = canvas.getContext("2d");
  const box = canvas.getBoundingClientRect();
  canvas.width = Math.round(box.width * pixel);
  canvas.height = Math.round(box.height * pixel);
  const left = Math.round(gutter * pixel);
  const width = canvas.width - left;
  const scale = width / (range.to - range.from);
  const { ticks, step } = timeTicks(range, width / pixel);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  ctx.font = `${Math.round(11 * pixel)}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = colour("soft");
  for (const tick of ticks) {
    const text = tick.toFixed(digits) + "\u202fs";
    const half = ctx.measureText(text).width / 2;
    const x = left + (tick - range.from) * scale;
    ctx.fillText(text, Math.min(Math.max(x - half, 0), canvas.width - 2 * half - 1), canvas.height / 2);
  }
}
