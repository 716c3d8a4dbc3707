// Shows the photos of a book over the page: they swipe, arrow keys turn them, a pinch or a click makes one larger. Without it
// the links lead to the pictures.

function dialogOf(list) {
  const { close, previous, next } = list.dataset;
  const dialog = document.createElement("dialog"), strip = document.createElement("div");
  dialog.className = "viewer";
  dialog.setAttribute("aria-label", document.querySelector("h1").textContent);
  strip.className = "pages";
  strip.tabIndex = -1;
  for (const link of list.querySelectorAll("a")) {
    const small = link.querySelector("img");
    const page = document.createElement("div");
    page.append(Object.assign(new Image(), { src: link.href, alt: small.alt, loading: "lazy", decoding: "async" }));
    strip.append(page);
  }
  const turn = (by) => strip.scrollBy({ left: by * strip.clientWidth, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
  const button = (name, text, label, act) => {
    const b = Object.assign(document.createElement("button"), { type: "button", className: name, textContent: text });
    b.setAttribute("aria-label", label);
    b.addEventListener("click", act);
    return b;
  };
  dialog.append(strip, button("close", "×", close, () => dialog.close()));
  if (strip.children.length > 1) dialog.append(button("previous", "‹", previous, () => turn(-1)), button("next", "›", next, () => turn(1)));
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) event.preventDefault(), turn(by);
  });
  strip.addEventListener("click", (event) => {
    if (event.target.tagName === "IMG") event.target.classList.toggle("large");
    else dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  return dialog;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-viewer] a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const list = link.closest("[data-viewer]"), dialog = dialogOf(list);
  document.body.append(dialog);
  dialog.showModal();
  const strip = dialog.querySelector(".pages");
  strip.children[[...list.querySelectorAll("a")].indexOf(link)].scrollIntoView({ behavior: "instant" });
});
