// Starts the popup, the panel or the welcome page: the Rust side fills their templates.
import { count, fillPage, text } from "./texts.js";
import init, { show_panel, show_popup, show_welcome } from "../pkg/linkscent.js";

const MOST_VISITED = 5000;
const EVERYWHERE = { origins: ["http://*/*", "https://*/*"] };

async function currentTab() {
  const named = new URLSearchParams(location.search).get("tab");
  if (named) return Number(named);
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab?.id ?? -1;
}

// Browsers take a request for a permission only while a press is being handled, so it is made
// before the Rust side hears of the press. Whether it was granted.
let asked = null;
const REQUESTS = {
  "allow": () => chrome.permissions.request(EVERYWHERE),
  "read": () => chrome.permissions.request(EVERYWHERE),
  "bookmarks": () => chrome.permissions.request({ permissions: ["bookmarks"] }),
  "history": () => chrome.permissions.request({ permissions: ["history"] }),
  "pair": askToTell,
  "tell-on": () => chrome.permissions.request({ permissions: ["notifications"] }),
};

document.addEventListener("click", ({ target }) => (asked = (REQUESTS[target.id] ?? REQUESTS[target.dataset?.allow])?.() ?? asked), true);

// Firefox asks before anything of what is read leaves the browser, also for a program beside it.
function askToTell() {
  const { optional } = chrome.runtime.getManifest().browser_specific_settings?.gecko?.data_collection_permissions ?? {};
  return optional ? browser.permissions.request({ data_collection: optional }) : Promise.resolve(true);
}

const tools = {
  text,
  count,
  currentTab,
  shown: (tab) => chrome.tabs.sendMessage(tab, { kind: "shown" }, { frameId: 0 }).catch(() => null),
  go: (tab, url) => chrome.tabs.update(tab, { url }),
  reach: (tab, number) => chrome.tabs.sendMessage(tab, { kind: "reach", number }, { frameId: 0 }).catch(() => null),
  rest: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ask: (message) => chrome.runtime.sendMessage(message),
  mayRead: () => chrome.permissions.contains(EVERYWHERE),
  askToRead: () => asked,
  askToTell: () => asked,
  askToNotify: () => asked,
  async bookmarks() {
    const flat = (node) => [...(node.url ? [[node.url, node.title ?? ""]] : []), ...(node.children ?? []).flatMap(flat)];
    return (await chrome.bookmarks.getTree()).flatMap(flat);
  },
  async history() {
    const pages = await chrome.history.search({ text: "", startTime: 0, maxResults: MOST_VISITED });
    return pages.map(({ url, title }) => [url, title ?? ""]);
  },
  save(name, text) {
    const file = document.createElement("a");
    file.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    file.download = name;
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 60000);
  },
  openDashboard: (link) => chrome.tabs.create({ url: link }),
  openPanel: () => chrome.tabs.create({ url: chrome.runtime.getURL("pages/panel.html") }),
};

// Browsers open their side panels only while a press is being handled.
document.addEventListener("click", async (event) => {
  if (event.target.id !== "open-side") return;
  const { sidePanel } = chrome;
  if (sidePanel) await sidePanel.open({ tabId: await tab });
  else await browser.sidebarAction.open();
});

// Enter in a field does what the button beside it does.
document.addEventListener("keydown", (event) => {
  const button = event.key === "Enter" && !event.isComposing && event.target.dataset?.enter;
  if (button) document.getElementById(button)?.click();
});

fillPage();
const tab = currentTab();

await init({ module_or_path: chrome.runtime.getURL("pkg/linkscent_bg.wasm") });
const screens = { panel: show_panel, popup: show_popup, welcome: show_welcome };
await screens[document.body.dataset.page](document.querySelector("main"), tools, await tab);
