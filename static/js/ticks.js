// Counts every clock and age on the page on, from the server's time (data-now), not the device's.
(() => {
  "use strict";
  const body = document.body;
  const words = JSON.parse(body.dataset.tickWords || "{}");
  const offset = Number(body.dataset.now) - Date.now();
  const MINUTE = 60, HOUR = 3600, DAY = 86400;
  const fill = (text, places) => text.replace(/%\((\w+)\)d/g, (_all, name) => places[name]);
  const two = (n) => String(n).padStart(2, "0");

  const say = {
    clock(s) {
      if (s >= 2 * DAY) {
        return fill(words.dh, { days: Math.floor(s / DAY), hours: Math.floor((s % DAY) / HOUR) });
      }
      const h = Math.floor(s / HOUR), m = Math.floor((s % HOUR) / MINUTE);
      return h ? `${h}:${two(m)}:${two(s % MINUTE)}` : `${two(m)}:${two(s % MINUTE)}`;
    },
    ago(s) {
      if (s < MINUTE) return fill(words.s, { n: s });
      if (s < HOUR) return fill(words.min, { n: Math.floor(s / MINUTE) });
      if (s < 2 * DAY) return fill(words.h, { n: Math.floor(s / HOUR) });
      return fill(words.d, { n: Math.floor(s / DAY) });
    },
  };

  const tick = () => {
    const now = Date.now() + offset;
    for (const element of document.querySelectorAll("time[data-tick]")) {
      const since = Number(element.dataset.since);
      const down = element.dataset.tick === "left" && now < since;
      const seconds = Math.max(0, Math.floor((down ? since - now : now - since) / 1000));
      if (element.dataset.tick === "left") element.classList.toggle("late", !down);
      const text = element.dataset.tick === "left"
        ? (down ? "" : "\u2212") + say.clock(seconds)
        : say[element.dataset.tick](seconds);
      if (element.textContent !== text) element.textContent = text;
    }
  };

  tick();
  setInterval(tick, 1000);
  document.addEventListener("htmx:afterSettle", tick);
  document.addEventListener("htmx:wsAfterMessage", tick);
})();
