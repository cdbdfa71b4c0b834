/* Keep small values in the browser; where storage is blocked or full, at least for the life of the page. */
(() => {
  "use strict";

  class Store {
    #prefix;
    #memory = new Map();

    /** @param {string} prefix names the campaign and rater, so that nobody sends another's answers. */
    constructor(prefix) {
      this.#prefix = prefix;
    }

    get(name) {
      const key = this.#prefix + name;
      if (this.#memory.has(key)) return this.#memory.get(key);
      try {
        const found = localStorage.getItem(key);
        return found === null ? null : JSON.parse(found);
      } catch {
        return null;
      }
    }

    set(name, value) {
      const key = this.#prefix + name;
      try {
        localStorage.setItem(key, JSON.stringify(value));
        this.#memory.delete(key);
      } catch {
        this.#memory.set(key, value);
      }
    }

    remove(name) {
      this.#memory.delete(this.#prefix + name);
      try {
        localStorage.removeItem(this.#prefix + name);
      } catch {
        /* nothing was stored */
      }
    }

    /** Names that begin with `start`, in no order. */
    names(start) {
      const found = new Set(this.#memory.keys());
      try {
        for (let i = 0; i < localStorage.length; i += 1) found.add(localStorage.key(i));
      } catch {
        /* memory only */
      }
      const whole = this.#prefix + start;
      return [...found].filter((key) => key.startsWith(whole)).map((key) => key.slice(this.#prefix.length));
    }

    /** Call `action(name, value)` when another tab of this browser stored something; value null: removed. */
    listen(action) {
      addEventListener("storage", ({ key, newValue }) => {
        if (!key?.startsWith(this.#prefix)) return;
        let value = null;
        try {
          value = JSON.parse(newValue);
        } catch {
          return;
        }
        action(key.slice(this.#prefix.length), value);
      });
    }

    /** True when an answer, sent or begun, lives only as long as this page. */
    get volatile() {
      return [...this.#memory.keys()].some((key) => /^(outbox|draft):/.test(key.slice(this.#prefix.length)));
    }
  }

  window.rating.Store = Store;
})();
