// The browser's own ways in: the menu of links, selections and pages, keys that can be chosen
// in the browser's settings, and the address bar. Each becomes a message to the Rust side; what
// came of it is said on the page.

const LONGEST = 80; // characters of a link or a selection that are repeated

const say = (key, values) => chrome.i18n.getMessage(key, values);
const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

// Words of a link or a selection are, or are not, what is looked for.
const says = (wanted) => ({
  message: (tab, { text }) => ({ kind: "say", tab, text, wanted }),
  done: ({ text }) => say(wanted ? "counts_for_topic" : "is_not_topic", [short(text)]),
});

const keeps = (done) => ({
  message: (_tab, { text, href }) => ({ kind: "keep_for_later", address: href, title: text }),
  done: () => done,
});

const marks = (target, done) => ({ message: (tab) => ({ kind: "mark", tab, target }), done: () => done });

// What stands in the menu, where, the message it becomes, and what is said then.
const ITEMS = {
  "more-like": { title: say("menu_more"), contexts: ["link"], ...says(true) },
  "fewer-like": { title: say("menu_fewer"), contexts: ["link"], ...says(false) },
  "later": { title: say("menu_later"), contexts: ["link"], ...keeps(say("kept_for_later")) },
  "crawl-from": { title: say("menu_crawl"), contexts: ["link"], opensPanel: true, ...keeps(say("kept_to_crawl")) },
  "matters": { title: say("menu_matters"), contexts: ["selection"], ...says(true) },
  "not-this": { title: say("menu_not_this"), contexts: ["selection"], ...says(false) },
  "target": { title: say("menu_target"), contexts: ["page"], ...marks(true, say("marked_target")) },
  "not-target": { title: say("menu_not_target"), contexts: ["page"], ...marks(false, say("marked_not")) },
};

// What a command of the manifest does in a tab, or says of it.
const COMMANDS = {
  "this-is-it": "target",
  "not-this": "not-target",
};

const ON_LINKS = new Set(["more-like", "fewer-like", "later"]);

export function listen(handle) {
  // The page itself, one frame of it, or all of both: who is meant knows it.
  const tell = (tab, message, where = { frameId: 0 }) => chrome.tabs.sendMessage(tab, message, where).catch(() => null);
  const everywhere = {};

  async function act(item, tab, what) {
    try {
      await handle(item.message(tab, what));
      await tell(tab, { kind: "told", text: item.done(what) });
    } catch (error) {
      await tell(tab, { kind: "told", text: String(error?.message ?? error) });
    }
  }

  // Only the page's script knows what a link says. Chromium does not tell.
  async function linkOf(info, tab) {
    const link = await tell(tab, { kind: "link" }, { frameId: info.frameId ?? 0 });
    const isIt = link?.href === info.linkUrl;
    return { href: info.linkUrl, text: (isIt && link.text) || info.linkText || info.linkUrl };
  }

  chrome.runtime.onInstalled.addListener(() => {
    chrome.contextMenus.removeAll(() => {
      for (const [id, { title, contexts }] of Object.entries(ITEMS)) chrome.contextMenus.create({ id, title, contexts });
    });
  });

  chrome.contextMenus.onClicked.addListener(async (info, tab) => {
    const item = ITEMS[info.menuItemId];
    if (!item || tab?.id === undefined) return;
    // Browsers open their side panels only while a press is being handled.
    if (item.opensPanel) openPanel(tab.id);
    const what = info.linkUrl ? await linkOf(info, tab.id) : { text: info.selectionText ?? "" };
    await act(item, tab.id, what);
  });

  function openPanel(tabId) {
    const { sidePanel } = chrome;
    const opened = sidePanel ? sidePanel.open({ tabId }) : browser.sidebarAction.open();
    opened.catch(() => {});
  }

  // Of the link that is pointed at or focused.
  async function actOnLink(item, tab) {
    const link = await tell(tab, { kind: "pointed" }, everywhere);
    if (link) await act(item, tab, link);
  }

  chrome.commands.onCommand.addListener(async (command, tab) => {
    if (tab?.id === undefined) return;
    if (ON_LINKS.has(command)) return actOnLink(ITEMS[command], tab.id);
    if (command in COMMANDS) await act(ITEMS[COMMANDS[command]], tab.id, {});
    else await tell(tab.id, { kind: command }, everywhere);
  });

  chrome.omnibox.setDefaultSuggestion({ description: say("omnibox_hint") });

  const escaped = (text) => text.replace(/[<>&'"]/g, (sign) => `&#${sign.codePointAt(0)};`);
  // Chromium reads a description as XML, Firefox as it stands.
  const isXml = !globalThis.browser;
  const line = ({ title, address, kind }) => `${title || address} (${kind})`;

  chrome.omnibox.onInputChanged.addListener(async (text, suggest) => {
    const found = await handle({ kind: "find", text }).catch(() => []);
    suggest(found.map((page) => ({ content: page.address, description: isXml ? escaped(line(page)) : line(page) })));
  });

  chrome.omnibox.onInputEntered.addListener(async (text, disposition) => {
    const isAddress = /^https?:/.test(text);
    const url = isAddress ? text : (await handle({ kind: "find", text }).catch(() => []))[0]?.address;
    if (!url) return;
    if (disposition === "currentTab") await chrome.tabs.update({ url });
    else await chrome.tabs.create({ url, active: disposition === "newForegroundTab" });
  });
}
