/* Digits as raters have them: of any script, and on keyboards whose digits need Shift. */
(() => {
  "use strict";
  const { rating } = window;
  const ZEROS = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1b50, 0xa8d0, 0xff10,
  ];

  /** Decimal digits of any script as 0 to 9; everything else stays. */
  rating.westernDigits = (text) =>
    text.replace(/\p{Nd}/gu, (mark) => {
      const code = mark.codePointAt(0);
      const zero = ZEROS.find((first) => code >= first && code < first + 10);
      return zero === undefined ? mark : String(code - zero);
    });

  /** The digit a key stands for, or null: what it writes, or its place in the row of digits (French, Czech …). */
  rating.digitOf = ({ key, code, shiftKey }) => {
    if (/^\p{Nd}$/u.test(key)) return rating.westernDigits(key);
    return !shiftKey && key.length === 1 && /^Digit\d$/.test(code ?? "") ? code.at(-1) : null;
  };

  /** The Latin letter a key stands for, in small, or its sign: also on keyboards of other scripts. */
  rating.letterOf = ({ key, code }) => {
    if (key.length !== 1 || /^[a-z]$/i.test(key)) return key.toLowerCase();
    if (key === "؟") return "?";
    return /^\p{L}$/u.test(key) && /^Key[A-Z]$/.test(code ?? "") ? code.at(-1).toLowerCase() : key;
  };
})();
