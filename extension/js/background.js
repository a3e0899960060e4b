// The background: hands messages to the Rust side one at a time, with what the browser
// says of their sender, and passes the answers on. Decides nothing and keeps nothing of
// its own; it may be stopped at any moment.
import * as first from "../pkg/linkscent.js?1";
import * as second from "../pkg/linkscent.js?2";
import * as third from "../pkg/linkscent.js?3";
import { dropDeleted } from "./dropping.js";
import { Failed, inModule } from "./module.js";
import { isOurs, lookThrough } from "./looking.js";
import { listen } from "./menus.js";
import { count, text } from "./texts.js";
import { failedAt, unread, watch } from "./unread.js";

const LONGEST = 25000; // milliseconds that a page may take
const LONGEST_OWN = 180000; // and a request of popup or panel, which may call the companion
const LONGEST_TAB = 2000; // and a tab that is asked
const LOOK = "look";
const SESSION = "session";
const EVERYWHERE = { origins: ["http://*/*", "https://*/*"] };
const SCRIPT = { id: "content", js: ["js/seen.js", "js/layer.js", "js/overlay.js", "js/content.js"], runAt: "document_idle", allFrames: true };

// What only JavaScript can do for the Rust side.
const tools = {
  look,
  session,
  async tell(tab, kind) {
    await inTime(chrome.tabs.sendMessage(tab, { kind }));
  },
  async openPanel() {
    await chrome.tabs.create({ url: chrome.runtime.getURL("pages/panel.html") });
  },
  async notify(message) {
    await chrome.notifications?.create({ type: "basic", iconUrl: chrome.runtime.getURL("icons/on-128.png"), title: "Linkscent", message });
  },
  async lookOften(on) {
    if (on) await chrome.alarms.create(LOOK, { periodInMinutes: 1 });
    else await chrome.alarms.clear(LOOK);
  },
  // Whether pages are read at all: at the button, and in every tab.
  async reads(on) {
    const path = Object.fromEntries([16, 32, 48].map((size) => [size, `/icons/${on ? "on" : "off"}-${size}.png`]));
    await chrome.action.setIcon({ path });
    await chrome.action.setBadgeText({ text: on ? "" : "off" });
    await chrome.action.setTitle({ title: on ? "Linkscent" : text("switched_off_title") });
    for (const { id } of await chrome.tabs.query({})) chrome.tabs.sendMessage(id, { kind: "refresh" }).catch(() => {});
  },
  async badge(tab, text) {
    await chrome.action.setBadgeBackgroundColor({ tabId: tab, color: text === "0" ? "#6b7280" : "#0b5fa5" });
    // Without a text of its own a tab has that of all.
    await chrome.action.setBadgeText({ tabId: tab, text: text || null });
  },
  unread,
  dropDeleted,
  text,
  count,
};

async function start(module) {
  await module.default({ module_or_path: chrome.runtime.getURL("pkg/linkscent_bg.wasm") });
  return module.Linkscent.open(tools);
}

const inTurn = inModule([first, second, third], start, () => chrome.runtime.reload());

watch();
listen((message) => handle(message, here));

// A page that hangs must not hold up the others: its answer, or null.
async function inTime(answer) {
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_TAB, null));
  return Promise.race([answer.catch(() => null), late]);
}

// Either the page, or why it is not read.
async function look(tab) {
  const asked = chrome.tabs.sendMessage(tab, { kind: "snapshot" }, { frameId: 0 });
  return (await inTime(asked)) ?? { page: null, refused: null };
}

// A name for the time since the browser was started: tabs are numbered again then.
let named = null;

function session() {
  named ??= nameSession();
  named.catch(() => (named = null));
  return named;
}

async function nameSession() {
  const known = (await chrome.storage.session.get(SESSION))[SESSION];
  if (known) return known;
  const name = crypto.randomUUID();
  await chrome.storage.session.set({ [SESSION]: name });
  return name;
}

const ownPages = chrome.runtime.getURL("");
// The background itself, as a sender.
const here = { id: chrome.runtime.id, url: ownPages };
const isOwn = ({ url }) => Boolean(url?.startsWith(ownPages));

