// Cropping a photo: the part follows the sliders and the finger. Without it, a button shows the part anew.

const form = document.getElementById("crop"), svg = form.querySelector("svg"), { x, y, size } = form.elements;
const width = Number(form.dataset.width), height = Number(form.dataset.height);

function part() {
  const w = (Math.min(width, (height * 3) / 4) * size.value) / 100, h = (w * 4) / 3;
  return [((width - w) * x.value) / 100, ((height - h) * y.value) / 100, w, h];
}

const show = () => svg.setAttribute("viewBox", part().join(" "));

svg.addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  svg.setPointerCapture(event.pointerId);
  const [, , w, h] = part(), shown = svg.getBoundingClientRect();
  const drag = (slider, by, all, seen, pixels) => all > seen && (slider.value = Number(slider.value) - (by * seen * 100) / pixels / (all - seen));
  drag(x, event.movementX, width, w, shown.width);
  drag(y, event.movementY, height, h, shown.height);
  show();
});
form.addEventListener("input", show);
form.querySelector("[data-preview]").hidden = true;
x.step = y.step = "any";
form.addEventListener("submit", () => [x, y].forEach((s) => ((s.step = 1), (s.value = Math.round(s.value)))));
