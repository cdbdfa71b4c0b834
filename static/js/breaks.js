/* Suggest a break after so much active work. Only ever between two items, and it takes no focus. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId, say } = rating;
  const REST_MS = 5 * 60_000;

  class Breaks {
    #store;
    #after;
    #hasSaid = false;

    /** @param minutes of work before a break is suggested; 0 for never. `onClose` gets the focus back. */
    constructor({ store, minutes, onClose }) {
      this.#store = store;
      this.#after = minutes * 60_000;
      byId("break-close").addEventListener("click", () => {
        this.#begin();
        onClose();
      });
      byId("break-pause").addEventListener("click", () => this.#begin());
    }

    /** Count the work on one screen; five minutes without any were a break. */
    add(activeMs) {
      const { worked = 0, until = 0 } = this.#store.get("work") ?? {};
      const now = Date.now();
      const hasRested = now - until > REST_MS + activeMs || now < until;
      this.#store.set("work", { worked: (hasRested ? 0 : worked) + activeMs, until: now });
      if (hasRested) this.#hide();
    }

    /** Suggest a break when one is due; return what to announce. */
    suggest() {
      const { worked = 0 } = this.#store.get("work") ?? {};
      if (this.#after === 0 || worked < this.#after || this.#hasSaid) return "";
      this.#hasSaid = true;
      const line = say("break", { n: Math.round(worked / 60_000) });
      byId("break-line").textContent = line;
      byId("break").hidden = false;
      return line;
    }

    #begin() {
      this.#store.remove("work");
      this.#hide();
    }

    #hide() {
      this.#hasSaid = false;
      byId("break").hidden = true;
    }
  }

  rating.Breaks = Breaks;
})();
