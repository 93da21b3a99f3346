// Shares of time by cause: a column of pixels is divided as its time was.

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
