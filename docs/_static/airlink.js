// Boxes that scroll sideways say so and can be reached by keyboard; a link into a fold opens it, and so does printing.
"use strict";

function marked(box, named) {
  const scrolls = box.scrollWidth > box.clientWidth + 1;
  const has = box.hasAttribute("tabindex");
  if (scrolls && !has) {
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", named);
  } else if (!scrolls && has) {
    for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  }
  return scrolls;
}

function hinted(box, scrolls) {
  const next = box.nextElementSibling;
  const hint = next && next.classList.contains("scroll-hint") ? next : null;
  if (scrolls && !hint) {
    const made = document.createElement("p");
    made.className = "scroll-hint";
    made.textContent = "the table goes on: scroll sideways \u2192";
    box.after(made);
  } else if (!scrolls && hint) {
    hint.remove();
  }
}

function look() {
  document.querySelectorAll(".table-wrapper").forEach((box, place) => {
    hinted(box, marked(box, `table ${place + 1}, scrolls sideways`));
  });
  document.querySelectorAll(".highlight pre, .formula").forEach((box, place) => {
    marked(box, `text ${place + 1}, scrolls sideways`);
  });
}

function opened() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  let folded = false;
  for (let at = target.closest("details"); at; at = at.parentElement && at.parentElement.closest("details")) {
    folded = folded || !at.open;
    at.open = true;
  }
  if (folded) target.scrollIntoView();
}

look();
opened();
addEventListener("resize", look);
addEventListener("hashchange", opened);
addEventListener("toggle", look, true);
addEventListener("beforeprint", () => {
  document.querySelectorAll("article details").forEach((fold) => (fold.open = true));
});
document.documentElement.dataset.state = "ready";
