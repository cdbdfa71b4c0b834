/* Talk JSON to the server; every failure becomes a Problem with a status (0: no connection). */
(() => {
  "use strict";
  const { rating } = window;
  const PATIENCE_MS = 20_000;

  class Problem extends Error {
    constructor(status, body = {}) {
      super(body.title ?? `status ${status}`);
      this.status = status;
      this.body = body;
    }

    /** True when trying again later may help. */
    get passing() {
      return this.status === 0 || this.status >= 500 || [408, 425, 429].includes(this.status);
    }

    /** True when the answer came too late for its item: the server keeps it beside the others, and asks no more. */
    get late() {
      return this.body.code === "late";
    }

    /** True when the whole campaign has closed. */
    get closed() {
      return this.body.code === "closed";
    }

    /** True when the server no longer knows who this is. */
    get session() {
      return this.status === 401 || this.status === 403;
    }
  }

  /** Ask the server. A connection that died without a word (a closed laptop) is given up after a while. */
  async function request(url, options) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
    let response, isJson, body = {};
    try {
      response = await fetch(url, { credentials: "same-origin", cache: "no-store", signal: patience.signal, ...options });
      isJson = (response.headers.get("Content-Type") ?? "").includes("json");
      if (isJson) body = await response.json();
    } catch {
      throw new Problem(0);
    } finally {
      clearTimeout(timer);
    }
    if (!response.ok) throw new Problem(response.status, body);
    if (!isJson) throw new Problem(401, { login_url: response.redirected ? response.url : undefined });
    return body;
  }

  class Server {
    #csrf;
    #owner;

    constructor({ csrf, owner }) {
      this.#csrf = csrf;
      this.#owner = owner;
    }

    get(url, parameters = {}) {
      const whole = new URL(url, location.href);
      for (const [name, value] of Object.entries(parameters)) whole.searchParams.set(name, value);
      return request(whole, { headers: { Accept: "application/json", ...this.#who() } });
    }

    /** Post JSON. A token that grew stale (signed in again in another tab) is renewed once. */
    async post(url, body) {
      try {
        return await request(url, this.#options(body));
      } catch (problem) {
        if (problem.status !== 403) throw problem;
        await this.#renewToken(problem);
        return request(url, this.#options(body));
      }
    }

    /** Post without waiting, so that it outlives the page. */
    postAndLeave(url, body) {
      fetch(url, { ...this.#options(body), keepalive: true, credentials: "same-origin" }).catch(() => {});
    }

    #options(body) {
      const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": this.#csrf };
      return { method: "POST", headers: { ...headers, ...this.#who() }, body: JSON.stringify(body) };
    }

    /** Whose page this is, so that nothing is taken for somebody who opened their invitation here meanwhile. */
    #who() {
      return { "X-Rating-Owner": this.#owner };
    }

    /** Read the token of this page anew, or throw: `problem`, or that nobody is signed in any more. */
    async #renewToken(problem) {
      let page, config;
      try {
        page = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
        config = JSON.parse(new DOMParser().parseFromString(await page.text(), "text/html").getElementById("config").textContent);
      } catch {
        throw page?.status === 401 ? new Problem(401) : problem;
      }
      if (!page.ok || config.owner !== this.#owner) throw problem;
      this.#csrf = config.csrf;
    }
  }

  Object.assign(rating, { Problem, Server });
})();
