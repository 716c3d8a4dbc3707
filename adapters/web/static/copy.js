// A button with data-copy copies what the element before it says, and then says so. Without this script it is hidden.
"use strict";

for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.nextElementSibling.textContent = button.dataset.copy;
  });
}
