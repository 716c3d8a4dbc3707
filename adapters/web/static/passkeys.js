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
  submit(form, id, form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey) }));
}

function submit(form, id, credential) {
  for (const [name, value] of [["id", id], ["response", JSON.stringify(credential.toJSON())]]) {
    const input = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    form.append(input);
  }
  form.submit();
}

// Offers passkeys among what the browser fills in. A ceremony lives five minutes; on a page that is open for longer
// the button remains. So it does in a browser that cannot do this.
let offer = new AbortController();
async function offerPasskeys(form) {
  const isAddress = /^[\d.]+$|:/.test(location.hostname); // which has no passkeys
  if (isAddress || !await PublicKeyCredential.isConditionalMediationAvailable?.()) return;
  const { id, options } = await begin(form);
  setTimeout(() => offer.abort(), 4.5 * 60 * 1000);
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey), mediation: "conditional", signal: offer.signal,
  });
  submit(form, id, credential);
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) continue;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    offer.abort(); // a browser asks once at a time
    const alert = form.querySelector("[data-alert]");
    alert.textContent = "";
    complete(form).catch((error) => {
      // People who close the browser's dialog know that they did.
      if (error.name !== "NotAllowedError") alert.textContent = error.message;
    });
  });
  if (form.dataset.passkey === "get") offerPasskeys(form).catch(() => {});
  if ("goOn" in form.dataset) form.requestSubmit();
}
