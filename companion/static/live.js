// Brings a page's changes in while a crawl runs: on every "changed" event the
// page is asked for again and its main part put in place of the old one. While
// the person uses a control in it, the change waits.
const script = document.currentScript;
const events = new EventSource(script.dataset.live);
let asking = false, due = false;

const inUse = () => document.activeElement?.closest("main form") != null;

async function bringIn() {
  due = true;
  if (asking || inUse()) return;
  asking = true;
  while (due && !inUse()) {
    due = false;
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok) break;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.querySelector("main").replaceWith(page.querySelector("main"));
  }
  asking = false;
}

events.addEventListener("changed", bringIn);
addEventListener("focusout", () => setTimeout(() => due && bringIn()));
