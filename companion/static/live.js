// Brings a page's changes in while a crawl runs: on every "changed" event the
// page is asked for again and its main part put in place of the old one,
// unless the person is just using a control in it.
const script = document.currentScript;
const events = new EventSource(script.dataset.live);
let asking = false;
events.addEventListener("changed", async () => {
  const busy = document.activeElement?.closest("main form");
  if (asking || busy) return;
  asking = true;
  try {
    const response = await fetch(location.href);
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.querySelector("main").replaceWith(page.querySelector("main"));
  } finally {
    asking = false;
  }
});
