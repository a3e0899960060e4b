// Reads pages for the companion's crawler in tabs of its own that stay in the background: only
// on hosts that the person chose, a few at a time. Which pages those are, and what is sent of
// them, is the Rust side's word.

const TABS = "looking"; // tabs that were opened here, while the browser runs
const LOAD = 15000; // milliseconds that a page may take to load
const ANSWER = 15000; // and to say what it shows
const SCRIPT = 1000; // milliseconds until a page's script is asked once more
const REST = 3000; // milliseconds between looks while a crawl goes on

const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const within = (work, milliseconds) => Promise.race([work, rest(milliseconds).then(() => null)]);

let ours = null; // numbers of the tabs, or what promises them

async function known() {
  ours ??= chrome.storage.session.get(TABS).then((kept) => new Set(kept[TABS] ?? []));
  return ours;
}

async function keep(change) {
  const tabs = await known();
  change(tabs);
  await chrome.storage.session.set({ [TABS]: [...tabs] });
}

// Whether a tab was opened here: it is no page that the person reads.
export const isOurs = async (tab) => tab !== undefined && (await known()).has(tab);

// A tab has loaded a page of the web, not the empty one that it was opened with.
function loaded(tab) {
  return new Promise((resolve) => {
    function changed(id, { status }, { url }) {
      if (id !== tab || status !== "complete" || !url?.startsWith("http")) return;
      chrome.tabs.onUpdated.removeListener(changed);
      resolve(true);
    }
    chrome.tabs.onUpdated.addListener(changed);
    setTimeout(() => {
      chrome.tabs.onUpdated.removeListener(changed);
      resolve(false);
    }, LOAD);
  });
}

// The page's script may not be there yet when the page is.
async function ask(tab) {
  const answer = () => chrome.tabs.sendMessage(tab, { kind: "rendered" }, { frameId: 0 }).catch(() => null);
  return (await answer()) ?? (await rest(SCRIPT), await answer());
}

// What a page shows, or why it cannot be said.
async function look(address) {
  const tab = await chrome.tabs.create({ url: "about:blank", active: false });
  try {
    await keep((tabs) => tabs.add(tab.id));
    const whole = loaded(tab.id);
    await chrome.tabs.update(tab.id, { url: address, muted: true });
    await whole;
    const shown = await within(ask(tab.id), ANSWER);
    if (!shown) return { html: "", problem: "it did not answer" };
    const isThere = new URL(shown.url).host === new URL(address).host;
    return isThere ? { html: shown.html ?? "", problem: shown.problem ?? "" } : { html: "", problem: "it leads to another site" };
  } finally {
    await chrome.tabs.remove(tab.id).catch(() => {});
    await keep((tabs) => tabs.delete(tab.id));
  }
}

// Tabs that were left open when the worker was stopped.
async function closeLeft() {
  for (const tab of await known()) await chrome.tabs.remove(tab).catch(() => {});
  await keep((tabs) => tabs.clear());
}

let isLooking = false;

// Reads pages as long as there are some, or a crawl goes on that may ask for more.
export async function lookThrough(handle) {
  if (isLooking) return;
  isLooking = true;
  try {
    await closeLeft();
    for (;;) {
      const { pages, is_running: isRunning } = await handle({ kind: "next_renderings" });
      const read = async ({ crawl, address }) => {
        const shown = await look(address);
        await handle({ kind: "rendered", page: { crawl, address, ...shown } });
      };
      await Promise.allSettled(pages.map(read));
      if (pages.length > 0) continue;
      if (!isRunning) return;
      await rest(REST);
    }
  } finally {
    isLooking = false;
  }
}
