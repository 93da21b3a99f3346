// Theme: light or dark as the reader's system asks, until the button says otherwise.

const DARK = "(prefers-color-scheme: dark)";

class Theme {
  constructor(changed) {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    Object.assign(this, { rules: rules.filter((rule) => rule.media?.mediaText === DARK), chosen: null, changed });
    matchMedia(DARK).addEventListener("change", () => this.show(this.chosen));
  }

  get now() {
    return this.chosen || (matchMedia(DARK).matches ? "dark" : "light");
  }

  turn() {
    this.chosen = this.now === "dark" ? "light" : "dark";
    this.show(this.chosen);
  }

  // Null: as the system asks.
  show(theme) {
    for (const { media } of this.rules) media.mediaText = theme === null ? DARK : theme === "dark" ? "all" : "not all";
    document.documentElement.style.colorScheme = theme || "";
    this.changed();
  }
}
