/* Gives Swagger UI its dark colours where the browser asks for dark, and takes them back when it no longer does. */
(() => {
  "use strict";
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
})();
