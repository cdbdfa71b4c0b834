/* Renew the page of a run while it gets on: its parts come from the server and take the place of the old ones.
   Waits longer when nothing changes or nobody answers, and rests while the page is hidden. Without this script
   the page is the same, renewed by reloading. */
(() => {
  "use strict";
  const live = document.getElementById("live");
  const note = document.getElementById("live-note");
  const log = document.getElementById("log");
  if (log) log.scrollTop = log.scrollHeight;
  if (!live || live.dataset.finished !== undefined) return;
  const SHORTEST_MS = 1500, LONGEST_MS = 8000, LOST_MS = 30_000, PATIENCE_MS = 15_000;
  const { url, fresh, lost, out, over } = live.dataset;
  const before = new Map();
  const said = document.getElementById("live-said");
  let words = "", wait = SHORTEST_MS, timer = 0, asking = false, ended = false;

  const say = (text) => {
    note.hidden = false;
    if (note.textContent !== text) note.textContent = text;
  };

  /** Put new contents into a part, and keep what the reader has opened, focused and scrolled there. */
  function renew(part, html) {
    const opened = new Set([...part.querySelectorAll("details[open][data-keep]")].map((one) => one.dataset.keep));
    const log = part.querySelector("#log");
    const following = !log || log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const at = log?.scrollTop ?? 0;
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    const again = held && { value: held.value, href: held.getAttribute("href"), id: held.id, tag: held.tagName };
    part.innerHTML = html; // rendered and escaped by the server's templates; the policy allows no inline script
    for (const one of part.querySelectorAll("details[data-keep]")) one.open = opened.has(one.dataset.keep);
    const now = part.querySelector("#log");
    if (now) now.scrollTop = following ? now.scrollHeight : at;
    if (again) {
      const same = [...part.querySelectorAll(again.tag)].find(
        (one) => one.id === again.id && one.value === again.value && one.getAttribute("href") === again.href,
      );
      (same ?? document.getElementById("main")).focus({ preventScroll: true });
    }
  }

  function take(answer) {
    let changed = false;
    if (words && words !== answer.words) said.textContent = answer.words;
    words = answer.words;
    for (const [name, html] of Object.entries(answer.parts)) {
      const part = document.querySelector(`[data-part="${name}"]`);
      if (!part || before.get(name) === html) continue;
      changed ||= name !== "status"; // its clock goes on whatever the run does
      before.set(name, html);
      renew(part, html);
    }
    if (answer.finished) {
      ended = true;
      say(over);
      return;
    }
    wait = changed ? SHORTEST_MS : Math.min(LONGEST_MS, wait * 1.6);
    say(fresh.replace("{time}", answer.looked));
  }

  async function look() {
    if (asking || ended || document.hidden) return;
    asking = true;
    clearTimeout(timer);
    const patience = new AbortController();
    const limit = setTimeout(() => patience.abort(), PATIENCE_MS);
    try {
      const response = await fetch(url, {
        headers: { Accept: "application/json" }, credentials: "same-origin", cache: "no-store", signal: patience.signal,
      });
      if (response.redirected || response.status === 401 || response.status === 403 || response.status === 404) {
        ended = true;
        say(out);
      } else if (response.ok) {
        take(await response.json());
      } else {
        throw new Error(String(response.status));
      }
    } catch {
      wait = Math.min(LOST_MS, wait * 2);
      say(lost);
    } finally {
      clearTimeout(limit);
      asking = false;
      if (!ended && !document.hidden) timer = setTimeout(look, wait);
    }
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) {
      wait = SHORTEST_MS;
      look();
    }
  });
  addEventListener("online", look);
  look();
})();
