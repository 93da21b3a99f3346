// Navigation: the stretch of time in view, moved by keys, wheel, drag, pinch and buttons.

const LEAST_SPAN_S = 2e-5;
const STEP = 1.6; // of a key's zoom

class Range {
  constructor(start, stop, changed) {
    Object.assign(this, { start, stop, from: start, to: stop, changed });
  }

  get span() {
    return this.to - this.from;
  }

  set(from, to) {
    const span = Math.min(Math.max(to - from, Math.min(LEAST_SPAN_S, this.stop - this.start)), this.stop - this.start);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(span === to - from ? from : middle - span / 2, this.start), this.stop - span);
    this.to = this.from + span;
    this.changed();
  }

  zoom(factor, about) {
    const share = (about - this.from) / this.span;
    const span = Math.min(Math.max(this.span * factor, LEAST_SPAN_S), this.stop - this.start);
    this.set(about - share * span, about + (1 - share) * span);
  }

  pan(share) {
    this.set(this.from + share * this.span, this.to + share * this.span);
  }
}

// What a key, or the button that names it, does. Where it leads is said to those who can't see it.
function actions({ range, cursor, events, panels, theme, tooltip, say }, help) {
  const moves = (act) => (event) => {
    act(event);
    say(event.shiftKey && event.key?.startsWith("Arrow") ? spoken(panels, cursor.time) : writtenRange(range));
  };
  const about = () => (cursor.time >= range.from && cursor.time <= range.to ? cursor.time : (range.from + range.to) / 2);
  return {
    "+": moves(() => range.zoom(1 / STEP, about())),
    "=": moves(() => range.zoom(1 / STEP, about())),
    "-": moves(() => range.zoom(STEP, about())),
    _: moves(() => range.zoom(STEP, about())),
    ArrowLeft: moves((event) => (event.shiftKey ? cursor.step(-1) : range.pan(-0.2))),
    ArrowRight: moves((event) => (event.shiftKey ? cursor.step(1) : range.pan(0.2))),
    Home: moves(() => range.set(range.start, range.start + range.span)),
    End: moves(() => range.set(range.stop - range.span, range.stop)),
    0: moves(() => range.set(range.start, range.stop)),
    Escape: () => tooltip.hide(),
    n: () => events.jump(1),
    p: () => events.jump(-1),
    t: () => {
      theme.turn();
      say(`${theme.now} colours`);
    },
    "?": () => help.showModal(),
  };
}

function listenToKeys(viewer, does) {
  viewer.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !does[event.key]) return;
    event.preventDefault();
    does[event.key](event);
  });
  for (const button of document.querySelectorAll("button[data-key]")) {
    button.addEventListener("click", (event) => does[button.dataset.key](event));
  }
}

// Left of the plots the wheel scrolls the page.
function listenToWheel(place, range, timeAt, within) {
  place.addEventListener("wheel", (event) => {
    if (!within(event)) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 20 : 1;
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) range.pan((sideways * unit) / 1000);
    else range.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.0018))), timeAt(event.clientX));
  }, { passive: false });
}

// One pointer drags, two pinch; with Shift a stretch is chosen.
function listenToPointers(place, range, timeAt, band, within) {
  const held = new Map();
  let chosen = null;
  place.addEventListener("pointerdown", (event) => {
    if (!within(event) || event.button !== 0) return;
    held.set(event.pointerId, { x: event.clientX, time: timeAt(event.clientX) });
    chosen = event.shiftKey ? timeAt(event.clientX) : null;
    event.target.setPointerCapture(event.pointerId); // the canvas: a double click is then still one on it
  });
  place.addEventListener("pointermove", (event) => {
    if (!held.has(event.pointerId)) return;
    held.get(event.pointerId).x = event.clientX;
    if (chosen !== null) band.show(chosen, timeAt(event.clientX));
    else follow([...held.values()], range, timeAt);
  });
  const release = (event) => {
    if (!held.delete(event.pointerId)) return;
    const end = timeAt(event.clientX);
    if (chosen !== null && event.type === "pointerup" && end !== chosen) range.set(Math.min(chosen, end), Math.max(chosen, end));
    chosen = null;
    band.hide();
    for (const pointer of held.values()) pointer.time = timeAt(pointer.x);
  };
  for (const name of ["pointerup", "pointercancel"]) place.addEventListener(name, release);
  place.addEventListener("dblclick", (event) => {
    if (within(event)) range.zoom(0.4, timeAt(event.clientX));
  });
}

// The times that the pointers took hold of come under the pointers again.
function follow(pointers, range, timeAt) {
  if (pointers.length === 1) {
    const moved = pointers[0].time - timeAt(pointers[0].x);
    range.set(range.from + moved, range.to + moved);
  } else if (pointers.length === 2) {
    const [a, b] = pointers;
    const [nowA, nowB] = [timeAt(a.x), timeAt(b.x)];
    if (Math.abs(nowA - nowB) < range.span * 0.01) return;
    const factor = Math.abs(a.time - b.time) / Math.abs(nowA - nowB);
    const from = (a.time + b.time) / 2 - ((nowA + nowB) / 2 - range.from) * factor;
    range.set(from, from + range.span * factor);
  }
}