// What the browser says of a sender. Who may send what is told by the Rust side.
function factsOf({ id, url, tab, frameId }) {
  return { id, url, tab: tab?.id, tabUrl: tab?.url, frame: frameId, ownId: chrome.runtime.id, ownPages };
}

async function handle(message, sender) {
  const work = (linkscent) => linkscent.handle(message, factsOf(sender));
  const { answer, sync, isFull, keeps } = await inTurn(work, isOwn(sender) ? LONGEST_OWN : LONGEST);
  if (sync) syncSoon();
  if (keeps) keepRead(isOwn(sender) ? message.tab : sender.tab?.id).catch(() => {});
  if (isFull) handle({ kind: "keep_topic_model" }, here).catch(() => {});
  return answer;
}

// A page goes into the library as it is shown when it has come to rest.
async function keepRead(tab) {
  const shown = await chrome.tabs.sendMessage(tab, { kind: "rendered" }, { frameId: 0 });
  if (shown?.html) await handle({ kind: "keep_read", tab, url: shown.url, html: shown.html }, here);
}

// What is new goes to the companion when the answers so far are out.
function syncSoon() {
  handle({ kind: "sync" }, here).catch(() => {});
  // Sites may have been chosen whose pages wait.
  lookThrough((message) => handle(message, here)).catch(() => {});
}

chrome.alarms.onAlarm.addListener(({ name }) => name === LOOK && syncSoon());

// Pages that were opened to be read for the companion are not the person's.
async function answerTo(message, sender) {
  if (await isOurs(sender.tab?.id)) return { refused: text("opened_for_a_crawl") };
  return handle(message, sender);
}

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  answerTo(message, sender).then(
    (value) => answer(value ?? null),
    async (error) => {
      if (error instanceof Failed && sender.url && !isOwn(sender)) await failedAt(sender.url);
      answer({ error: String(error?.message ?? error) });
    },
  );
  return true;
});

// From which tab a tab was opened: the browser's menu tells pages nothing of it.
chrome.tabs.onCreated.addListener(({ id, openerTabId }) => {
  if (openerTabId !== undefined) handle({ kind: "opened", tab: id, opener: openerTabId }, here).catch(() => {});
});

// Registered scripts outlive an update of the extension, so they are registered again.
async function register() {
  if (!(await chrome.permissions.contains(EVERYWHERE))) return;
  const script = { ...SCRIPT, matches: EVERYWHERE.origins };
  const known = await chrome.scripting.getRegisteredContentScripts({ ids: [SCRIPT.id] });
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: [SCRIPT.id] });
  await chrome.scripting.registerContentScripts([script]);
}

let registering = Promise.resolve();

function registerInTurn() {
  registering = registering.then(register).catch(() => {});
}

// Pages that were open before are read, too. The browser's own cannot be.
async function readOpenPages() {
  await registering;
  if (!(await chrome.permissions.contains(EVERYWHERE))) return;
  const tabs = await chrome.tabs.query({ url: EVERYWHERE.origins, discarded: false });
  const read = ({ id }) => chrome.scripting.executeScript({ target: { tabId: id, allFrames: true }, files: SCRIPT.js });
  await Promise.allSettled(tabs.map(read));
}

function readEverything() {
  registerInTurn();
  readOpenPages().catch(() => {});
}

// Where the browser is just being started there is no window yet.
async function welcome() {
  const open = () => chrome.tabs.create({ url: chrome.runtime.getURL("pages/welcome.html") });
  const [window] = await chrome.windows.getAll();
  if (window) return open();
  return new Promise((opened, failed) => {
    chrome.windows.onCreated.addListener(function first() {
      chrome.windows.onCreated.removeListener(first);
      open().then(opened, failed);
    });
  });
}

chrome.runtime.onInstalled.addListener(({ reason }) => {
  readEverything();
  if (reason === "install") welcome().catch(() => {});
});
chrome.runtime.onStartup.addListener(registerInTurn);
chrome.permissions.onAdded.addListener(readEverything);
