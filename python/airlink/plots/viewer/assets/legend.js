// Legends: a button a layer that shows or hides it, with the layer's value at the cursor beside its name.

const LETTERS = { cross: "\u00d7", plus: "+", star: "\u2733", box: "\u25a1", ring: "\u25cb", diamond: "\u25c7" };

function buildLegend(place, panel, changed) {
  for (const layer of panel.layers) {
    if (layer.kind === "shares") buildCauses(place, layer);
    else if (panel.scale !== "flags") place.append(keyOf(layer, changed));
  }
}

function keyOf(layer, changed) {
  const key = element("button", "");
  key.type = "button";
  key.className = layer.kind === "heat" ? "key heat" : "key";
  key.append(...(layer.kind === "heat" ? [] : [swatch(layer)]), element("span", layer.name));
  layer.place = element("span", "");
  layer.place.className = "value";
  if (layer.kind !== "marks" && !layer.rows) key.append(layer.place);
  if (layer.kind === "heat") key.append(...scaleOf(layer));
  const press = () => key.setAttribute("aria-pressed", String(layer.shown));
  key.addEventListener("click", () => {
    layer.shown = !layer.shown;
    press();
    changed();
  });
  press();
  return key;
}

// The colours of a layer's values: the least, the middle and the greatest of them, and what a blank is.
function scaleOf(layer) {
  if (!(layer.greatest > 0)) return [];
  const [low, middle, high] = [0, 0.5, 1].map((place) => rounded(valueOf(layer, place), layer.unit));
  const half = (name) => Object.assign(element("span", ""), { className: `ramp ${name}` });
  const ends = [layer.below ? `\u2264\u202f${low}` : low, layer.above ? `\u2265\u202f${high}` : high];
  const scale = [element("span", ends[0]), half("lower"), element("span", middle), half("upper"), element("span", ends[1])];
  for (const name of ["zeros", "blank"]) {
    if (layer[name]) scale.push(Object.assign(element("span", layer[name]), { className: name }));
  }
  return scale;
}

function swatch(layer) {
  const made = element("span", layer.kind === "marks" ? LETTERS[layer.glyph] || layer.glyph : "");
  made.className = `swatch ${layer.kind}${layer.dash ? ` dash-${layer.dash}` : ""}`;
  made.style.setProperty("--is", `var(--${layer.colour})`);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function buildCauses(place, layer) {
  const there = new Set(layer.causes);
  layer.kinds.forEach((cause, number) => {
    if (!there.has(number)) return;
    const key = element("span", "");
    key.className = "key cause";
    key.append(swatch({ kind: "bars", colour: cause.colour }), element("span", cause.name));
    place.append(key);
  });
  layer.place = element("span", "");
  layer.place.className = "value";
  layer.place.dataset.before = "here: ";
  place.append(layer.place);
}
