/* Answers on their way: stored in the browser first, sent one at a time in order, kept until the server
   acknowledges them. Each entry has its own place in storage under its client key, so two tabs cannot overwrite
   each other, and the server knows a repeated key for the same answer. */
(() => {
  "use strict";
  const { rating } = window;
  const FIRST_WAIT_MS = 1_000;
  const LONGEST_WAIT_MS = 30_000;
  const PLACE = "outbox:";

  /** Only what the server asks for; the rest is our own bookkeeping. */
  function payload({ assignment, client_key, answers, comment, active_ms }) {
    return { assignment, client_key, answers, comment, active_ms };
  }

  class Outbox {
    #store;
    #server;
    #url;
    #on;
    #tried = new Set();
    #sending = null;
    #timer = null;
    #failures = 0;

    /**
     * @param on handlers: changed(state, unsent), saved(reply, entry), refused(problem, entry) for an answer that
     *   will never be taken, held(problem) for one that cannot be taken now; late(problem, entry), where given, for one
     *   that the server keeps beside the others.
     */
    constructor({ store, server, url, on }) {
      this.#store = store;
      this.#server = server;
      this.#url = url;
      this.#on = on;
      rating.onWake(() => this.flush());
      addEventListener("storage", () => this.#tell());
      addEventListener("pagehide", () => this.#leave());
    }

    /** Everything unacknowledged, oldest first. */
    entries() {
      const found = this.#store.names(PLACE).map((name) => this.#store.get(name)).filter(Boolean);
      return found.sort((a, b) => a.queued_at - b.queued_at);
    }

    /** The newest answer to an assignment that is on its way, or undefined. */
    latestFor(assignment) {
      return this.entries().findLast((entry) => entry.assignment === assignment && !entry.held);
    }

    /** How many answers on their way are to items that had none before. */
    get firstAnswers() {
      return this.entries().filter((entry) => entry.first && !entry.held).length;
    }

    /** True when all that could be sent was acknowledged. */
    get isEmpty() {
      return this.#sendable().length === 0;
    }

    add(entry) {
      const last = this.entries().at(-1);
      const queued_at = Math.max(Date.now(), (last?.queued_at ?? 0) + 1);
      this.#store.set(PLACE + entry.client_key, { ...entry, queued_at });
      return this.flush();
    }

    /** Send all that waits; safe to call at any time. */
    flush() {
      this.#sending ??= this.#withLock().finally(() => {
        this.#sending = null;
        this.#tell();
      });
      this.#tell();
      return this.#sending;
    }

    /** What is worth sending: an answer held back earlier is tried once more by every new page. */
    #sendable() {
      return this.entries().filter((entry) => !this.#tried.has(entry.client_key));
    }

    async #withLock() {
      clearTimeout(this.#timer);
      if (this.#sendable().length === 0) return;
      if (!navigator.locks) {
        await this.#sendAll();
        return;
      }
      await navigator.locks.request(`rating:${this.#url}`, { ifAvailable: true }, async (lock) => {
        if (lock) await this.#sendAll();
        else this.#later(FIRST_WAIT_MS);
      });
    }

    async #sendAll() {
      for (let next = this.#sendable()[0]; next; next = this.#sendable()[0]) {
        try {
          const reply = await this.#server.post(this.#url, payload(next));
          this.#failures = 0;
          this.#forget(next);
          this.#on.saved(reply, next);
        } catch (problem) {
          if (!(problem instanceof rating.Problem)) throw problem;
          if (!this.#survive(problem, next)) return;
        }
        this.#tell();
      }
    }

    /** Deal with a failure; true when the next entry may be tried at once. */
    #survive(problem, entry) {
      if (problem.passing || problem.session) {
        this.#failures += 1;
        if (problem.session) this.#on.held(problem);
        this.#later(FIRST_WAIT_MS * 2 ** (this.#failures - 1));
        return false;
      }
      if (problem.late) {
        this.#forget(entry);
        (this.#on.late ?? this.#on.held)(problem, entry);
      } else if ([400, 413, 422].includes(problem.status)) {
        this.#forget(entry);
        this.#on.refused(problem, entry);
      } else {
        this.#tried.add(entry.client_key);
        this.#store.set(PLACE + entry.client_key, { ...entry, held: true });
        this.#on.held(problem);
      }
      return true;
    }

    #later(wait) {
      clearTimeout(this.#timer);
      const spread = 0.75 + Math.random() / 2;
      this.#timer = setTimeout(() => this.flush(), Math.min(wait, LONGEST_WAIT_MS) * spread);
    }

    #forget(entry) {
      this.#store.remove(PLACE + entry.client_key);
    }

    /** Of several answers to one item the oldest goes first and alone: the last one must arrive last. */
    #leave() {
      const going = new Set();
      for (const entry of this.#sendable()) {
        if (!going.has(entry.assignment)) this.#server.postAndLeave(this.#url, payload(entry));
        going.add(entry.assignment);
      }
    }

    #tell() {
      const unsent = this.entries().length;
      const isWaiting = this.#failures > 0 || this.#tried.size > 0 || !this.#sending;
      this.#on.changed(unsent === 0 ? "saved" : isWaiting ? "waiting" : "saving", unsent);
    }
  }

  rating.Outbox = Outbox;
})();
