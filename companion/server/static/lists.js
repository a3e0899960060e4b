// Files that are chosen in the browser in place of being named by their path.
//
// Puts the pages that a file names into the field beside it, to be looked at before they are sent:
// bookmarks, outlines, feeds, sitemaps, references, tables.
const complaint = page =>
  new DOMParser().parseFromString(page, "text/html").querySelector("main p")?.textContent ?? "The file was not read.";

for (const file of document.querySelectorAll("input[type=file][data-into]")) {
  const form = file.closest("form"), label = file.closest("label");
  label.hidden = false;
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const fields = new URLSearchParams({ csrf: form.elements.csrf.value, text: await chosen.text() });
    const answer = await fetch(file.dataset.url, { method: "POST", body: fields }).catch(() => null);
    const text = await answer?.text() ?? "";
    const field = form.elements[file.dataset.into];
    const said = label.querySelector("output");
    if (answer?.ok) {
      const pages = text.split("\n").filter(Boolean);
      field.value = [...field.value.split("\n").filter(Boolean), ...pages].join("\n");
      field.rows = Math.min(12, field.value.split("\n").length);
      said.textContent = `${pages.length === 1 ? "1 page" : `${pages.length} pages`} of ${chosen.name}`;
    } else {
      said.textContent = complaint(text);
    }
    file.value = "";
  });
}

// Sends a file as it is, and goes where the answer leads.
for (const file of document.querySelectorAll("input[type=file][data-send]")) {
  const form = file.closest("form"), label = file.closest("label");
  label.hidden = false;
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > 16 << 20) {
      label.querySelector("output").textContent = "It is larger than 16 MB: name it by its path.";
      return;
    }
    const fields = new URLSearchParams({ csrf: form.elements.csrf.value, name: form.elements.name.value });
    const answer = await fetch(`${file.dataset.send}?${fields}`, { method: "POST", body: chosen }).catch(() => null);
    if (answer?.ok) {
      location.href = answer.url;
    } else {
      label.querySelector("output").textContent = complaint(await answer?.text() ?? "");
      file.value = "";
    }
  });
}
