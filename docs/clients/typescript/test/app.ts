// The page of the test in a browser: a React app, or with ?plain the sign-in without React. ?api= is the address of the server.
import { createElement as h, StrictMode, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import { BeginPasskeyRegistration, FinishPasskeyRegistration, Octavo } from "../src/index.js";
import { OctavoProvider, SignInForm, useOctavo, useSession, useUser } from "../src/react.js";
import { mountSignIn } from "../src/sign-in.js";

const query = new URLSearchParams(location.search);
const sent: string[] = [];
const client = new Octavo({
  url: query.get("api") ?? "", mode: "cookies",
  fetch: (address, init) => {
    sent.push((JSON.parse(String(init?.body)) as { operationName: string }).operationName);
    return fetch(address, init);
  },
});

async function addPasskey(): Promise<void> {
  const { beginPasskeyRegistration: { id, options } } = await client.run(BeginPasskeyRegistration, { name: "My phone" });
  const { publicKey } = options as { publicKey: PublicKeyCredentialCreationOptionsJSON };
  const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  await client.run(FinishPasskeyRegistration, { id, response: (credential as PublicKeyCredential).toJSON() });
  document.title = "added";
}
Object.assign(window, { sent, addPasskey });

function Name(): ReactElement {
  const user = useUser();
  return h("p", null, user === undefined ? "Who is it?" : user ? `Hello ${user.email}` : "Hello nobody");
}

function Main(): ReactElement {
  const { user, loading, error, signOut } = useSession(), { url } = useOctavo();
  if (loading) return h("p", null, "Loading");
  if (error) return h("p", null, `${url} answered ${error.code}`);
  if (user) return h("button", { id: "out", onClick: () => void signOut() }, "Sign out");
  return h(SignInForm, { className: "box", texts: { noAccount: query.has("lang") ? "Rejoignez-nous" : "Join us" }, ...(query.get("lang") && { lang: query.get("lang")! }) });
}

const root = document.getElementById("app")!;
if (query.has("plain")) {
  mountSignIn(root, { client, onSignedIn: ({ email }) => { document.title = `in as ${email}`; } });
} else {
  createRoot(root).render(h(StrictMode, null, h(OctavoProvider, { client }, h(Name), h(Name), h(Main))));
}
