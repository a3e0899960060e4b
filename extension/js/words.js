// Runs in the frame of the layer that shows words. The page around it cannot read the frame. The
// first message brings a port of the content script: all words come through it, and what is shown is
// told through it.
addEventListener("message", ({ ports: [port] }) => {
  if (!port) return;
  document.documentElement.lang = chrome.i18n.getMessage("@@ui_locale").replace("_", "-");
  document.documentElement.dir = chrome.i18n.getMessage("@@bidi_dir");
  const shown = document.querySelector("p"), [text, small] = shown.children;
  const spoken = document.querySelector("[role=status]");
  port.onmessage = ({ data }) => {
    document.body.dataset.side = data.side ?? "top";
    text.textContent = data.text ?? "";
    small.textContent = data.small ?? "";
    shown.hidden = !data.text;
    spoken.textContent = data.spoken ?? data.text ?? "";
    port.postMessage(text.textContent);
  };
}, { once: true });
