/* A score on a scale: a track and a number that show the same value. Unset is a state of its own. */
(() => {
  "use strict";
  const { rating } = window;
  const FRESH_NUMBER_MS = 1_200;
  /* How long a change of one kind goes on after the last: a drag till its end, a jump not at all. */
  const RUN_MS = { typing: FRESH_NUMBER_MS, arrows: 1_000, jump: 0 };
  const DRAG_PX = 6;
  const LONGEST = 5;
  class ScaleQuestion {
    #track = rating.byId("track");
    #number = rating.byId("number");
    #onChange;
    #low = 1;
    #high = 100;
    #typedAt = -Infinity;
    #hint;
    #past = [];
    #last = "";
    #run = { kind: "", at: -Infinity };

    /** @param onChange called after every change by the rater; `hint` shows a short message. */
    constructor({ onChange, hint }) {
      this.#onChange = onChange;
      this.#hint = hint;
      this.#number.addEventListener("input", () => this.#typed());
      this.#number.addEventListener("blur", () => (this.#typedAt = -Infinity));
      this.#listenToPointer();
    }

    /** Show a question with `answers` ({score}) or, where null, with nothing set. */
    show({ low, high, name }, answers) {
      this.#low = low;
      this.#high = high;
      this.name = name;
      this.#number.value = answers?.[name] ?? "";
      this.#past = [];
      this.#settle();
    }

    /** The answers to send, or null when there is no valid value. */
    answers() {
      const value = this.#value();
      return value === null ? null : { [this.name]: value };
    }

    /** What was typed, valid or not, to be restored by `show`. */
    draft() {
      return this.#text() === "" ? null : { [this.name]: this.#number.value };
    }

    /** Why the value cannot be sent, or null. */
    fault() {
      const text = this.#text();
      const values = { text, low: this.#low, high: this.#high };
      if (text === "") return rating.say("score_missing", values);
      if (!/^\d+$/.test(text)) return rating.say("score_number", values);
      return this.#value() === null ? rating.say("score_range", values) : null;
    }

    /** Take back the last change, also to nothing set; false when there is none. */
    undo() {
      if (this.#past.length === 0) return false;
      this.#number.value = this.#past.pop();
      this.#settle();
      this.#onChange();
      return true;
    }

    /** Mark the number as faulty and go there. */
    reject() {
      this.#number.setAttribute("aria-invalid", "true");
      this.#number.focus();
      this.#number.select();
    }

    /** Put the focus where the next key is useful, without opening a phone's keyboard. */
    focus() {
      const onTouch = matchMedia("(pointer: coarse)").matches;
      (onTouch || this.#text() !== "" ? this.#track : this.#number).focus({ preventScroll: true });
    }

    /** Handle a key of the page; true when it was ours. */
    handleKey(event, isElsewhere) {
      const { key, target } = event;
      const digit = rating.digitOf(event);
      if (digit !== null) return this.#digit(digit, target);
      const isOurs = target === this.#number || target === this.#track;
      if (target === this.#number && key === " ") {
        scrollBy({ top: (event.shiftKey ? -0.85 : 0.85) * this.#readable() });
        return true;
      }
      if (isElsewhere && !isOurs) return false;
      const sideways = key === "ArrowLeft" || key === "ArrowRight";
      if (!isOurs && !sideways) return false;
      const step = this.#stepOf(key, event.shiftKey);
      if (step === null) return false;
      if (step.to !== undefined) this.#choose(step.to, "jump");
      else this.#move(step.by);
      return true;
    }

    /** True when Enter on this element means "save". */
    takesEnter(element) {
      return element === this.#number || element === this.#track;
    }

    /** True when Backspace on this element edits a value. */
    isEditing(element) {
      return element === this.#number && this.#number.value !== "";
    }

    #stepOf(key, isShifted) {
      const size = isShifted ? 10 : 1;
      const rightwards = rating.isRightToLeft() ? -size : size;
      const steps = {
        ArrowRight: { by: rightwards }, ArrowLeft: { by: -rightwards }, ArrowUp: { by: size }, ArrowDown: { by: -size },
        PageUp: { by: 10 }, PageDown: { by: -10 }, Home: { to: this.#low }, End: { to: this.#high },
      };
      return steps[key] ?? null;
    }

    /** The height in which texts can be read, above the answer where that stays at the edge. */
    #readable() {
      const { top } = this.#track.getBoundingClientRect();
      return top > innerHeight / 3 && top < innerHeight ? top : innerHeight;
    }

    #move(by) {
      const value = this.#value();
      if (value === null) {
        this.#hint(rating.say("score_hint"));
        this.#number.focus({ preventScroll: true });
        return;
      }
      this.#choose(Math.min(this.#high, Math.max(this.#low, value + by)), "arrows");
    }

    /** A digit goes on with the number being typed, or begins a new one after a pause. */
    #digit(key, target) {
      const text = this.#number.value;
      const isAtEnd = this.#number.selectionStart === text.length;
      if (target === this.#number && text !== "" && (!isAtEnd || !/^\d+$/.test(text))) return false;
      const isFresh = performance.now() - this.#typedAt > FRESH_NUMBER_MS;
      this.#number.focus({ preventScroll: true });
      this.#number.value = (isFresh ? "" : text.slice(0, LONGEST)) + rating.westernDigits(key);
      this.#typed();
      return true;
    }

    #typed() {
      this.#typedAt = performance.now();
      const plain = rating.westernDigits(this.#number.value);
      if (plain !== this.#number.value) this.#number.value = plain;
      this.#changed("typing");
    }

    #choose(value, kind) {
      this.#number.value = String(value);
      this.#typedAt = -Infinity;
      this.#changed(kind);
    }

    /** Draw a change and remember what was before it. A run of one kind is one change: a number typed, a drag,
     *  arrows with less than a second between them; after a pause the next one is a change of its own. */
    #changed(kind) {
      const now = performance.now();
      const goesOn = kind === this.#run.kind && now - this.#run.at < (RUN_MS[kind] ?? Infinity);
      if (!goesOn && this.#number.value !== this.#last) this.#past.push(this.#last);
      this.#run = { kind, at: now };
      this.#last = this.#number.value;
      this.#draw();
      this.#onChange();
    }

    /** Draw what the number says, as the beginning of what can be taken back. */
    #settle() {
      this.#last = this.#number.value;
      this.#run = { kind: "", at: -Infinity };
      this.#typedAt = -Infinity;
      this.#draw();
    }

    #text() {
      return rating.westernDigits(this.#number.value).trim();
    }

    #value() {
      const text = this.#text();
      const value = Number(text);
      return /^\d+$/.test(text) && value >= this.#low && value <= this.#high ? value : null;
    }

    #draw() {
      const value = this.#value();
      const share = value === null ? 0 : (100 * (value - this.#low)) / (this.#high - this.#low);
      this.#track.style.setProperty("--value", share.toFixed(2));
      this.#track.style.setProperty("--set", value === null ? "0" : "1");
      this.#number.removeAttribute("aria-invalid");
      this.#track.setAttribute("aria-valuemin", this.#low);
      this.#track.setAttribute("aria-valuemax", this.#high);
      if (value === null) {
        this.#track.removeAttribute("aria-valuenow");
        this.#track.setAttribute("aria-valuetext", rating.say("score_not_set"));
      } else {
        this.#track.setAttribute("aria-valuenow", value);
        this.#track.removeAttribute("aria-valuetext");
      }
    }

    /** The value under a point of the track, counted from the side where the page begins. */
    #valueAt(clientX) {
      const box = this.#track.getBoundingClientRect();
      const fromLeft = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
      const share = rating.isRightToLeft() ? 1 - fromLeft : fromLeft;
      return Math.round(this.#low + share * (this.#high - this.#low));
    }

    /** Mouse and pen set at once; a finger sets when lifted or moved sideways, so that scrolling sets nothing. */
    #listenToPointer() {
      let start = null;
      let drags = 0;
      const set = (event) => this.#choose(this.#valueAt(event.clientX), `drag ${drags}`);
      this.#track.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        drags += 1;
        start = { x: event.clientX, isDragging: event.pointerType !== "touch" };
        this.#track.setPointerCapture(event.pointerId);
        if (start.isDragging) set(event);
      });
      this.#track.addEventListener("pointermove", (event) => {
        if (start === null) return;
        start.isDragging ||= Math.abs(event.clientX - start.x) > DRAG_PX;
        if (start.isDragging) set(event);
      });
      this.#track.addEventListener("pointerup", (event) => {
        if (start !== null) set(event);
        start = null;
      });
      this.#track.addEventListener("pointercancel", () => (start = null));
    }
  }

  rating.kinds.scale = ScaleQuestion;
})();
