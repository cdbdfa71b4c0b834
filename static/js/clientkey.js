/* A fresh random key for an answer: 128 bits, URL-safe, also where crypto.randomUUID is missing (plain http). */
(() => {
  "use strict";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  window.rating.newClientKey = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => LETTERS[byte & 63]).join("");
})();
