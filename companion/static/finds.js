// Puts in place what comes behind a topic's page. Without this script a link leads to it.
const later = document.querySelector("[data-later]");
if (later) {
  fetch(later.dataset.later)
    .then(response => response.ok ? response.text() : Promise.reject(response.status))
    .then(text => later.replaceWith(document.createRange().createContextualFragment(text)))
    .catch(() => later.removeAttribute("aria-busy"));
}
