/* A choice between a few answers, each a button with a key of its own. */
(() => {
  "use strict";
  const { rating } = window;

  class ChoiceQuestion {
    #group = rating.byId("choices");
    #onChange;
    #value = null;
    #past = [];

    constructor({ onChange }) {
      this.#onChange = onChange;
      this.#group.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (button === null) return;
        event.preventDefault();
        this.#choose(button);
      });
    }

    /** Show a question with `answers` ({choice}) or, where null, with nothing chosen. */
    show({ name, options }, answers) {
      this.name = name;
      this.#value = answers?.[name] ?? null;
      this.#past = [];
      this.#buttons().forEach((button, place) => {
        const { value, label, key } = options[place];
        button.value = value;
        button.dataset.key = key;
        button.firstChild.textContent = `${label} `;
      });
      this.#draw();
    }

    /** The answers to send, or null when nothing is chosen. */
    answers() {
      return this.#value === null ? null : { [this.name]: this.#value };
    }

    draft() {
      return this.answers();
    }

    /** Why the answer cannot be sent, or null. */
    fault() {
      return this.#value === null ? rating.say("choice_missing") : null;
    }

    /** Take back the last choice; false when there is none. */
    undo() {
      if (this.#past.length === 0) return false;
      this.#value = this.#past.pop();
      this.#draw();
      (this.#buttons().find((one) => one.value === this.#value) ?? this.#group).focus({ preventScroll: true });
      this.#onChange();
      return true;
    }

    reject() {
      this.#buttons()[0].focus();
    }

    /** Focus the group, not a button: Enter must never choose what the rater did not go to. */
    focus() {
      this.#group.focus({ preventScroll: true });
    }

    /** Handle a key of the page; true when it was ours. */
    handleKey(event, isElsewhere) {
      const digit = rating.digitOf(event);
      const button = this.#buttons().find((one) => one.dataset.key === digit) ?? this.#arrowButton(event, isElsewhere);
      if (!button) return false;
      button.focus({ preventScroll: true });
      this.#choose(button);
      return true;
    }

    /** True when Enter on this element means "save": on the group or on what is chosen already. */
    takesEnter(element) {
      return element === this.#group || element.getAttribute("aria-pressed") === "true";
    }

    isEditing() {
      return false;
    }

    #buttons() {
      return [...this.#group.querySelectorAll("button")];
    }

    /** Left and right mean the sides of the screen, whatever the direction of the page. */
    #arrowButton({ key, target }, isElsewhere) {
      if (isElsewhere && !this.#group.contains(target)) return undefined;
      const buttons = this.#buttons();
      const [atLeft, atRight] = rating.isRightToLeft() ? [buttons.at(-1), buttons[0]] : [buttons[0], buttons.at(-1)];
      return { ArrowLeft: atLeft, ArrowRight: atRight, ArrowDown: buttons.find((one) => one.value === "equal") }[key];
    }

    #choose(button) {
      if (this.#value !== button.value) this.#past.push(this.#value);
      this.#value = button.value;
      this.#draw();
      this.#onChange();
    }

    #draw() {
      for (const button of this.#buttons()) button.setAttribute("aria-pressed", String(button.value === this.#value));
    }
  }

  rating.kinds.choice = ChoiceQuestion;
})();
