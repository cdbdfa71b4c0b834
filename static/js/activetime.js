/* Time spent on a screen with the page visible; a pause longer than half a minute counts as half a minute. */
(() => {
  "use strict";
  const IDLE_MS = 30_000;

  class ActiveTime {
    #total = 0;
    #last = performance.now();

    constructor() {
      for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove"]) {
        addEventListener(name, () => this.#tick(), { passive: true, capture: true });
      }
      document.addEventListener("visibilitychange", () => {
        if (document.hidden) this.#add();
        this.#last = performance.now();
      });
    }

    restart() {
      this.#total = 0;
      this.#last = performance.now();
    }

    /** Active milliseconds since the last restart. */
    read() {
      this.#tick();
      return Math.round(this.#total);
    }

    #tick() {
      if (!document.hidden) this.#add();
    }

    #add() {
      const now = performance.now();
      this.#total += Math.min(now - this.#last, IDLE_MS);
      this.#last = now;
    }
  }

  window.rating.ActiveTime = ActiveTime;
})();
