"""The few lines of script that our pages need; all else is viser's.

NOTICE    viser's note about drawing in software stands before the scene for good; it goes when it was read
DROP      a file dropped on the page goes the way of the button; without this the browser would leave the page and show it
"""

from __future__ import annotations

NOTICE = """
(() => {
  if (window.surefootNotice) return;
  window.surefootNotice = setInterval(() => {
    const found = Array.from(document.querySelectorAll("[role=alert]")).find((e) => e.innerText.startsWith("Software WebGL"));
    if (!found) return;
    clearInterval(window.surefootNotice);
    setTimeout(() => found.querySelector("button")?.click(), 8000);
  }, 1000);
})();
"""

DROP = """
(() => {
  if (window.surefootDrop) return;
  window.surefootDrop = true;
  document.title = "Surefoot";
  const holds = (e) => e.dataTransfer && Array.from(e.dataTransfer.types).includes("Files");
  window.addEventListener("dragover", (e) => { if (holds(e)) e.preventDefault(); });
  window.addEventListener("drop", (e) => {
    if (!holds(e)) return;
    e.preventDefault();
    const beside = (f) => /\\.(asf|bin)$/i.test(f.name);
    const files = Array.from(e.dataTransfer.files).sort((a, b) => beside(b) - beside(a));
    files.slice(0, 4).forEach((file, k) => setTimeout(() => {
      const input = document.querySelector("input[type=file]");
      if (!input) return;
      const one = new DataTransfer();
      one.items.add(file);
      input.files = one.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }, 700 * k));
  });
})();
"""
