/* How this rater likes to read, remembered on this device: size of the texts, invisible characters, document. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId } = rating;
  const SIZES = [75, 85, 100, 115, 130, 150, 175, 200];
  const NARROW = "(max-width: 40rem)";

  const percent = (share) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(share);

  class View {
    #store = new rating.Store("rating:view:");
    #redraw;

    /** @param redraw draws the texts anew. */
    constructor({ redraw }) {
      this.#redraw = redraw;
      byId("smaller").addEventListener("click", () => this.resize(-1));
      byId("larger").addEventListener("click", () => this.resize(1));
      byId("marks").addEventListener("click", () => this.toggleMarks());
      this.#showSize();
      this.#showMarks();
    }

    get hasMarks() {
      return this.#store.get("marks") === true;
    }

    /** What stands around the segment is open at first, but not on a phone. */
    get hasContext() {
      return this.#store.get("context") ?? !matchMedia(NARROW).matches;
    }

    /** Open or fold both sides alike, now and later. */
    keepContext(isOpen) {
      if (isOpen === this.hasContext) return;
      this.#store.set("context", isOpen);
      for (const box of document.querySelectorAll(".near")) box.open = isOpen;
    }

    toggleMarks() {
      this.#store.set("marks", !this.hasMarks);
      this.#showMarks();
      this.#redraw();
    }

    /** Make the texts one step larger or smaller; return what there is to say about it. */
    resize(steps) {
      const place = SIZES.indexOf(this.#size) + steps;
      this.#store.set("size", SIZES[Math.min(SIZES.length - 1, Math.max(0, place))]);
      this.#showSize();
    }

    /** Say which signs stand for what, where any are shown. */
    showLegend(found) {
      byId("legend").hidden = !this.hasMarks;
      byId("legend").replaceChildren(...(this.hasMarks ? rating.legendOf(found) : []));
    }

    get #size() {
      const stored = this.#store.get("size");
      return SIZES.includes(stored) ? stored : 100;
    }

    #showSize() {
      document.documentElement.style.setProperty("--zoom", String(this.#size / 100));
      byId("size").textContent = percent(this.#size / 100);
    }

    #showMarks() {
      byId("marks").setAttribute("aria-pressed", String(this.hasMarks));
    }
  }

  rating.View = View;
})();
