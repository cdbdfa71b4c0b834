/* The namespace all scripts of the rater's page share, and the strings the template rendered for them. */
(() => {
  "use strict";
  const rating = (window.rating = { kinds: {} });
  const strings = {};
  const wakers = new Set();

  rating.byId = (id) => document.getElementById(id);

  /** Read a JSON block that the template rendered. */
  rating.readJson = (id) => JSON.parse(rating.byId(id).textContent);

  /** Return a translated string with its {placeholders} filled. */
  rating.say = (name, values = {}) =>
    (strings[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

  rating.isRightToLeft = () => document.documentElement.dir === "rtl";

  /** Call `action` whenever waiting may be over: the connection, the page or the invitation is back. Return how to stop. */
  rating.onWake = (action) => {
    wakers.add(action);
    return () => wakers.delete(action);
  };

  rating.wake = () => {
    for (const action of [...wakers]) action();
  };

  addEventListener("online", rating.wake);
  addEventListener("pageshow", rating.wake);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) rating.wake();
  });

  for (const line of document.querySelectorAll("#strings > [data-name]")) strings[line.dataset.name] = line.textContent;
  Object.assign(strings, rating.readJson("config").strings ?? {});
})();
