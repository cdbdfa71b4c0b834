/* The screens a rater passes through: those seen (for going back) and those fetched ahead (for going on). */
(() => {
  "use strict";
  const AHEAD = 12;
  const AT_ONCE = 4;
  /** A pool gives more once a rater holds fewer than four items in front, the one shown among them. */
  const HELD = 3;
  const PATIENCE = 5;

  class Screens {
    #server;
    #urls;
    #seen;
    #ahead = [];
    #at = 0;
    #last;
    #fetching = null;
    #skip;
    #isHeldBack = false;
    #vain = 0;
    #beginnings = 0;
    #open = null;
    isExhausted = false;

    /** @param skip tells of a key whether its answer is on the way already. */
    constructor({ server, urls, first, skip }) {
      this.#server = server;
      this.#urls = urls;
      this.#seen = [first];
      this.#last = first.key;
      this.#skip = skip;
    }

    /** The screen shown, or undefined past the last one. */
    get current() {
      return this.#seen[this.#at];
    }

    /** True when going on needs no fetch. */
    get hasNext() {
      return this.#at + 1 < this.#seen.length || this.#ahead.length > 0;
    }

    find(key) {
      return this.#seen.find((screen) => screen.key === key);
    }

    /** Forget a screen that is not to be shown again (passed over, or answered in another tab). */
    drop(key) {
      this.#ahead = this.#ahead.filter((screen) => screen.key !== key);
      const place = this.#seen.findIndex((screen) => screen.key === key);
      if (place < 0) return;
      this.#seen.splice(place, 1);
      if (place <= this.#at) this.#at -= 1;
    }

    /** Forget what was fetched ahead and how far: it may have gone to somebody else. */
    startOver() {
      this.#beginnings += 1;
      [this.#ahead, this.#last, this.#open, this.#vain] = [[], "", null, 0];
      this.isExhausted = this.#isHeldBack = false;
    }

    /** True when an item did not come again after starting over. */
    isGone(key) {
      return this.#open !== null && !this.#open.has(key);
    }

    /** Go on without waiting; undefined when nothing is at hand. */
    next() {
      if (this.#at < this.#seen.length) this.#at += 1;
      if (this.#at === this.#seen.length && this.#ahead.length > 0) this.#seen.push(this.#ahead.shift());
      return this.current;
    }

    /** Make `screen`, one of those seen, the current one. */
    goTo(screen) {
      this.#at = this.#seen.indexOf(screen);
    }

    /** The screen before, from the server when this page has not seen it; null when there is none. */
    async previous() {
      if (this.#at > 0) {
        this.#at -= 1;
        return this.current;
      }
      const { screen } = await this.#server.get(this.#urls.previous, { before: this.#seen[0]?.key ?? "" });
      if (screen) this.#seen.unshift(screen);
      return screen;
    }

    /** Fetch ahead so many open screens that a lost connection stops nobody soon; one request at a time. */
    refill() {
      if (this.isExhausted || this.#ahead.length >= (this.#isHeldBack ? HELD : AHEAD)) return Promise.resolve();
      this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null));
      return this.#fetching;
    }

    /**
     * Nothing is no end where the server says that more may come once answers have arrived. A pool that gives less
     * than was asked for has given all that is held: asking anew before that is nearly used up would be in vain.
     */
    async #fetch() {
      const [beginning, from] = [this.#beginnings, this.#last];
      const asked = Math.max(AT_ONCE, AHEAD - this.#ahead.length);
      const { screens, more, progress } = await this.#openAfter(from, asked);
      if (beginning !== this.#beginnings) return;
      if (from === "") this.#open = new Set(screens.map(({ key }) => key));
      if (screens.length > 0) this.#last = screens.at(-1).key;
      const isVain = screens.length === 0 && more;
      this.#isHeldBack = isVain || (screens.length > 0 && screens.length < asked && progress.endless === true);
      this.#vain = isVain && this.#ahead.length === 0 ? this.#vain + 1 : 0;
      if (screens.length === 0 && (!more || this.#vain >= PATIENCE)) this.isExhausted = true;
      const known = new Set([...this.#seen, ...this.#ahead].map(({ key }) => key));
      this.#ahead.push(...screens.filter(({ key }) => !known.has(key) && !this.#skip(key)));
    }

    /** The next open screens; from the beginning when the item we stand at went to somebody else. */
    async #openAfter(after, n) {
      try {
        return await this.#server.get(this.#urls.screens, { after, n });
      } catch (problem) {
        if (after === "" || ![404, 409].includes(problem.status)) throw problem;
        return this.#openAfter("", n);
      }
    }
  }

  window.rating.Screens = Screens;
})();
