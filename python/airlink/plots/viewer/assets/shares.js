// Layers of time shared out: intervals by cause, slots by user. A column of pixels is divided as its time was.

// Each column's height is divided among the kinds as its time was.
function drawShares(frame, layer) {
  const { ctx, view, width, height } = frame;
  const { begins, ends, causes } = layer;
  const shares = new Float64Array(layer.kinds.length);
  let row = Math.max(0, layer.levels.firstAt(view.from) - 1);
  for (let x = 0; x < width; x++) {
    const begin = view.from + x / view.scale;
    const end = begin + 1 / view.scale;
    shares.fill(0);
    while (row < begins.length && ends[row] <= begin) row++;
    for (let r = row; r < begins.length && begins[r] < end; r++) {
      shares[causes[r]] += Math.min(ends[r], end) - Math.max(begins[r], begin);
      if (ends[r] <= end) row = r + 1;
    }
    let top = 0;
    for (let k = 0; k < shares.length; k++) {
      if (shares[k] <= 0) continue;
      const next = top + shares[k] * view.scale * height;
      ctx.fillStyle = frame.colour(layer.kinds[k].colour);
      ctx.fillRect(x, Math.floor(top), 1, Math.ceil(next) - Math.floor(top));
      top = next;
    }
  }
}

// One row a user; a column is as dark as the share of its time that the user had.
function drawRaster(frame, layer) {
  const { ctx, view, width, y } = frame;
  const full = 1 / (view.scale * layer.lasts);
  for (let user = 0; user < layer.rows.length; user++) {
    const time = layer.rows[user].time;
    const top = Math.round(y(user + 0.42));
    const high = Math.max(1, Math.round(y(user - 0.42)) - top);
    ctx.fillStyle = frame.colour(layer.colour);
    const wide = Math.max(1, Math.floor(layer.lasts * view.scale));
    for (let i = layer.rows[user].firstAt(view.from - layer.lasts); i < time.length && time[i] < view.to; ) {
      const x = Math.floor((time[i] - view.from) * view.scale);
      let next = i + 1;
      if (full > 1) next = layer.rows[user].firstAt(view.from + (x + 1) / view.scale);
      ctx.globalAlpha = full > 1 ? Math.min(1, 0.15 + (0.85 * (next - i)) / full) : 1;
      if (x < width) ctx.fillRect(x, top, wide, high);
      i = Math.max(next, i + 1);
    }
  }
  ctx.globalAlpha = 1;
}
