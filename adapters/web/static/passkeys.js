// Asks the browser for a passkey. A form with data-passkey="create" or "get" is completed
// with the id of the ceremony and the browser's response, and then submitted as usual.
"use strict";

async function begin(form) {
  const answer = await fetch(form.dataset.begin, {
    method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(new FormData(form)),
  });
  const ceremony = await answer.json();
  if (!answer.ok) throw new Error(ceremony.error);
  return ceremony;
}

async function complete(form) {
  const { id, options, to } = await begin(form);
  if (to) { // a proof comes first; then the server sends the form back with data-go-on
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "begin", value: "yes" }));
    return form.submit();
  }
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey) });
  for (const [name, value] of [["id", id], ["response", JSON.stringify(credential.toJSON())]]) {
    const input = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    form.append(input);
  }
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) continue;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const alert = form.querySelector("[data-alert]");
    alert.textContent = "";
    complete(form).catch((error) => {
      // People who close the browser's dialog know that they did.
      if (error.name !== "NotAllowedError") alert.textContent = error.message;
    });
  });
  if ("goOn" in form.dataset) form.requestSubmit();
}
