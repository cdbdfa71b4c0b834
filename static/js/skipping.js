/* Pass an item over, where the campaign allows it: ask once, tell the server, go on. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId, say } = rating;

  /** Wire the dialog. `assignment()` names the item shown; `onSkipped(assignment, reply)` goes on. */
  rating.listenToSkipping = ({ server, url, assignment, onSkipped }) => {
    const [dialog, form, reason, status] = ["skip", "skip-form", "skip-reason", "skip-status"].map(byId);
    let isSending = false;
    dialog.addEventListener("close", () => (status.textContent = ""));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      const skipped = assignment();
      try {
        const reply = await server.post(url, { assignment: skipped, reason: reason.value.trim() });
        reason.value = "";
        dialog.close();
        onSkipped(skipped, reply);
      } catch (problem) {
        if (!(problem instanceof rating.Problem)) throw problem;
        const { detail, remedy } = problem.body;
        status.textContent = [detail, remedy].filter(Boolean).join(" ") || say("skip_failed");
      } finally {
        isSending = false;
      }
    });
  };
})();
