// Puts in place what comes behind a topic's page. Without this script a link leads to it.
const later = document.querySelector("[data-later]");
const FAILED = "They could not be looked up. Is the companion running? Reload the page and try again.";

async function bringFinds() {
  const response = await fetch(later.dataset.later);
  if (!response.ok) throw new Error(response.status);
  const finds = new DOMParser().parseFromString(await response.text(), "text/html");
  const hadFocus = later.contains(document.activeElement);
  later.replaceChildren(...finds.body.childNodes);
  if (hadFocus) later.querySelector("a")?.focus();
}

if (later) {
  bringFinds()
    .catch(() => { later.querySelector("[data-says]").textContent = FAILED; })
    .finally(() => later.removeAttribute("aria-busy"));
}
