// Pages that are not read, as far as that is known before they are asked for their
// content: answers that must not be stored, sites that ask for a login by HTTP, and pages
// at which Linkscent failed. Kept as long as the browser runs, and only in its memory.
import { text } from "./texts.js";

const EVERY_PAGE = { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] };
const EVERYTHING = { urls: ["http://*/*", "https://*/*"] };
const MOST = 1000;
const MOST_LOGINS = 2000;
const LONGEST_WAIT = 400; // milliseconds
const KEY = "unread";

// Reasons, by the keys of their texts.
const NO_STORE = "unread_no_store", LOGIN = "unread_login", FAILED = "unread_failed_before";

const bare = (url) => url.split("#")[0];

// One change at a time.
let last = Promise.resolve();

function change(act) {
  last = last.then(async () => {
    const rows = (await chrome.storage.session.get(KEY))[KEY] ?? [];
    const changed = act(rows);
    if (!changed) return;
    // Sites that ask for a login stay: the browser is asked for it only once.
    const logins = changed.filter((row) => row[1] === LOGIN).slice(-MOST_LOGINS);
    const others = changed.filter((row) => row[1] !== LOGIN).slice(-MOST);
    await chrome.storage.session.set({ [KEY]: [...logins, ...others] });
  }).catch(() => {});
  return last;
}

function note(name, why) {
  return change((rows) => [...rows.filter((row) => row[0] !== name), [name, why]]);
}

// The pages whose headers were seen since the worker was started. A browser promises no
// order between a page's headers and what its content script asks; so the headers of a
// page that was not seen are waited for, but not long: it may be older than the worker.
const seen = new Set();
const waiting = new Set();

function sawHeaders(url) {
  seen.delete(url);
  seen.add(url);
  if (seen.size > MOST) seen.delete(seen.values().next().value);
  for (const look of [...waiting]) look();
}

function headersOf(url) {
  if (seen.has(url)) return null;
  return new Promise((resolve) => {
    const look = () => (seen.has(url) ? done() : null);
    const timer = setTimeout(() => done(), LONGEST_WAIT);
    function done() {
      clearTimeout(timer);
      waiting.delete(look);
      resolve();
    }
    waiting.add(look);
  });
}

// Why a page is not read, by its address or the one its document was `loaded` from.
export async function unread(url, loaded) {
  return (await known(url, loaded)) ?? (await headersOf(bare(loaded || url)), known(url, loaded));
}

async function known(...urls) {
  await last;
  const rows = new Map((await chrome.storage.session.get(KEY))[KEY] ?? []);
  for (const url of urls.filter(Boolean)) {
    const why = rows.get(bare(url)) ?? rows.get(new URL(url).origin);
    if (why) return text(why);
  }
  return null;
}

export const failedAt = (url) => note(bare(url), FAILED);

export function watch() {
  chrome.webRequest.onHeadersReceived.addListener((answer) => {
    const said = (answer.responseHeaders ?? []).filter(({ name }) => name.toLowerCase() === "cache-control");
    const url = bare(answer.url);
    if (said.some(({ value }) => /\bno-store\b/i.test(value ?? ""))) note(url, NO_STORE);
    // A page that may be stored again is read again.
    else change((rows) => rows.some((row) => row[0] === url && row[1] === NO_STORE) && rows.filter((row) => row[0] !== url));
    sawHeaders(url);
  }, EVERY_PAGE, ["responseHeaders"]);
  chrome.webRequest.onAuthRequired.addListener((asked) => {
    if (!asked.isProxy) note(new URL(asked.url).origin, LOGIN);
  }, EVERYTHING);
}
