// Moments: the cursor, the stretch that is being chosen, and the way from event to event.

// The vertical line through all panels.
class Cursor {
  constructor(viewer) {
    Object.assign(this, { viewer, time: NaN, line: document.getElementById("cursor") });
  }

  set(time) {
    this.time = time;
    this.place();
  }

  step(direction) {
    const { range } = this.viewer;
    const inView = this.time >= range.from && this.time <= range.to;
    const next = (inView ? this.time : (range.from + range.to) / 2) + direction * range.span * 0.01;
    this.set(Math.min(Math.max(next, range.from), range.to));
  }

  place() {
    const { range, panels } = this.viewer;
    const inView = this.time >= range.from && this.time <= range.to;
    this.line.hidden = !inView;
    showValues(panels, inView ? this.time : null);
    document.getElementById("now").textContent = inView ? writtenTime(this.time, range.span / 100) : "";
    if (inView) this.line.style.transform = `translateX(${this.viewer.xOf(this.time)}px)`;
  }
}

// The stretch that Shift and a drag choose.
class Band {
  constructor(viewer) {
    Object.assign(this, { viewer, box: document.getElementById("band") });
  }

  show(from, to) {
    const [left, right] = [this.viewer.xOf(Math.min(from, to)), this.viewer.xOf(Math.max(from, to))];
    this.box.hidden = false;
    this.box.style.left = `${left}px`;
    this.box.style.width = `${right - left}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}

// The events, and the way from one to the next.
class Events {
  constructor(viewer, { time, rows }) {
    const times = Float64Array.from(time);
    Object.assign(this, { viewer, rows, levels: new Levels(times, times, times), at: -1 });
    for (const button of document.querySelectorAll("button[data-event]")) {
      button.addEventListener("click", () => {
        viewer.root.scrollIntoView({ block: "start" });
        viewer.root.focus({ preventScroll: true });
        this.show(Number(button.dataset.event));
      });
    }
  }

  jump(direction) {
    const { cursor, range } = this.viewer;
    const { time } = this.levels;
    const here = cursor.time >= range.from && cursor.time <= range.to ? cursor.time : direction > 0 ? range.from : range.to;
    let next = direction > 0 ? this.levels.firstAt(here) : this.levels.firstAt(here) - 1;
    if (this.at >= 0 && time[this.at] === cursor.time) next = this.at + direction;
    if (next < 0 || next >= time.length) this.viewer.say(direction > 0 ? "No later event" : "No earlier event");
    else this.show(next);
  }

  show(at) {
    const { viewer } = this;
    const time = this.levels.time[at];
    this.at = at;
    viewer.range.set(time - viewer.range.span / 2, time + viewer.range.span / 2);
    viewer.cursor.set(time);
    const box = (viewer.panels[1] || viewer.panels[0]).canvas.getBoundingClientRect();
    viewer.tooltip.show(this.rows[at].lines, box.left + viewer.xOf(time), Math.max(box.top - 8, 0));
    viewer.say(this.rows[at].lines.join(", "));
  }
}
