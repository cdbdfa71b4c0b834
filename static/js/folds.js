/* A field in a folded group that the browser refuses opens its group, so that it can be seen and reached. */
(() => {
  "use strict";
  document.addEventListener(
    "invalid",
    (event) => {
      const fold = event.target.closest("details");
      if (fold) fold.open = true;
    },
    true,
  );
})();
