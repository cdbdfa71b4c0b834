/* Draw the text boxes of a screen. Texts are set as text, never as markup; each box carries its own language. */
(() => {
  "use strict";

  function textBox({ label, lang, dir, text }) {
    const box = document.createElement("section");
    box.className = "text";
    box.lang = lang;
    box.dir = dir;
    const heading = document.createElement("h2");
    heading.lang = document.documentElement.lang;
    heading.dir = document.documentElement.dir;
    heading.textContent = label;
    const body = document.createElement("p");
    body.textContent = text;
    box.append(heading, body);
    return box;
  }

  /** Replace the boxes by those of `screen`: context first, then the candidates. */
  window.rating.drawTexts = (place, screen) =>
    place.replaceChildren(...[...screen.context, ...screen.candidates].map(textBox));
})();
