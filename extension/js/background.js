// The background: hands messages to the Rust side one at a time and passes the
// answers on. Keeps nothing of its own; it may be stopped at any moment.
import * as first from "../pkg/linkscent.js?1";
import * as second from "../pkg/linkscent.js?2";
import * as third from "../pkg/linkscent.js?3";
import { Failed, inModule } from "./module.js";
import { failedAt, unread, watch } from "./unread.js";

const LONGEST = 25000; // milliseconds that a page may take
const EVERYWHERE = { origins: ["http://*/*", "https://*/*"] };
const SCRIPT = { id: "content", js: ["js/content.js"], runAt: "document_idle" };

async function start(module) {
  await module.default({ module_or_path: chrome.runtime.getURL("pkg/linkscent_bg.wasm") });
  return module.Linkscent.open();
}

const inTurn = inModule([first, second, third], start, () => chrome.runtime.reload());

watch();

async function tellTab(tab, kind) {
  try {
    await chrome.tabs.sendMessage(tab, { kind });
  } catch {
    // There is no such tab, or nothing is read in it.
  }
}

const refresh = (tab) => tellTab(tab, "refresh");

// A page that hangs must not hold up the others. Either the page, or why it is not read.
async function snapshot(tab) {
  const late = new Promise((resolve) => setTimeout(resolve, 2000, null));
  const asked = chrome.tabs.sendMessage(tab, { kind: "snapshot" }).catch(() => null);
  return (await Promise.race([asked, late])) ?? { page: null, refused: null };
}

async function pageOf(tab) {
  const { page, refused } = await snapshot(tab);
  if (!page) throw new Error(refused ? `This page is not read: ${refused}.` : "There is nothing to read here.");
  return page;
}

async function count(tab, view) {
  const text = view?.most ? String(view.most) : "";
  await chrome.action.setBadgeText({ tabId: tab, text }).catch(() => {});
}

// What is new goes to the companion when the answers so far are out.
function syncSoon() {
  inTurn((linkscent) => linkscent.sync()).catch(() => {});
}

// Who may send what. Pages (their content scripts, and whoever breaks into one) ask
// whether they are to be read, send what they show and what was followed, no more;
// everything else comes from the extension's own pages.
const fromPages = {
  async may_read(linkscent, { loaded }, { url }) {
    return { refused: (await unread(url, loaded)) ?? (await linkscent.refusal(url)) };
  },
  async page(linkscent, { page, started, loaded }, { tab, url }) {
    if (!isOf(page, url) || (await unread(url, loaded))) return null;
    const { view, followed } = await linkscent.read(page, tab.id, started, Date.now());
    await count(tab.id, view);
    if (followed) syncSoon();
    return view;
  },
  async followed(linkscent, { page, place, newTab, loaded }, { tab, url }) {
    if (!isOf(page, url) || (await unread(url, loaded))) return false;
    return linkscent.followed(page, place, tab.id, newTab, Date.now());
  },
};

const fromOwnPages = {
  async state(linkscent, { tab }) {
    const { page, refused } = await snapshot(tab);
    return linkscent.state(page, refused ?? undefined, Date.now());
  },
  async mark(linkscent, { tab, target }) {
    await linkscent.mark(await pageOf(tab), target, Date.now());
    await refresh(tab);
  },
  async mark_form(linkscent, { tab, form, wanted }) {
    await linkscent.mark_form(await pageOf(tab), form, wanted, Date.now());
  },
  async answer(linkscent, { tab, crawl, page, answer }) {
    await linkscent.answer(crawl, page, answer, Date.now());
    await refresh(tab);
  },
  async topic(linkscent, { tab, name }) {
    await linkscent.choose_topic(name);
    await refresh(tab);
  },
  async pause(linkscent, { tab, on }) {
    await linkscent.pause(await pageOf(tab), on);
    await refresh(tab);
  },
  trails: (linkscent) => linkscent.trails(),
  forget: (linkscent, { id }) => linkscent.forget(id),
  async forget_page(linkscent, { tab, address }) {
    await tellTab(tab, "forgotten");
    await linkscent.forget_page(address);
  },
  excluded: (linkscent) => linkscent.excluded(),
  exclude: (linkscent, { patterns }) => linkscent.exclude(patterns ?? undefined),
  pair: (linkscent, { port, code }) => linkscent.pair(port, code),
  unpair: (linkscent) => linkscent.unpair(),
  sync: (linkscent) => linkscent.sync(),
  dashboard: (linkscent) => linkscent.dashboard(),
  hand_over: (linkscent, { budget, seeds }) => linkscent.hand_over(budget, seeds),
};

// After these there is something to tell the companion.
const TELLING = new Set(["mark", "answer", "forget", "forget_page"]);

// Whether a snapshot is one of the page that its sender shows.
function isOf(page, url) {
  try {
    return new URL(page.url).origin === new URL(url).origin;
  } catch {
    return false;
  }
}

function workFor(kind, sender) {
  if (sender.id !== chrome.runtime.id || !sender.url) return null;
  const isOwn = sender.url.startsWith(chrome.runtime.getURL(""));
  const works = isOwn ? fromOwnPages : fromPages;
  if (!Object.hasOwn(works, kind)) return null;
  return isOwn || (sender.tab && sender.frameId === 0) ? works[kind] : null;
}

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const kind = message?.kind;
  const work = workFor(kind, sender);
  if (!work) {
    answer({ error: "This message is not taken from here." });
    return false;
  }
  inTurn((linkscent) => work(linkscent, message, sender), kind in fromPages ? LONGEST : 0).then(
    (value) => answer(value ?? null),
    async (error) => {
      if (error instanceof Failed && kind in fromPages) await failedAt(sender.url);
      answer({ error: String(error?.message ?? error) });
    },
  );
  if (TELLING.has(kind)) syncSoon();
  return true;
});

// Registered scripts outlive an update of the extension, so they are registered again.
async function register() {
  if (!(await chrome.permissions.contains(EVERYWHERE))) return;
  const script = { ...SCRIPT, matches: EVERYWHERE.origins };
  const known = await chrome.scripting.getRegisteredContentScripts({ ids: [SCRIPT.id] });
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: [SCRIPT.id] });
  await chrome.scripting.registerContentScripts([script]);
}

// A build for a scratch profile may bring a fresh pairing code along.
async function pairAtOnce(linkscent) {
  const given = await fetch(chrome.runtime.getURL("pairing.json")).catch(() => null);
  if (!given?.ok) return;
  const { port, code } = await given.json();
  await linkscent.pair(port, code);
}

let registering = Promise.resolve();

function registerInTurn() {
  registering = registering.then(register).catch(() => {});
}

chrome.runtime.onInstalled.addListener(() => {
  registerInTurn();
  inTurn(pairAtOnce).catch(() => {});
});
chrome.runtime.onStartup.addListener(registerInTurn);
chrome.permissions.onAdded.addListener(registerInTurn);
