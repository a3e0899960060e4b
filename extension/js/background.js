// The background: hands messages to the Rust side one at a time and passes the
// answers on. Keeps nothing of its own; it may be stopped at any moment.
import init, { Linkscent } from "../pkg/linkscent.js";

const EVERYWHERE = { origins: ["http://*/*", "https://*/*"] };
const SCRIPT = { id: "content", js: ["js/content.js"], css: ["js/content.css"], runAt: "document_idle" };

let opening = null;

function open() {
  opening ??= (async () => {
    await init({ module_or_path: chrome.runtime.getURL("pkg/linkscent_bg.wasm") });
    return Linkscent.open();
  })();
  opening.catch(() => (opening = null));
  return opening;
}

// One at a time: two messages must not change the same topic at once.
let last = Promise.resolve();

function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

async function refresh(tab) {
  await chrome.tabs.sendMessage(tab, { kind: "refresh" }).catch(() => {});
}

// A page that hangs must not hold up the others.
async function snapshot(tab) {
  const late = new Promise((resolve) => setTimeout(resolve, 2000, null));
  return Promise.race([chrome.tabs.sendMessage(tab, { kind: "snapshot" }).catch(() => null), late]);
}

async function count(tab, view) {
  const links = view?.links?.length ?? 0;
  await chrome.action.setBadgeText({ tabId: tab, text: links ? String(links) : "" }).catch(() => {});
}

// What is new goes to the companion when the answers so far are out.
function syncSoon() {
  inTurn(async () => (await open()).sync()).catch(() => {});
}

const answers = {
  async page(linkscent, { page, started }, sender) {
    const { view, followed } = await linkscent.read(page, sender.tab.id, started, Date.now());
    await count(sender.tab.id, view);
    if (followed) syncSoon();
    return view;
  },
  followed: (linkscent, { page, place, newTab }, sender) =>
    linkscent.followed(page, place, sender.tab.id, newTab, Date.now()),
  state: async (linkscent, { tab }) => linkscent.state(await snapshot(tab), Date.now()),
  async mark(linkscent, { tab, target }) {
    await linkscent.mark(await snapshot(tab), target, Date.now());
    await refresh(tab);
  },
  async mark_form(linkscent, { tab, form, wanted }) {
    await linkscent.mark_form(await snapshot(tab), form, wanted, Date.now());
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
    await linkscent.pause(await snapshot(tab), on);
    await refresh(tab);
  },
  trails: (linkscent) => linkscent.trails(),
  forget: (linkscent, { id }) => linkscent.forget(id),
  pair: (linkscent, { port, code }) => linkscent.pair(port, code),
  unpair: (linkscent) => linkscent.unpair(),
  sync: (linkscent) => linkscent.sync(),
  hand_over: (linkscent, { budget, seeds }) => linkscent.hand_over(budget, seeds),
};

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const work = answers[message.kind];
  if (!work) return false;
  inTurn(async () => work(await open(), message, sender)).then(
    (value) => answer(value ?? null),
    (error) => answer({ error: String(error?.message ?? error) }),
  );
  if (message.kind === "mark" || message.kind === "answer") syncSoon();
  return true;
});

async function register() {
  if (!(await chrome.permissions.contains(EVERYWHERE))) return;
  const known = await chrome.scripting.getRegisteredContentScripts({ ids: [SCRIPT.id] });
  if (known.length === 0) await chrome.scripting.registerContentScripts([{ ...SCRIPT, matches: EVERYWHERE.origins }]);
}

// A build for a scratch profile may bring a fresh pairing code along.
async function pairAtOnce() {
  const given = await fetch(chrome.runtime.getURL("pairing.json")).catch(() => null);
  if (!given?.ok) return;
  const { port, code } = await given.json();
  await (await open()).pair(port, code);
}

chrome.runtime.onInstalled.addListener(() => {
  register();
  inTurn(pairAtOnce).catch(() => {});
});
chrome.runtime.onStartup.addListener(register);
chrome.permissions.onAdded.addListener(register);
inTurn(register).catch(() => {});
