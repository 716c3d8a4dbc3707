// Needs the compiled client in dist, and React. It renders as a server does: there is neither a window nor a document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { Octavo } from "../dist/index.js";
import { SessionStore } from "../dist/session.js";
import { OctavoProvider, SignInForm, useSession, useUser } from "../dist/react.js";

const client = new Octavo({ url: "http://octavo.test", mode: "cookies", fetch: () => assert.fail("a server that renders asks nobody") });
const ada = { id: "7", email: "ada@campus.edu", verified: true, role: "USER", createdAt: "2026-01-01T00:00:00Z" };

function Who() {
  const { loading } = useSession(), user = useUser();
  return h("p", null, loading ? "loading" : user ? user.email : user === null ? "nobody" : "unknown");
}

const render = (props, child = h(Who)) => renderToString(h(OctavoProvider, { client, ...props }, child));

test("a server renders what it knows of the session", () => {
  assert.equal(render({}), "<p>loading</p>");
  assert.equal(render({ user: null }), "<p>nobody</p>");
  assert.equal(render({ user: ada }), "<p>ada@campus.edu</p>");
});

test("a server leaves the sign-in to the browser", () => {
  assert.equal(render({ user: null }, h(SignInForm, { className: "box" })), '<div class="box"></div>');
});

test("hooks without a provider say what is missing", () => {
  assert.throws(() => renderToString(h(Who)), /OctavoProvider/);
});

test("a page that loses its connection keeps the user, and one that has none finds the user later", async () => {
  let answer = () => { throw new TypeError("offline"); };
  const offline = new Octavo({ url: "http://octavo.test", mode: "cookies", fetch: async () => answer() });
  const signedIn = new SessionStore(offline, ada), unknown = new SessionStore(offline);
  await Promise.all([signedIn.reload(), unknown.reload(), unknown.reload()]);
  assert.deepEqual(signedIn.get(), { user: ada, loading: false, error: undefined });
  assert.equal(unknown.get().error.code, "NO_ANSWER");
  answer = () => Response.json({ data: { me: ada } });
  await unknown.reload();
  assert.deepEqual(unknown.get(), { user: ada, loading: false, error: undefined });
});
