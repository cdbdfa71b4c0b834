/* Characters that cannot be seen, made visible on request. A mark is drawn by CSS beside its character, which stays
   where it is: copies and screen readers get the text alone, and nothing moves. */
(() => {
  "use strict";
  const { rating } = window;

  /* Each kind with the sign drawn for it; two blanks in a row, and those at an end, count as invisible. */
  const KINDS = [
    ["nbsp", "⍽", /\u00a0|\u202f/],
    ["tab", "→", /\t/],
    ["newline", "↵", /[\n\u2028\u2029\u0085]/],
    ["blanks", "·", / {2,}|^ +| +$/],
    ["space", "␣", /[\u1680\u2000-\u200a\u205f\u3000]/],
    ["soft", "¬", /\u00ad/],
    ["zero", "|", /[\u200b-\u200d\u2060\ufeff\u180e\u034f]/],
    ["direction", "⇄", /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/],
    // eslint-disable-next-line no-control-regex
    ["control", "�", /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f]/],
  ];
  const ANY = new RegExp(KINDS.map(([name, , pattern]) => `(?<${name}>${pattern.source})`).join("|"), "gu");
  const SIGNS = Object.fromEntries(KINDS.map(([name, sign]) => [name, sign]));

  function mark(character, kind) {
    const span = document.createElement("span");
    span.className = `mark ${kind}`;
    span.dataset.sign = SIGNS[kind];
    span.textContent = character;
    return span;
  }

  /** Return text as nodes, with its invisible characters marked; `found` collects the kinds, each with its code points. */
  rating.markInvisible = (text, found) => {
    const nodes = [];
    let end = 0;
    for (const match of text.matchAll(ANY)) {
      const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
      nodes.push(text.slice(end, match.index), ...[...match[0]].map((character) => mark(character, kind)));
      end = match.index + match[0].length;
      if (!found.has(kind)) found.set(kind, new Set());
      for (const character of match[0]) found.get(kind).add(codePoint(character));
    }
    return [...nodes, text.slice(end)].filter((node) => node !== "");
  };

  function codePoint(character) {
    return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  }

  /** Say which kinds were found, each as "⍽ no-break space (U+00A0)". */
  rating.legendOf = (found) => {
    if (found.size === 0) return [rating.say("marks_none")];
    return [...found].map(([kind, points]) => {
      const [line, sign] = [document.createElement("span"), document.createElement("b")];
      sign.textContent = SIGNS[kind];
      line.append(sign, ` ${rating.say(`mark_${kind}`)} (${[...points].join(", ")})`);
      return line;
    });
  };
})();
