/* Time spent on a screen with the page visible. A pause longer than three minutes (idle, or the machine asleep)
   does not count; the server keeps a claim inside what it saw itself. No clock of the day is read. */
(() => {
  "use strict";
  const LONGEST_PAUSE_MS = 180_000;

  class ActiveTime {
    #total = 0;
    #last = performance.now();
    #isSeen = !document.hidden;

    constructor() {
      for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove", "input"]) {
        addEventListener(name, () => this.#sign(), { passive: true, capture: true });
      }
      document.addEventListener("visibilitychange", () => this.#look(!document.hidden));
      addEventListener("pagehide", () => this.#look(false));
      addEventListener("pageshow", () => this.#look(!document.hidden));
    }

    restart() {
      this.#total = 0;
      this.#last = performance.now();
    }

    /** Active milliseconds since the last restart. */
    read() {
      this.#sign();
      return Math.round(this.#total);
    }

    /** The page came into sight or went out of it. */
    #look(isSeen) {
      this.#sign();
      this.#isSeen = isSeen;
    }

    /** Something shows that the rater is here: count the pause since the last sign, unless it was a long one. */
    #sign() {
      const now = performance.now();
      const pause = now - this.#last;
      if (this.#isSeen && pause > 0 && pause <= LONGEST_PAUSE_MS) this.#total += pause;
      this.#last = now;
    }
  }

  window.rating.ActiveTime = ActiveTime;
})();
