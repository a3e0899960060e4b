// The texts of the extension's own pages, from `_locales`: each by its key, in the language of the
// browser. `{0}` in a text stands for the first element that its element holds, `$1` for the first
// value. A key with `_one`, `_few`, `_many` and `_other` behind it is a text that goes by a number.

const { i18n } = chrome;

export const text = (key, values = []) => i18n.getMessage(key, values.map(String)) || key;

const forms = new Intl.PluralRules(i18n.getUILanguage());

export function count(key, number) {
  const value = [number.toLocaleString(i18n.getUILanguage())];
  return i18n.getMessage(`${key}_${forms.select(number)}`, value) || text(`${key}_other`, value);
}

function put(element) {
  const inner = [...element.children];
  const parts = text(element.dataset.say).split(/(\{\d\})/);
  element.replaceChildren(...parts.map((part) => (/^\{\d\}$/.test(part) ? inner[Number(part[1])] : part)));
}

// Puts every text of a tree, also in its templates.
export function fill(root) {
  for (const element of root.querySelectorAll("[data-say]")) put(element);
  for (const element of root.querySelectorAll("[data-say-label]")) element.setAttribute("aria-label", text(element.dataset.sayLabel));
  for (const element of root.querySelectorAll("[data-say-placeholder]")) element.placeholder = text(element.dataset.sayPlaceholder);
  for (const template of root.querySelectorAll("template")) fill(template.content);
}

// The page's language and direction are those of its texts.
export function fillPage() {
  document.documentElement.lang = text("@@ui_locale").replace("_", "-");
  document.documentElement.dir = text("@@bidi_dir");
  fill(document);
}
