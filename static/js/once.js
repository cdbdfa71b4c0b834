/* A form marked data-once is sent once: a second press while the first is on its way does nothing.
   Files larger than the form takes (data-most-bytes) are refused here, before they travel. */
(() => {
  "use strict";
  for (const form of document.querySelectorAll("form[data-once]")) {
    let sent = false;
    form.addEventListener("submit", (event) => {
      if (sent) {
        event.preventDefault();
        return;
      }
      sent = true;
      form.setAttribute("aria-busy", "true");
    });
    /* Whoever comes back by the browser's button may send again. */
    addEventListener("pageshow", () => {
      sent = false;
      form.removeAttribute("aria-busy");
    });
  }

  for (const form of document.querySelectorAll("form[data-most-bytes]")) {
    for (const input of form.querySelectorAll("input[type=file]")) {
      input.addEventListener("change", () => {
        const largest = Math.max(0, ...[...input.files].map((file) => file.size));
        input.setCustomValidity(largest > Number(form.dataset.mostBytes) ? form.dataset.tooLarge : "");
        input.reportValidity();
      });
    }
  }
})();
