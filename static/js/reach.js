/* Keep the scale in reach: above the bar at the foot of the page, and above a keyboard on the screen. */
(() => {
  "use strict";
  const { rating } = window;

  rating.keepInReach = () => {
    const { style } = document.body;
    new ResizeObserver(([footer]) => {
      style.setProperty("--footer", `${Math.ceil(footer.borderBoxSize[0].blockSize)}px`);
    }).observe(document.querySelector("footer.bar"));
    if (!window.visualViewport) return;
    const { visualViewport: seen } = window;

    /* Where a keyboard lies over the page instead of making it smaller. Zooming in by hand is no keyboard. */
    function rise() {
      const hidden = seen.scale > 1.01 ? 0 : Math.max(0, Math.round(innerHeight - seen.height - seen.offsetTop));
      style.setProperty("--keyboard", `${hidden}px`);
    }
    seen.addEventListener("resize", rise);
    seen.addEventListener("scroll", rise);
  };
})();
