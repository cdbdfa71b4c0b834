/* Draw the texts of a screen. They are set as text, never as markup; each box carries its own language. */
(() => {
  "use strict";
  const { rating } = window;

  function textBox({ label, lang, dir, text }, fill) {
    const box = document.createElement("section");
    box.className = "text";
    Object.assign(box, { lang, dir });
    box.append(named("h2", label), filled(text, fill));
    return box;
  }

  /** What stands around the segment: greyed, and folded away by who does not want it. */
  function nearBox(near, side, view) {
    const box = document.createElement("details");
    box.className = `near ${side}`;
    Object.assign(box, { lang: near.lang, dir: near.dir, open: view.hasContext });
    box.append(named("summary", near.label), filled(near.text, (text) => [text]));
    box.addEventListener("toggle", () => view.keepContext(box.open));
    return box;
  }

  /** A heading in the language of the page. */
  function named(tag, label) {
    const heading = document.createElement(tag);
    heading.textContent = label;
    heading.lang = document.documentElement.lang;
    heading.dir = document.documentElement.dir;
    return heading;
  }

  function filled(text, fill) {
    const body = document.createElement("p");
    body.append(...fill(text));
    return body;
  }

  /** Replace the boxes by those of `screen`: what stands before, context, candidates, what stands after. */
  rating.drawTexts = (place, screen, view) => {
    const found = new Map();
    const fill = (text) => (view.hasMarks ? rating.markInvisible(text, found) : [text]);
    const texts = [...screen.context, ...screen.candidates].map((text) => textBox(text, fill));
    const before = screen.before ? [nearBox(screen.before, "before", view)] : [];
    const after = screen.after ? [nearBox(screen.after, "after", view)] : [];
    place.replaceChildren(...before, ...texts, ...after);
    view.showLegend(found);
  };
})();
