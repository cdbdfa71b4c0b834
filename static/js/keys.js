/* The keyboard of the whole page: what the question does not take is save, back, comment or help. */
(() => {
  "use strict";
  const { rating } = window;
  const TYPING = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])";
  const ACTING = "a[href], button, summary";

  /** Route keys to `question` and to the actions: those of letters and signs under these, save, previous and undo.
   *  Keys that are characters can be switched off, for speech input; then they work inside the answer only. */
  rating.listenToKeys = (question, actions, store) => {
    const singleKeys = rating.byId("single-keys");
    singleKeys.checked = store.get("single-keys") ?? true;
    singleKeys.addEventListener("change", () => store.set("single-keys", singleKeys.checked));

    function onKey(event) {
      const { key, target } = event;
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const isOurField = target.id === "number";
      const isWithControl = event.ctrlKey || event.metaKey;
      if (key === "Enter" && isWithControl) return act(event, actions.save);
      if (isWithControl && !event.shiftKey && rating.letterOf(event) === "z" && (isOurField || !target.matches(TYPING))) {
        return act(event, actions.undo);
      }
      if (isWithControl || event.altKey) return;
      if (target.matches(TYPING) && !isOurField) {
        if (key === "Escape") act(event, () => question.focus());
        return;
      }
      if (key.length === 1 && !singleKeys.checked && !target.closest("#answer")) return;
      const isElsewhere = target.matches(ACTING);
      if (question.handleKey(event, isElsewhere)) {
        event.preventDefault();
        return;
      }
      if (key === "Enter" && (!isElsewhere || question.takesEnter(target))) act(event, actions.save);
      else if (key === "Backspace" && !question.isEditing(target)) act(event, actions.previous);
      else if (actions.letters[rating.letterOf(event)]) act(event, actions.letters[rating.letterOf(event)]);
    }

    /** Run an action once for a key that is held down. */
    function act(event, action) {
      event.preventDefault();
      if (!event.repeat) action();
    }

    document.addEventListener("keydown", onKey);
  };
})();
