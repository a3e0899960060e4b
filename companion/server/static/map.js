// The way to a page, as long as somebody points at it or is there by keyboard.
const map = document.querySelector(".map"), shown = document.querySelector("#shown");
const pages = new Map([...map?.querySelectorAll("a") ?? []].map((page) => [page.dataset.page, page]));
const ways = new Map([...map?.querySelectorAll("line") ?? []].map((way) => [way.dataset.to, way]));

function show(page) {
  for (const lit of map.querySelectorAll(".lit")) lit.classList.remove("lit");
  const passed = new Set();
  let at = page;
  while (at && !passed.has(at)) {
    passed.add(at);
    at.classList.add("lit");
    ways.get(at.dataset.page)?.classList.add("lit");
    at = pages.get(at.dataset.from);
  }
  const steps = passed.size - 1;
  shown.textContent = page ? `${page.getAttribute("href")} · ${steps === 0 ? "a start" : steps === 1 ? "1 link from a start" : `${steps} links from a start`}` : "";
}

const pageOf = (event) => event.target.closest("a[data-page]");
map?.addEventListener("pointerover", (event) => show(pageOf(event)));
map?.addEventListener("focusin", (event) => show(pageOf(event)));
