/* The last page: send what is still on this device, and say what could not be sent and why. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId, say } = rating;

  const config = rating.readJson("config");
  const store = new rating.Store(`rating:${config.owner}:${config.urls.answers}:`);
  const outbox = new rating.Outbox({
    store, server: new rating.Server(config), url: config.urls.answers,
    on: { changed: show, saved: () => (isSaved = true), refused: onRefused, held: onHeld },
  });
  let isSaved = false;
  let why = null;

  function onHeld(problem) {
    why = problem;
  }

  /** The server will never take it: keep it as a draft, for when its item is opened again. */
  function onRefused(problem, entry) {
    store.set(`draft:${entry.assignment}`, { answers: entry.answers, comment: entry.comment });
    why = problem;
  }

  function show(state, unsent) {
    if (state === "saving") return;
    if (unsent === 0 && why === null) {
      if (isSaved) location.reload(); /* the page counts them */
      return;
    }
    const title = unsent ? say("unsent_title", { n: unsent }) : say("refused_title");
    if (byId("unsent-title").textContent !== title) byId("unsent-title").textContent = title;
    byId("unsent-detail").textContent = reason();
    byId("unsent").hidden = false;
  }

  function reason() {
    if (why?.closed) return say("closed_detail");
    if (why === null || why.passing) return say("unsent_detail");
    const { detail, remedy } = why.body;
    return detail ? `${detail} ${remedy ?? ""}`.trim() : say("session_detail");
  }

  byId("unsent-again").addEventListener("click", () => location.reload());
  outbox.flush();
})();
