// Judging at reading speed: one key a verdict, shown at once, without a new page. Without this
// script the same forms do the same.
const results = [...document.querySelectorAll(".results > li")];
const judged = document.querySelector("#judged");
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
  for (const button of line.querySelectorAll("[name=verdict]")) button.hidden = (button.value === "undo") === (mark === "");
}

// The verdicts on one page reach the companion in their order.
const lastOf = new WeakMap();

async function judge(line, verdict) {
  const before = line.dataset.mark, mark = verdict === "undo" ? "" : verdict;
  if (before === mark) return;
  show(line, mark);
  const form = line.querySelector("form[data-judges]"), fields = new URLSearchParams(new FormData(form));
  fields.set("verdict", verdict);
  const sending = Promise.resolve(lastOf.get(line)).then(() => fetch(form.action, { method: "POST", body: fields, headers: { accept: "application/json" } })).catch(() => null);
  lastOf.set(line, sending);
  const answer = await sending;
  if (answer?.ok) {
    counted += verdict === "undo" ? -1 : 1;
    judged.textContent = counted > 0 ? `${counted} judged here.` : "";
  } else {
    show(line, before);
    judged.textContent = "The companion did not take that. Is it running? Reload the page and try again.";
  }
}

document.querySelector("main").addEventListener("submit", (event) => {
  const line = event.target.closest(".results > li");
  if (!line || !event.submitter) return;
  event.preventDefault();
  line.focus({ preventScroll: true });
  judge(line, event.submitter.value);
});

const VERDICTS = { y: "target", n: "not", u: "undo" };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const at = current(), line = results[at];
  if (event.key === "/") document.querySelector("#words").focus();
  else if (event.key === "j") go(at + 1);
  else if (event.key === "k") go(at < 0 ? 0 : at - 1);
  else if (line && event.key in VERDICTS) judge(line, VERDICTS[event.key]);
  else if (line && event.key === "o") open(line.querySelector("a").href, "_blank", "noopener,noreferrer");
  else return;
  event.preventDefault();
});
