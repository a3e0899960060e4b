// Runs on pages of this machine. Where the person presses what leads back from the dashboard to
// the extension, the background is told; it knows which page is the dashboard of its companion.
document.addEventListener("click", (event) => {
  const link = event.isTrusted && event.target.closest?.("a[data-opens=extension]");
  // The link is followed as well: another page of this machine could tell by that who is there.
  if (link) chrome.runtime.sendMessage({ kind: "open_panel" });
}, true);
