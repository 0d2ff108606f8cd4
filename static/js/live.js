// Keeps a page's regions fresh over its one websocket, and says so when they are not.
// Rows come as HTML and htmx swaps them by id; orders come as JSON: {"beat": ms}, {"refetch": name}.
(() => {
  "use strict";
  const SILENCE_MS = 12000;
  const RECONNECT_MS = 20000;
  const root = document.documentElement;
  let heard = Date.now();
  let reconnectAt = 0;
  let socket = null;
  let over = ""; // the server has closed the line for good, and this is why

  htmx.config.wsReconnectDelay = (tries) => Math.min(500 * 2 ** tries, 5000) * (0.5 + Math.random() / 2);

  function show(state) {
    if (root.dataset.live === state) return;
    root.dataset.live = state;
    const notice = document.getElementById("live-state");
    if (!notice) return;
    notice.hidden = state !== "lost" && state !== "out";
    notice.textContent = notice.dataset[state] || "";
  }

  function refetch(name) {
    const selector = name ? `[data-region="${CSS.escape(name)}"]` : "[data-region]";
    document.querySelectorAll(selector).forEach((region) => htmx.trigger(region, "refetch"));
  }

  function beat() {
    heard = Date.now();
    if (root.dataset.live === "lost") refetch();
    show("live");
  }

  function watch() {
    const now = Date.now();
    if (over || now - heard <= SILENCE_MS) return;
    if (root.dataset.live !== "lost") reconnectAt = now + RECONNECT_MS;
    show("lost");
    // A link that died without a word stays "open" for minutes: make a new one.
    if (socket && now > reconnectAt) {
      reconnectAt = now + RECONNECT_MS * (0.75 + Math.random() / 2);
      socket.reconnect();
    }
  }

  document.addEventListener("htmx:wsOpen", (event) => { socket = event.detail.socketWrapper; });
  document.addEventListener("htmx:wsClose", (event) => {
    const code = event.detail.event.code;
    if (code < 4400) return;
    socket = null;
    over = code === 4401 ? "out" : "lost";
    show(over);
  });
  document.addEventListener("htmx:wsBeforeMessage", (event) => {
    if (!event.detail.message.startsWith("{")) return;
    event.preventDefault();
    const order = JSON.parse(event.detail.message);
    if (order.beat) beat();
    if (order.refetch) refetch(order.refetch);
  });
  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector("[ws-connect]")) return;
    root.dataset.live = "waiting";
    heard = Date.now();
    setInterval(watch, 1000);
  });
})();
