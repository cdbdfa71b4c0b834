/* Show the figures of the recipe that is chosen. Without this script those of the one the page came with stand there. */
(() => {
  "use strict";
  const select = document.querySelector("select[name=recipe]");
  const figures = document.getElementById("figures");
  if (!select || !figures) return;
  const table = document.getElementById("figures-table"), name = document.getElementById("figures-name");
  select.addEventListener("change", async () => {
    const wanted = select.value;
    try {
      const answer = await fetch(`${figures.dataset.url}${encodeURIComponent(wanted)}/?part=figures`, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected || select.value !== wanted) return;
      table.innerHTML = await answer.text(); // rendered and escaped by the server's template
      name.textContent = wanted;
    } catch {
      /* no connection: the old figures stay, under their own name */
    }
  });
})();
