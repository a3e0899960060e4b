// Brings a page's changes in while a crawl runs: on every "changed" event the
// page is asked for again and its main part put in place of the old one. While
// the person uses a control in it, or has typed what was not sent, the change waits.
// What was unfolded stays so.
const script = document.currentScript;
const events = new EventSource(script.dataset.live);
let asking = false, due = false;

const typed = field => field.value !== field.defaultValue;
const inUse = () => document.activeElement?.closest("main form") != null
  || [...document.querySelectorAll("main form :is(textarea, input)")].some(typed);

async function bringIn() {
  due = true;
  if (asking || inUse()) return;
  asking = true;
  while (due && !inUse()) {
    due = false;
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok) break;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of document.querySelectorAll("main details[open][id]")) {
      page.getElementById(part.id)?.setAttribute("open", "");
    }
    document.querySelector("main").replaceWith(page.querySelector("main"));
  }
  asking = false;
}

events.addEventListener("changed", bringIn);
addEventListener("focusout", () => setTimeout(() => due && bringIn()));
