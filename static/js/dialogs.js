/* Menu, dialogs, comment box: what opens and closes on the page. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId, say } = rating;

  rating.openDialog = (id) => {
    byId("menu").open = false;
    byId(id).showModal();
    byId(id).scrollTop = 0;
  };

  /** Wire the menu and every button that opens or closes a dialog. */
  rating.listenToDialogs = () => {
    const menu = byId("menu");
    document.addEventListener("click", (event) => {
      const opener = event.target.closest("[data-open]");
      if (opener) rating.openDialog(opener.dataset.open);
      if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
      if (event.target instanceof HTMLDialogElement) event.target.close();
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  };

  /** Change the language on the item shown, not on the first open one. */
  rating.listenToLanguages = ({ url, item }) => {
    const form = byId("language-form");
    form.addEventListener("submit", () => {
      if (item()) form.elements.next.value = url + item();
    });
  };

  /** Send what a rater reports about the item named by `assignment()`. */
  rating.listenToProblems = ({ server, url, assignment }) => {
    const [form, text, status] = [byId("problem-form"), byId("problem-text"), byId("problem-status")];
    const thanks = byId("problem-thanks");
    let isSending = false;
    const showThanks = (isSent) => ([form.hidden, thanks.hidden] = [isSent, !isSent]);
    byId("problem").addEventListener("close", () => {
      status.textContent = "";
      showThanks(false);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      try {
        await server.post(url, { assignment: assignment(), text: text.value });
        text.value = "";
        status.textContent = "";
        showThanks(true);
        thanks.querySelector("button").focus();
      } catch (problem) {
        const { detail, remedy } = problem.body ?? {};
        status.textContent = [detail, remedy].filter(Boolean).join(" ") || say("problem_failed");
      } finally {
        isSending = false;
      }
    });
  };

  class CommentBox {
    #box = byId("comment-box");
    #field = byId("comment");
    #toggle = byId("comment-toggle");

    /** @param onChange called after every change; `onClose` gets the focus back. */
    constructor({ onChange, onClose }) {
      this.#field.addEventListener("input", onChange);
      this.#toggle.addEventListener("click", () => (this.#box.hidden ? this.open() : this.#close(onClose)));
    }

    get value() {
      return this.#field.value;
    }

    /** Show a comment; an empty one keeps the box closed. */
    set value(text) {
      this.#field.value = text;
      this.#show(text !== "");
    }

    open() {
      this.#show(true);
      this.#field.focus();
    }

    /** Why the comment cannot be sent, or null. It is kept as it is: nothing is cut off. */
    fault(most) {
      const n = [...this.value.trim()].length;
      return n > most ? say("comment_long", { n, most }) : null;
    }

    #close(onClose) {
      this.#show(false);
      onClose();
    }

    #show(isOpen) {
      this.#box.hidden = !isOpen;
      this.#toggle.setAttribute("aria-expanded", String(isOpen));
    }
  }

  rating.CommentBox = CommentBox;
})();
