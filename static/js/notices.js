/* What the page says beside its texts: in the place of the form, under the scale, aloud, and when something is wrong. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId, say } = rating;

  /** Put a message in the place of the form: loading, offline, sending, or nothing at all (stopped); null for the form. */
  rating.showPanel = (name) => {
    byId("answer-form").hidden = name !== null;
    byId("next").disabled = name !== null;
    byId("hints").hidden = name !== null;
    for (const button of document.querySelectorAll("#comment-toggle, #skip-open, #problem-open")) button.disabled = name !== null;
    byId("waiting").hidden = name === null || name === "stopped";
    byId("waiting-title").textContent = name === null ? "" : say(`${name}_title`);
    byId("waiting-detail").textContent = name === null ? "" : say(`${name}_detail`);
  };

  /** Say something to who listens to the page. */
  rating.announce = (text) => (byId("announce").textContent = text);

  /** Say under the answer why it does not go on. */
  rating.setFault = (text) => (byId("message").textContent = text);

  /** Say what is wrong; `show` leads to the item of an answer that was refused. */
  rating.showTrouble = (problem, show) => {
    const { title, detail, remedy, login_url: link } = problem.body;
    const isLost = problem.session && !detail;
    byId("trouble").dataset.kind = show ? "refused" : problem.late ? "late" : "held";
    byId("trouble-title").textContent = title ?? say(problem.session ? "session_title" : "refused_title");
    byId("trouble-detail").textContent = isLost ? say("session_detail") : [detail, remedy].filter(Boolean).join(" ");
    byId("trouble-link").hidden = !link;
    if (link) byId("trouble-link").href = link;
    byId("trouble-show").hidden = !show;
    byId("trouble-show").onclick = () => {
      byId("trouble").hidden = true;
      show();
    };
    byId("trouble").hidden = false;
  };

  /** Resolve after a while, or as soon as the connection or the invitation is back. */
  rating.pause = (wait) =>
    new Promise((resolve) => {
      const stop = rating.onWake(done);
      const timer = setTimeout(done, wait);
      function done() {
        stop();
        clearTimeout(timer);
        resolve();
      }
    });
})();
