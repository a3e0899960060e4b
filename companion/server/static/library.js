// Judging at reading speed: one key a verdict, shown at once, without a new page. Without this
// script the same forms do the same.
const results = [...document.querySelectorAll(".results > li")];
const judged = document.querySelector("#judged");
const FAILED = "The companion did not take that. Is it running? Reload the page and try again.";
let counted = 0;

const current = () => results.indexOf(document.activeElement?.closest(".results > li"));

function go(to) {
  const line = results[Math.max(0, Math.min(to, results.length - 1))];
  line?.focus({ preventScroll: true });
  line?.scrollIntoView({ block: "nearest" });
}

// What is shown of a page's mark.
function show(line, mark) {
  line.dataset.mark = mark;
  for (const badge of line.querySelectorAll("[data-shown]")) badge.hidden = badge.dataset.shown !== mark;
  for (const button of line.querySelectorAll("[data-judges] [name=verdict]")) button.hidden = (button.value === "undo") === (mark === "");
}

// What is said of one page reaches the companion in its order.
const lastOf = new WeakMap();

async function send(line, form, fields) {
  const sending = Promise.resolve(lastOf.get(line)).then(() => fetch(form.action, { method: "POST", body: fields, headers: { accept: "application/json" } })).catch(() => null);
  lastOf.set(line, sending);
  return (await sending)?.ok ?? false;
}

async function judge(line, verdict) {
  const before = line.dataset.mark, mark = verdict === "undo" ? "" : verdict;
  if (before === mark) return;
  show(line, mark);
  const form = line.querySelector("form[data-judges]"), fields = new URLSearchParams(new FormData(form));
  fields.set("verdict", verdict);
  if (await send(line, form, fields)) {
    counted += verdict === "undo" ? -1 : 1;
    judged.textContent = counted > 0 ? `${counted} judged here.` : "";
  } else {
    show(line, before);
    judged.textContent = FAILED;
  }
}

async function tag(line, form) {
  const fields = new URLSearchParams(new FormData(form)), field = form.elements.tag;
  if (!field.value.trim()) return;
  fields.set("verdict", "tag");
  const text = document.createElement("span");
  text.textContent = `#${field.value.trim()} `;
  field.value = "";
  line.focus({ preventScroll: true });
  line.querySelector(".annotations").open = false;
  if (await send(line, form, fields)) line.querySelector(".tags").append(text);
  else judged.textContent = FAILED;
}

async function keep(line, form) {
  const fields = new URLSearchParams(new FormData(form)), note = line.querySelector("[data-note]");
  line.focus({ preventScroll: true });
  if (await send(line, form, fields)) {
    note.textContent = fields.get("text").trim();
    note.hidden = !note.textContent;
    line.querySelector(".annotations").open = false;
  } else judged.textContent = FAILED;
}

document.querySelector("main").addEventListener("submit", (event) => {
  const line = event.target.closest(".results > li"), form = event.target;
  if (!line || !event.submitter) return;
  if ("judges" in form.dataset) judge(line, event.submitter.value);
  else if ("tags" in form.dataset) tag(line, form);
  else if ("notes" in form.dataset) keep(line, form);
  else return;
  event.preventDefault();
  line.focus({ preventScroll: true });
});

function write(line, field) {
  line.querySelector(".annotations").open = true;
  line.querySelector(field).focus();
}

const VERDICTS = { y: "target", n: "not", u: "undo" };

addEventListener("keydown", (event) => {
  const at = current(), line = results[at];
  const isTyping = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && isTyping) {
    (line ?? results[0])?.focus({ preventScroll: true });
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping) return;
  if (event.key === "/") document.querySelector("#words").focus();
  else if (event.key === "j") go(at + 1);
  else if (event.key === "k") go(at < 0 ? 0 : at - 1);
  else if (line && event.key in VERDICTS) judge(line, VERDICTS[event.key]);
  else if (line && event.key === "t") write(line, "[name=tag]:not([type=hidden])");
  else if (line && event.key === "m") write(line, "textarea");
  else if (line && event.key === "x") line.querySelector("[type=checkbox]").click();
  else if (line && event.key === "o") open(line.querySelector("a.title").href, "_blank", "noopener,noreferrer");
  else return;
  event.preventDefault();
});

// While a crawl runs more is found: that is said, and the list stays as it is until it is asked for.
const more = document.querySelector("#more");
setInterval(async () => {
  if (document.hidden) return;
  const answer = await fetch(more.dataset.url).catch(() => null);
  const total = answer?.ok ? Number(await answer.text()) : NaN, added = total - Number(more.dataset.total);
  if (!(added > 0) || more.textContent.startsWith(`${added} more`)) return;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "show them";
  more.replaceChildren(`${added} more since: `, link);
}, 5000);

// What is typed may go on: asked for when the typing rests for a moment, and shown as the browser shows lists.
const words = document.querySelector("#words"), suggested = document.querySelector("#suggested");
let resting;

words.addEventListener("input", (event) => {
  clearTimeout(resting);
  // One that was chosen is no typing.
  if (event.inputType !== "insertReplacementText" && event.inputType) resting = setTimeout(suggest, 120);
});

async function suggest() {
  const typed = words.value, fields = new URLSearchParams(new FormData(words.form));
  const answer = await fetch(`${words.dataset.url}?${fields}`).catch(() => null);
  const made = answer?.ok ? await answer.json() : [];
  if (words.value !== typed) return;
  suggested.replaceChildren(...made.map((text) => Object.assign(document.createElement("option"), { value: text })));
}
